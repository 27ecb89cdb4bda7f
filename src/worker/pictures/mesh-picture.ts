import type { Picture } from '#formats/png/picture.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';

/** Seen from the front right, from above; rows of a rotation: right, up, towards the eye. */
const right = [0.8192, 0.5736, 0];
const up = [-0.2868, 0.4096, 0.866];
const towards = [0.4967, -0.7094, 0.5];
const light = normalized([0.35, -0.35, 0.87]);

/**
 * A shaded picture of a mesh: parallel projection, depth buffer, light from above. Drawn at twice the size and averaged,
 * so that edges are smooth. O(triangles + pixels covered).
 *
 * @param size pixels of each side
 * @param options.colors sRGB bytes, 3 a vertex, of a quantity on the surface; plain metal without them
 * @param options.ground sRGB of what it stands on; transparent without it
 */
export function meshPicture(
  mesh: TriangleMesh,
  size: number,
  { colors, ground }: { colors?: Uint8Array; ground?: readonly [number, number, number] } = {},
): Picture {
  const side = size * 2;
  const projected = project(mesh.positions, side);
  const sketch: Sketch = {
    side,
    depth: new Float32Array(side * side).fill(-Infinity),
    shade: new Uint8Array(side * side),
    seen: new Uint32Array(side * side),
  };
  for (let t = 0; t < mesh.indices.length; t += 3) drawTriangle(projected, mesh.indices, t, sketch);
  const channels = ground ? 3 : 4;
  const samples = new Uint8Array(size * size * channels);
  const sum = new Float64Array(3);
  for (let pixel = 0; pixel < size * size; pixel++) {
    const first = 2 * Math.floor(pixel / size) * side + 2 * (pixel % size);
    let covered = 0;
    sum.fill(0);
    for (let corner = 0; corner < 4; corner++) {
      const at = first + (corner >> 1) * side + (corner & 1);
      if (sketch.depth[at] === -Infinity) continue;
      covered++;
      if (colors) addColor(sum, colors, mesh.indices, sketch.seen[at], sketch.shade[at]);
      else addMetal(sum, sketch.shade[at]);
    }
    for (let k = 0; k < 3; k++) {
      if (ground) samples[3 * pixel + k] = (sum[k] + ground[k] * (4 - covered)) / 4;
      else if (covered > 0) samples[4 * pixel + k] = sum[k] / covered;
    }
    if (!ground) samples[4 * pixel + 3] = covered * 63.75;
  }
  return { width: size, height: size, channels, samples };
}

/** xyz in pixels (z towards the eye) of each vertex, the whole mesh fitted into the picture. */
function project(positions: Float32Array, side: number): Float32Array {
  const projected = new Float32Array(positions.length);
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i += 3) {
    const x = positions[i];
    const y = positions[i + 1];
    const z = positions[i + 2];
    projected[i] = right[0] * x + right[1] * y + right[2] * z;
    projected[i + 1] = -(up[0] * x + up[1] * y + up[2] * z);
    projected[i + 2] = towards[0] * x + towards[1] * y + towards[2] * z;
    minX = Math.min(minX, projected[i]);
    maxX = Math.max(maxX, projected[i]);
    minY = Math.min(minY, projected[i + 1]);
    maxY = Math.max(maxY, projected[i + 1]);
  }
  const extent = Math.max(maxX - minX, maxY - minY) || 1;
  const scale = (side * 0.92) / extent;
  for (let i = 0; i < projected.length; i += 3) {
    projected[i] = (projected[i] - (minX + maxX) / 2) * scale + side / 2;
    projected[i + 1] = (projected[i + 1] - (minY + maxY) / 2) * scale + side / 2;
    projected[i + 2] *= scale;
  }
  return projected;
}

/** A slight blue, as machined metal has under a cloudy sky. */
function addMetal(sum: Float64Array, tone: number): void {
  sum[0] += tone * 0.94;
  sum[1] += tone * 0.97;
  sum[2] += tone * 1.02;
}

/** The mean colour of a triangle's corners, gently lit: a legend must still be readable in it. */
function addColor(
  sum: Float64Array,
  colors: Uint8Array,
  indices: Uint32Array,
  triangle: number,
  tone: number,
): void {
  const gain = (0.62 + (0.38 * tone) / 245) / 3;
  for (let corner = 0; corner < 3; corner++) {
    const at = 3 * indices[triangle + corner];
    for (let k = 0; k < 3; k++) sum[k] += colors[at + k] * gain;
  }
}

/** A square of pixels: how near what is drawn there is, its grey, and which triangle it is of. */
interface Sketch {
  side: number;
  depth: Float32Array;
  shade: Uint8Array;
  seen: Uint32Array;
}

function drawTriangle(
  p: Float32Array,
  indices: Uint32Array,
  triangle: number,
  { side, depth, shade, seen }: Sketch,
): void {
  const a = 3 * indices[triangle];
  const b = 3 * indices[triangle + 1];
  const c = 3 * indices[triangle + 2];
  // From the first corner to the two others.
  const ux = p[b] - p[a];
  const uy = p[b + 1] - p[a + 1];
  const uz = p[b + 2] - p[a + 2];
  const vx = p[c] - p[a];
  const vy = p[c + 1] - p[a + 1];
  const vz = p[c + 2] - p[a + 2];
  const area = ux * vy - vx * uy;
  if (!(Math.abs(area) > 1e-9)) return;
  const tone = shadeFacet(uy * vz - uz * vy, uz * vx - ux * vz, area);
  const left = Math.max(0, Math.ceil(Math.min(p[a], p[b], p[c]) - 0.5));
  const rightmost = Math.min(side - 1, Math.floor(Math.max(p[a], p[b], p[c]) - 0.5));
  const top = Math.max(0, Math.ceil(Math.min(p[a + 1], p[b + 1], p[c + 1]) - 0.5));
  const bottom = Math.min(side - 1, Math.floor(Math.max(p[a + 1], p[b + 1], p[c + 1]) - 0.5));
  for (let y = top; y <= bottom; y++) {
    const py = y + 0.5 - p[a + 1];
    for (let x = left; x <= rightmost; x++) {
      const px = x + 0.5 - p[a];
      const wb = (px * vy - vx * py) / area;
      const wc = (ux * py - px * uy) / area;
      if (wb < 0 || wc < 0 || wb + wc > 1) continue;
      const z = p[a + 2] + wb * uz + wc * vz;
      const at = y * side + x;
      if (z <= depth[at]) continue;
      depth[at] = z;
      shade[at] = tone;
      seen[at] = triangle;
    }
  }
}

/** Grey of a facet from its normal in picture space (y down, z towards the eye); both sides are lit. */
function shadeFacet(x: number, y: number, z: number): number {
  const length = (z < 0 ? -1 : 1) * Math.sqrt(x * x + y * y + z * z);
  const lit = Math.max(0, (x * light[0] + y * light[1] + z * light[2]) / length);
  return Math.round(60 + 185 * (0.25 * (z / length) + 0.75 * lit));
}

function normalized(vector: number[]): number[] {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
