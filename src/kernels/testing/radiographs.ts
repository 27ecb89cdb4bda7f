/** Radiographs of bodies from exact line integrals, for tests of reconstructions. */
import { rotate } from '../grid/vectors.ts';
import { identityDirections, makeSlabs, type Vector3 } from '../grid/volume.ts';
import { seededNormal } from '../random.ts';
import type { ScanGeometry } from '../reconstruction/geometry.ts';
import type { Radiographs } from '../reconstruction/plan.ts';

/** Attenuation adds up where bodies overlap. In mm and 1/mm, in the part's frame. */
export type RayBody = { attenuation: number; center: Vector3 } & (
  | { kind: 'ellipsoid'; radiiMm: Vector3 }
  | { kind: 'cylinder'; radiusMm: number; heightMm: number }
  | { kind: 'box'; sizeMm: Vector3 }
);

/**
 * Position of the part on the turntable: translated (in its own frame), then rotated about x, then y, then z (degrees).
 */
export interface RayPose {
  turnDeg: Vector3;
  shiftMm: Vector3;
}

/** Length of the line (x, y, z) + t·(dx, dy, dz) inside a body; the direction has length 1. */
function chord(
  body: RayBody,
  fromX: number,
  fromY: number,
  fromZ: number,
  dx: number,
  dy: number,
  dz: number,
): number {
  const x = fromX - body.center[0];
  const y = fromY - body.center[1];
  const z = fromZ - body.center[2];
  if (body.kind === 'ellipsoid') {
    const a2 = body.radiiMm[0] ** 2;
    const b2 = body.radiiMm[1] ** 2;
    const c2 = body.radiiMm[2] ** 2;
    const dd = (dx * dx) / a2 + (dy * dy) / b2 + (dz * dz) / c2;
    const pd = (x * dx) / a2 + (y * dy) / b2 + (z * dz) / c2;
    const pp = (x * x) / a2 + (y * y) / b2 + (z * z) / c2 - 1;
    const root = pd * pd - dd * pp;
    return root > 0 ? (2 * Math.sqrt(root)) / dd : 0;
  }
  if (body.kind === 'box') {
    const [a, b, c] = body.sizeMm;
    let from = Math.max(lowCut(x, dx, a), lowCut(y, dy, b), lowCut(z, dz, c));
    let to = Math.min(highCut(x, dx, a), highCut(y, dy, b), highCut(z, dz, c));
    if (!(to > from)) [from, to] = [0, 0];
    return to - from;
  }
  const dd = dx * dx + dy * dy;
  const pd = x * dx + y * dy;
  const root = pd * pd - dd * (x * x + y * y - body.radiusMm ** 2);
  if (root <= 0) return 0;
  const t0 = (-pd - Math.sqrt(root)) / dd;
  const t1 = (-pd + Math.sqrt(root)) / dd;
  const half = body.heightMm / 2;
  if (dz === 0) return Math.abs(z) < half ? t1 - t0 : 0;
  const bottom = (-half - z) / dz;
  const top = (half - z) / dz;
  return Math.max(0, Math.min(t1, Math.max(bottom, top)) - Math.max(t0, Math.min(bottom, top)));
}

/** Where a line enters and leaves a slab of this width about 0. */
const lowCut = (start: number, step: number, width: number) =>
  step === 0
    ? Math.abs(start) < width / 2
      ? Number.NEGATIVE_INFINITY
      : Number.POSITIVE_INFINITY
    : (-Math.sign(step) * (width / 2) - start) / step;
const highCut = (start: number, step: number, width: number) =>
  step === 0 ? Number.POSITIVE_INFINITY : (Math.sign(step) * (width / 2) - start) / step;

