/**
 * Pixels of a texture and their positions on the surface. Every pixel belongs to the triangle nearest to its centre in
 * the picture: the one that covers it or, in the gutter of a chart, the nearest at its border.
 */

export interface FlatMesh {
  /** mm, 3 per vertex; unit normals likewise */
  positions: Float32Array;
  normals: Float32Array;
  indices: Uint32Array;
  /** 2 per vertex, 0 to 1 over the picture */
  coordinates: Float32Array;
  /** 1 per triangle: one of its sides is a border of its chart */
  atBorder: Uint8Array;
}

/** No triangle. As a float it is NaN, so owners can be overwritten by values. */
export const noOwner = 0xffffffff;
/** Gaps between neighbouring triangles due to rounding, in pixels. */
const slack = 1e-3;

/** Position of a pixel's centre in a triangle, or the point of the triangle nearest to it. */
export interface Place {
  /** weights of the corners */
  a: number;
  b: number;
  c: number;
  /** squared distance to the triangle in pixels², 0 inside */
  distance2: number;
}

/** @param p corners in the picture, in pixels: x y x y x y */
export function nearestPlace(p: ArrayLike<number>, x: number, y: number, to: Place): void {
  // Plain variables instead of destructured arrays: this runs several times per pixel.
  const ax = p[0];
  const ay = p[1];
  const bx = p[2];
  const by = p[3];
  const cx = p[4];
  const cy = p[5];
  const double = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
  if (Math.abs(double) > 1e-12) {
    const b = ((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / double;
    const c = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / double;
    if (b >= 0 && c >= 0 && b + c <= 1) {
      to.a = 1 - b - c;
      to.b = b;
      to.c = c;
      to.distance2 = 0;
      return;
    }
  }
  to.distance2 = Infinity;
  for (let k = 0; k < 3; k++) {
    const fx = p[2 * k];
    const fy = p[2 * k + 1];
    const end = k === 2 ? 0 : k + 1;
    const dx = p[2 * end] - fx;
    const dy = p[2 * end + 1] - fy;
    const length2 = dx * dx + dy * dy;
    const along = length2 > 0 ? Math.min(1, Math.max(0, ((x - fx) * dx + (y - fy) * dy) / length2)) : 0;
    const ox = x - fx - along * dx;
    const oy = y - fy - along * dy;
    const distance2 = ox * ox + oy * oy;
    if (distance2 >= to.distance2) continue;
    to.distance2 = distance2;
    to.a = k === 0 ? 1 - along : k === 2 ? along : 0;
    to.b = k === 1 ? 1 - along : k === 0 ? along : 0;
    to.c = k === 2 ? 1 - along : k === 1 ? along : 0;
  }
}

export function cornersPx(
  { indices, coordinates }: FlatMesh,
  t: number,
  sizePx: number,
  to: Float64Array,
): void {
  for (let k = 0; k < 3; k++) {
    const vertex = indices[3 * t + k];
    to[2 * k] = coordinates[2 * vertex] * sizePx;
    to[2 * k + 1] = coordinates[2 * vertex + 1] * sizePx;
  }
}

/** Rows of pixels that a triangle can own. */
function listRows(mesh: FlatMesh, t: number, sizePx: number, reachPx: number): [number, number] {
  const { indices, coordinates } = mesh;
  let low = Infinity;
  let high = -Infinity;
  for (let k = 0; k < 3; k++) {
    const y = coordinates[2 * indices[3 * t + k] + 1] * sizePx;
    low = Math.min(low, y);
    high = Math.max(high, y);
  }
  const reach = mesh.atBorder[t] ? reachPx : slack;
  return [Math.max(0, Math.ceil(low - reach - 0.5)), Math.min(sizePx - 1, Math.floor(high + reach - 0.5))];
}

/** Triangles grouped by the bands of rows in which they can own pixels, in their order. */
export interface Bands {
  /** first entry of each band in `triangles`, and the end of the last */
  starts: Uint32Array;
  triangles: Uint32Array;
}

export function sortIntoBands(mesh: FlatMesh, sizePx: number, reachPx: number, bandRows: number): Bands {
  const bands = Math.ceil(sizePx / bandRows);
  const starts = new Uint32Array(bands + 1);
  const count = mesh.indices.length / 3;
  const each = (visit: (band: number, t: number) => void) => {
    for (let t = 0; t < count; t++) {
      const [low, high] = listRows(mesh, t, sizePx, reachPx);
      for (let band = Math.floor(low / bandRows); band <= Math.floor(high / bandRows); band++) visit(band, t);
    }
  };
  each((band) => {
    starts[band + 1]++;
  });
  for (let band = 0; band < bands; band++) starts[band + 1] += starts[band];
  const at = starts.slice(0, bands);
  const triangles = new Uint32Array(starts[bands]);
  each((band, t) => {
    triangles[at[band]++] = t;
  });
  return { starts, triangles };
}

/**
 * Finds the owner of each pixel of some rows: the nearest triangle, the first of equally near ones.
 * @param triangles those that can own one of these pixels, ascending
 * @param reachPx how far a chart's pixels extend beyond it
 * @param owners sizePx · (rowTo − rowFrom)
 */
export function ownTexels(
  mesh: FlatMesh,
  triangles: Uint32Array,
  picture: { sizePx: number; reachPx: number; rowFrom: number; rowTo: number },
  owners: Uint32Array,
): void {
  const { sizePx, reachPx, rowFrom, rowTo } = picture;
  const distances = new Float32Array(owners.length).fill(Infinity);
  owners.fill(noOwner);
  const p = new Float64Array(6);
  const place: Place = { a: 0, b: 0, c: 0, distance2: 0 };
  for (const t of triangles) {
    cornersPx(mesh, t, sizePx, p);
    const reach = mesh.atBorder[t] ? reachPx : slack;
    const x0 = Math.max(0, Math.ceil(Math.min(p[0], p[2], p[4]) - reach - 0.5));
    const x1 = Math.min(sizePx - 1, Math.floor(Math.max(p[0], p[2], p[4]) + reach - 0.5));
    const y0 = Math.max(rowFrom, Math.ceil(Math.min(p[1], p[3], p[5]) - reach - 0.5));
    const y1 = Math.min(rowTo - 1, Math.floor(Math.max(p[1], p[3], p[5]) + reach - 0.5));
    for (let y = y0; y <= y1; y++) {
      for (let x = x0; x <= x1; x++) {
        nearestPlace(p, x + 0.5, y + 0.5, place);
        const at = (y - rowFrom) * sizePx + x;
        if (place.distance2 > reach * reach || place.distance2 >= distances[at]) continue;
        distances[at] = place.distance2;
        owners[at] = t;
      }
    }
  }
}

/** Transform from the scan's frame to cells: rows of a 3 × 4 matrix. */
export type ToCells = readonly number[];

/** The point below the surface (in cells) that a pixel shows. */
export function cellUnder(
  mesh: FlatMesh,
  t: number,
  place: Place,
  depthMm: number,
  toCells: ToCells,
  to: Float64Array,
): void {
  const { positions, normals, indices } = mesh;
  const a = 3 * indices[3 * t];
  const b = 3 * indices[3 * t + 1];
  const c = 3 * indices[3 * t + 2];
  const wa = place.a;
  const wb = place.b;
  const wc = place.c;
  const nx = normals[a] * wa + normals[b] * wb + normals[c] * wc;
  const ny = normals[a + 1] * wa + normals[b + 1] * wb + normals[c + 1] * wc;
  const nz = normals[a + 2] * wa + normals[b + 2] * wb + normals[c + 2] * wc;
  const length = Math.sqrt(nx * nx + ny * ny + nz * nz);
  const down = length > 0 ? depthMm / length : 0;
  const x = positions[a] * wa + positions[b] * wb + positions[c] * wc - nx * down;
  const y = positions[a + 1] * wa + positions[b + 1] * wb + positions[c + 1] * wc - ny * down;
  const z = positions[a + 2] * wa + positions[b + 2] * wb + positions[c + 2] * wc - nz * down;
  for (let k = 0; k < 3; k++) {
    to[k] = toCells[4 * k] * x + toCells[4 * k + 1] * y + toCells[4 * k + 2] * z + toCells[4 * k + 3];
  }
}
