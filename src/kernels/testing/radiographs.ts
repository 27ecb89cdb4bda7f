/** Radiographs of bodies whose every ray is known: exact line integrals for the tests of reconstructions. */
import { identityDirections, slabsOf, type Vector3 } from '../grid/volume.ts';
import { seededNormal } from '../phantoms/random.ts';
import type { ScanGeometry } from '../reconstruction/geometry.ts';
import type { Radiographs } from '../reconstruction/reconstruct.ts';

/** Attenuation adds up where bodies overlap. In mm and 1/mm, in the part's frame. */
export type RayBody = { attenuation: number; center: Vector3 } & (
  | { kind: 'ellipsoid'; radiiMm: Vector3 }
  | { kind: 'cylinder'; radiusMm: number; heightMm: number }
);

/** Length of the line from + t·ray (|ray| = 1) inside a body. */
function chord(body: RayBody, from: Vector3, ray: Vector3): number {
  const [x, y, z] = from.map((value, k) => value - body.center[k]);
  if (body.kind === 'ellipsoid') {
    const [a, b, c] = body.radiiMm;
    const dd = (ray[0] / a) ** 2 + (ray[1] / b) ** 2 + (ray[2] / c) ** 2;
    const pd = (x * ray[0]) / (a * a) + (y * ray[1]) / (b * b) + (z * ray[2]) / (c * c);
    const pp = (x / a) ** 2 + (y / b) ** 2 + (z / c) ** 2 - 1;
    const root = pd * pd - dd * pp;
    return root > 0 ? (2 * Math.sqrt(root)) / dd : 0;
  }
  const dd = ray[0] ** 2 + ray[1] ** 2;
  const pd = x * ray[0] + y * ray[1];
  const root = pd * pd - dd * (x * x + y * y - body.radiusMm ** 2);
  if (root <= 0) return 0;
  const [t0, t1] = [(-pd - Math.sqrt(root)) / dd, (-pd + Math.sqrt(root)) / dd];
  if (ray[2] === 0) return Math.abs(z) < body.heightMm / 2 ? t1 - t0 : 0;
  const caps = [(-body.heightMm / 2 - z) / ray[2], (body.heightMm / 2 - z) / ray[2]].sort((a, b) => a - b);
  return Math.max(0, Math.min(t1, caps[1]) - Math.max(t0, caps[0]));
}

export interface SimulatedScan {
  bodies: RayBody[];
  geometry: ScanGeometry;
  /** rays along each side of a pixel, of which it shows the mean */
  oversampling?: number;
  /** counts behind nothing; line integrals are given without it */
  flatLevel?: number;
  /** standard deviation of what is added to each line integral */
  noise?: number;
}

/** Projections as a source of slabs, f32 line integrals, or uint16 counts when there is a flat level. */
export function simulateRadiographs(scan: SimulatedScan): Radiographs {
  const { geometry, bodies, oversampling = 1, flatLevel, noise = 0 } = scan;
  const { columns, rows, pixelSizeMm, anglesDeg, detector, beam } = geometry;
  const values = new Float32Array(columns * rows * anglesDeg.length);
  const normal = seededNormal(5);
  const offsets = Array.from({ length: oversampling }, (_, k) => (k + 0.5) / oversampling - 0.5);
  let at = 0;
  for (const angleDeg of anglesDeg) {
    const [cos, sin] = [Math.cos((angleDeg * Math.PI) / 180), Math.sin((angleDeg * Math.PI) / 180)];
    const turned = ([x, y, z]: number[]): Vector3 => [x * cos - y * sin, x * sin + y * cos, z];
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        let sum = 0;
        for (const dv of offsets) {
          for (const du of offsets) {
            const u = (column + du - (columns - 1) / 2) * pixelSizeMm[0];
            const v = (row + dv - (rows - 1) / 2) * pixelSizeMm[1];
            const pixel = [0, 1, 2].map(
              (k) => detector.centerMm[k] + u * detector.alongColumns[k] + v * detector.alongRows[k],
            );
            const source =
              beam === 'parallel'
                ? [pixel[0] + 1, pixel[1], pixel[2]]
                : [geometry.sourceToAxisMm, 0, beam === 'fan' ? pixel[2] : 0];
            const ray = pixel.map((value, k) => value - source[k]);
            const length = Math.hypot(...ray);
            const [from, unit] = [turned(source), turned(ray.map((value) => value / length))];
            for (const body of bodies) sum += body.attenuation * chord(body, from, unit);
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
    projections: slabsOf({
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
