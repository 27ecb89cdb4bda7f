/** Rasterization: the nearest triangle of a surface at each sample of a picture. */
import { type Camera, distanceMm, frame } from '../grid/camera.ts';
import { type CutAway, isAnythingCut, isCutAway } from '../grid/cut-away.ts';
import { spanTriangle } from '../mesh/span-triangle.ts';

export interface Surface {
  /** 3 · vertices, mm */
  positions: Float32Array;
  /** 3 · vertices, unit length; null = flat shading */
  normals: Float32Array | null;
  indices: Uint32Array;
}

/** Nearest triangle (by its first index) at each sample of some rows, with barycentric weights. */
export interface Band {
  width: number;
  top: number;
  bottom: number;
  /** rows above and below needed for lines of the outermost pixels */
  margin: number;
  depth: Float32Array;
  /** three per sample, if lines are drawn */
  normals: Float32Array;
  /** also `onGrey` and `onPlain` where a section cap is nearer; −1 = nothing */
  triangles: Int32Array;
  /** two per sample: weights of the second and third corner; for a section cap its grey, 0 to 1, and its face */
  weights: Float32Array;
}

/** Up to so many samples of a row are all checked: finding the ends of the row inside a triangle takes longer. */
const FEW_SAMPLES = 8;
/** Values in place of a triangle: section caps with the grey values of the scan, and in one colour. */
export const [onGrey, onPlain] = [-2, -3] as const;

/** x and y in samples, then the distance before the eye (less is nearer; negative = behind it) of each vertex. */
export function project(
  positions: Float32Array,
  camera: Camera,
  width: number,
  height: number,
): Float32Array {
  const { right, up, towards } = frame(camera);
  const { target, heightMm, projection } = camera;
  const away = distanceMm(heightMm);
  const scale = height / heightMm;
  const out = new Float32Array(positions.length);
  for (let i = 0; i < positions.length; i += 3) {
    const x = positions[i] - target[0];
    const y = positions[i + 1] - target[1];
    const z = positions[i + 2] - target[2];
    const depth = away - (towards[0] * x + towards[1] * y + towards[2] * z);
    const k = projection === 'perspective' ? (scale * away) / depth : scale;
    out[i] = width / 2 + (right[0] * x + right[1] * y + right[2] * z) * k;
    out[i + 1] = height / 2 - (up[0] * x + up[1] * y + up[2] * z) * k;
    out[i + 2] = depth;
  }
  return out;
}

/** Callback for a triangle (by its first index) that is nearest at a sample, with the weights of two corners. */
export type NoteSample = (at: number, t: number, wb: number, wc: number, depth: number) => void;

/**
 * Records the triangle wherever it is nearest.
 * @param note called for each such sample instead of recording in the band, which then stays unchanged
 */