/** Rows of the matrix that transforms the rotating frame at an angle into the part's frame. */
function turnToPart(angleDeg: number, pose: RayPose | undefined): number[] {
  const axes: [Vector3, number][] = [
    [[0, 0, 1], angleDeg],
    ...(pose?.turnDeg.map((angle, k): [Vector3, number] => [unitVectors[k], -angle]).reverse() ?? []),
  ];
  const columns = unitVectors.map((start) =>
    axes.reduce((at, [axis, degrees]) => rotate(at, axis, (degrees * Math.PI) / 180), start),
  );
  return [0, 1, 2].flatMap((row) => columns.map((column) => column[row]));
}
const unitVectors: Vector3[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

export interface SimulatedScan {
  bodies: RayBody[];
  pose?: RayPose;
  geometry: ScanGeometry;
  /** rays along each side of a pixel, which shows their mean */
  oversampling?: number;
  /** counts of the free beam; when absent, line integrals are returned */
  flatLevel?: number;
  /** standard deviation of the noise added to each line integral */
  noise?: number;
}

/** Projections as a source of slabs: f32 line integrals, or uint16 counts when there is a flat level. */
export function simulateRadiographs(scan: SimulatedScan): Radiographs {
  const { geometry, bodies, pose, oversampling = 1, flatLevel, noise = 0 } = scan;
  const { columns, rows, pixelSizeMm, anglesDeg, beam } = geometry;
  const values = new Float32Array(columns * rows * anglesDeg.length);
  const normal = seededNormal(5);
  const offsets = Array.from({ length: oversampling }, (_, k) => (k + 0.5) / oversampling - 0.5);
  let at = 0;
  for (const [p, angleDeg] of anglesDeg.entries()) {
    const view = geometry.views?.[p];
    // Per-view poses are given in the fixed frame.
    const [xx, xy, xz, yx, yy, yz, zx, zy, zz] = turnToPart(view ? 0 : angleDeg, pose);
    const [shiftX, shiftY, shiftZ] = pose?.shiftMm ?? [0, 0, 0];
    const { alongColumns, alongRows, centerMm } = (view ?? geometry).detector;
    const [centerX, centerY, centerZ] = centerMm;
    const [ownX, ownY, ownZ] = view?.sourceMm ?? [geometry.sourceToAxisMm, 0, 0];
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        let sum = 0;
        // Separate numbers instead of vectors: there are millions of rays.
        for (const dv of offsets) {
          const v = (row + dv - (rows - 1) / 2) * pixelSizeMm[1];
          for (const du of offsets) {
            const u = (column + du - (columns - 1) / 2) * pixelSizeMm[0];
            const pixelX = centerX + u * alongColumns[0] + v * alongRows[0];
            const pixelY = centerY + u * alongColumns[1] + v * alongRows[1];
            const pixelZ = centerZ + u * alongColumns[2] + v * alongRows[2];
            const sourceX = beam === 'parallel' ? pixelX + 1 : ownX;
            const sourceY = beam === 'parallel' ? pixelY : ownY;
            const sourceZ = beam === 'cone' ? ownZ : pixelZ;
            const rayX = pixelX - sourceX;
            const rayY = pixelY - sourceY;
            const rayZ = pixelZ - sourceZ;
            const length = Math.sqrt(rayX * rayX + rayY * rayY + rayZ * rayZ);
            const fromX = sourceX * xx + sourceY * xy + sourceZ * xz - shiftX;
            const fromY = sourceX * yx + sourceY * yy + sourceZ * yz - shiftY;
            const fromZ = sourceX * zx + sourceY * zy + sourceZ * zz - shiftZ;
            const dx = (rayX * xx + rayY * xy + rayZ * xz) / length;
            const dy = (rayX * yx + rayY * yy + rayZ * yz) / length;
            const dz = (rayX * zx + rayY * zy + rayZ * zz) / length;
            for (const body of bodies) sum += body.attenuation * chord(body, fromX, fromY, fromZ, dx, dy, dz);
          }
        }
        values[at++] = sum / oversampling ** 2 + (noise > 0 ? noise * normal() : 0);
      }
    }
  }
  const data = flatLevel
    ? Uint16Array.from(values, (value) => Math.round(flatLevel * Math.exp(-value)))
    : values;
  return {
    geometry,
    values: flatLevel ? 'counts' : 'lineIntegrals',
    flatLevel,
    projections: makeSlabs({
      dimensions: [columns, rows, anglesDeg.length],
      voxelSizeMm: [1, 1, 1],
      originMm: [0, 0, 0],
      directions: identityDirections(),
      dataType: flatLevel ? 'uint16' : 'float32',
      data,
    }),
  };
}

export const anglesOver = (rangeDeg: number, count: number, firstDeg = 0): number[] =>
  Array.from({ length: count }, (_, k) => firstDeg + (rangeDeg * k) / count);
