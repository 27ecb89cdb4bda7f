/** A grey texture on a surface whose bytes represent values of a quantity. */
export interface SurfaceTexture {
  /** name of the quantity, such as `grayValue` */
  name: string;
  /** uv of each vertex, v downwards; 2 · vertices */
  coordinates: Float32Array<ArrayBuffer>;
  width: number;
  height: number;
  /** one per pixel, rows from the top */
  bytes: Uint8Array<ArrayBuffer>;
  /** values of byte 0 and byte 255, linear in between */
  low: number;
  high: number;
}

/** The value at a position of the texture, interpolated between pixel centres, as on graphics cards. */
export function textureValue(texture: SurfaceTexture, u: number, v: number): number {
  const { width, height, bytes, low, high } = texture;
  const x = Math.min(Math.max(u * width - 0.5, 0), width - 1);
  const y = Math.min(Math.max(v * height - 0.5, 0), height - 1);
  const [ix, iy] = [Math.floor(x), Math.floor(y)];
  const right = ix + 1 < width ? 1 : 0;
  const below = iy + 1 < height ? width : 0;
  const at = iy * width + ix;
  const upper = bytes[at] + (bytes[at + right] - bytes[at]) * (x - ix);
  const lower = bytes[at + below] + (bytes[at + below + right] - bytes[at + below]) * (x - ix);
  return low + ((upper + (lower - upper) * (y - iy)) / 255) * (high - low);
}

/** The texture's values at the vertices, used for histograms and legends. */
export function textureAtVertices(texture: SurfaceTexture): Float32Array<ArrayBuffer> {
  const { coordinates } = texture;
  const values = new Float32Array(coordinates.length / 2);
  for (let v = 0; v < values.length; v++) {
    values[v] = textureValue(texture, coordinates[2 * v], coordinates[2 * v + 1]);
  }
  return values;
}