export function placeTriangle(
  band: Band,
  { indices, positions }: Surface,
  { camera, cuts }: { camera: Camera; cuts: CutAway },
  p: Float32Array,
  t: number,
  note: NoteSample | null = null,
): void {
  const [a, b, c] = [3 * indices[t], 3 * indices[t + 1], 3 * indices[t + 2]];
  const [ay, by, cy] = [p[a + 1], p[b + 1], p[c + 1]];
  const top = Math.max(band.top, Math.ceil(Math.min(ay, by, cy) - 0.5));
  const bottom = Math.min(band.bottom - 1, Math.floor(Math.max(ay, by, cy) - 0.5));
  // Most triangles lie in other bands.
  if (!(top <= bottom)) return;
  const [ax, bx, cx] = [p[a], p[b], p[c]];
  const [az, bz, cz] = [p[a + 2], p[b + 2], p[c + 2]];
  const isPerspective = camera.projection === 'perspective';
  if (isPerspective && !(az > 0 && bz > 0 && cz > 0)) return;
  const area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
  if (!(Math.abs(area) > 1e-9)) return;
  const left = Math.max(0, Math.ceil(Math.min(ax, bx, cx) - 0.5));
  const rightmost = Math.min(band.width - 1, Math.floor(Math.max(ax, bx, cx) - 0.5));
  if (left > rightmost) return;
  const isCut = isAnythingCut(cuts);
  // The weights are linear in x and y, so a sample takes two products.
  const [wbx, wby, wcx, wcy] = [(cy - ay) / area, (ax - cx) / area, (ay - by) / area, (bx - ax) / area];
  const { depth: nearest, triangles, weights } = band;
  for (let y = top; y <= bottom; y++) {
    const apy = y + 0.5 - ay;
    const wbRow = apy * wby;
    const wcRow = apy * wcy;
    const row = (y - band.top) * band.width;
    let from = left;
    let to = rightmost;
    if (rightmost - left > FEW_SAMPLES) {
      // The part of the row inside each edge, widened by a sample against rounding, because all are checked again.
      const b0 = ax - 0.5 - wbRow / wbx;
      const c0 = ax - 0.5 - wcRow / wcx;
      const a0 = ax - 0.5 + (1 - wbRow - wcRow) / (wbx + wcx);
      if (wbx > 0) from = Math.max(from, Math.floor(b0));
      else if (wbx < 0) to = Math.min(to, Math.ceil(b0));
      if (wcx > 0) from = Math.max(from, Math.floor(c0));
      else if (wcx < 0) to = Math.min(to, Math.ceil(c0));
      if (wbx + wcx < 0) from = Math.max(from, Math.floor(a0));
      else if (wbx + wcx > 0) to = Math.min(to, Math.ceil(a0));
    }
    for (let x = from; x <= to; x++) {
      const apx = x + 0.5 - ax;
      let wb = apx * wbx + wbRow;
      let wc = apx * wcx + wcRow;
      let wa = 1 - wb - wc;
      if (wa < 0 || wb < 0 || wc < 0) continue;
      let depth = wa * az + wb * bz + wc * cz;
      if (isPerspective) {
        depth = 1 / (wa / az + wb / bz + wc / cz);
        wa = (wa * depth) / az;
        wb = (wb * depth) / bz;
        wc = (wc * depth) / cz;
      }
      const at = row + x;
      if (depth >= nearest[at]) continue;
      if (isCut) {
        const px = wa * positions[a] + wb * positions[b] + wc * positions[c];
        const py = wa * positions[a + 1] + wb * positions[b + 1] + wc * positions[c + 1];
        const pz = wa * positions[a + 2] + wb * positions[b + 2] + wc * positions[c + 2];
        if (isCutAway(cuts, px, py, pz)) continue;
      }
      if (note) {
        note(at, t, wb, wc, depth);
        continue;
      }
      nearest[at] = depth;
      triangles[at] = t;
      weights[2 * at] = wb;
      weights[2 * at + 1] = wc;
    }
  }
}

/** Whether the front of a triangle faces the eye. As y runs down, its orientation is reversed in the picture. */
export function facesEye({ indices }: Surface, points: Float32Array, t: number): boolean {
  const [a, b, c] = [3 * indices[t], 3 * indices[t + 1], 3 * indices[t + 2]];
  return (
    (points[b] - points[a]) * (points[c + 1] - points[a + 1]) -
      (points[c] - points[a]) * (points[b + 1] - points[a + 1]) <
    0
  );
}

/** The unit normal at a place of the triangle whose first index is `t`; reversed where its back is visible. */
export function unitNormalAt(
  { indices, positions, normals }: Surface,
  t: number,
  wb: number,
  wc: number,
  isFront: boolean,
  found: Float64Array,
): void {
  const a = 3 * indices[t];
  const b = 3 * indices[t + 1];
  const c = 3 * indices[t + 2];
  if (normals) {
    const wa = 1 - wb - wc;
    found[0] = normals[a] * wa + normals[b] * wb + normals[c] * wc;
    found[1] = normals[a + 1] * wa + normals[b + 1] * wb + normals[c + 1] * wc;
    found[2] = normals[a + 2] * wa + normals[b + 2] * wb + normals[c + 2] * wc;
  } else spanTriangle(positions, a, b, c, found);
  const x = found[0];
  const y = found[1];
  const z = found[2];
  const scale = (isFront ? 1 : -1) / (Math.sqrt(x * x + y * y + z * z) || 1);
  found[0] = x * scale;
  found[1] = y * scale;
  found[2] = z * scale;
}
