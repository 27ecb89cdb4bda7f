/** Reconstructions of bodies with exact line integrals, and the errors of their grey values. */
import type { KernelPool } from '../arena.ts';
import { plainDetector, type ScanGeometry } from '../reconstruction/geometry.ts';
import type { Radiographs, ReconstructionFacts, ReconstructionOptions } from '../reconstruction/plan.ts';
import { reconstructValues } from '../reconstruction/reconstruct-values.ts';
import { anglesOver, type RayBody, type SimulatedScan, simulateRadiographs } from './radiographs.ts';

/** An ellipsoid with an off-centre denser core, and a small ball beside it. */
const bodies: RayBody[] = [
  { kind: 'ellipsoid', attenuation: 0.1, center: [2, -1, 0.5], radiiMm: [12, 9, 8] },
  { kind: 'cylinder', attenuation: 0.1, center: [-4, 2, 0], radiusMm: 3, heightMm: 5 },
  { kind: 'ellipsoid', attenuation: 0.2, center: [12, 10, 0], radiiMm: [2, 2, 2] },
];
export const cone: ScanGeometry = {
  beam: 'cone',
  sourceToAxisMm: 150,
  sourceToDetectorMm: 450,
  columns: 96,
  rows: 24,
  pixelSizeMm: [1.2, 1.2],
  anglesDeg: anglesOver(360, 150),
  detector: plainDetector(150, 450),
};

export interface ScanGeometryCase {
  name: string;
  geometry: ScanGeometry;
  /** column in which the axis of rotation appears */
  centerColumn: number;
  /** how it was determined */
  by: string;
}
export const shifted = (offsetMm: [number, number]) => plainDetector(150, 450, { offsetMm });
const tilted = (rollDeg: number, slantDeg: number) => {
  const [roll, slant] = [(rollDeg * Math.PI) / 180, (slantDeg * Math.PI) / 180];
  return {
    centerMm: [-300, 0, 0] as [number, number, number],
    alongColumns: [Math.sin(slant) * Math.cos(roll), Math.cos(slant) * Math.cos(roll), Math.sin(roll)] as [
      number,
      number,
      number,
    ],
    alongRows: [Math.sin(slant) * Math.sin(roll), Math.cos(slant) * Math.sin(roll), -Math.cos(roll)] as [
      number,
      number,
      number,
    ],
  };
};
export const parallel: ScanGeometry = {
  ...cone,
  beam: 'parallel',
  pixelSizeMm: [0.4, 0.4],
  rows: 8,
  anglesDeg: anglesOver(180, 150),
  detector: plainDetector(0, 1, { offsetMm: [-0.7, 0] }),
};
export const fan: ScanGeometry = {
  ...cone,
  beam: 'fan',
  rows: 8,
  pixelSizeMm: [1.2, 0.4],
  detector: shifted([-1.5, 0]),
};

export const scanCases: ScanGeometryCase[] = [
  {
    name: 'cone, full turn',
    geometry: { ...cone, detector: shifted([-1.47, 0]) },
    centerColumn: 47.5 + 1.47 / 1.2,
    by: 'symmetry',
  },
  {
    name: 'cone, mirrored pictures with rows upward, turning backward from 70°',
    geometry: {
      ...cone,
      anglesDeg: anglesOver(-360, 150, 70),
      detector: plainDetector(150, 450, { mirrored: true, rowsUp: true, offsetMm: [2.1, 1.4] }),
    },
    centerColumn: 47.5 - 2.1 / 1.2,
    by: 'symmetry',
  },
  {
    name: 'cone, short scan with Parker weights',
    geometry: { ...cone, anglesDeg: anglesOver(205, 120, 30), detector: shifted([-1.47, 0]) },
    centerColumn: 47.5 + 1.47 / 1.2,
    by: 'slice',
  },
  {
    name: 'cone, detector rolled by 15° and slanted by 2°',
    geometry: { ...cone, detector: tilted(15, 2) },
    centerColumn: 47.5,
    by: 'symmetry',
  },
  { name: 'parallel, half a turn', geometry: parallel, centerColumn: 47.5 + 0.7 / 0.4, by: 'slice' },
  {
    name: 'parallel, half a turn with both ends',
    geometry: { ...parallel, anglesDeg: [...anglesOver(180, 150), 180] },
    centerColumn: 47.5 + 0.7 / 0.4,
    by: 'slice',
  },
  {
    name: 'parallel, full turn',
    geometry: { ...parallel, anglesDeg: anglesOver(360, 150) },
    centerColumn: 47.5 + 0.7 / 0.4,
    by: 'symmetry',
  },
  { name: 'fan, full turn', geometry: fan, centerColumn: 47.5 + 1.5 / 1.2, by: 'symmetry' },
  {
    name: 'fan, short scan clockwise',
    geometry: { ...fan, anglesDeg: anglesOver(-220, 130) },
    centerColumn: 47.5 + 1.5 / 1.2,
    by: 'slice',
  },
];

export interface Reconstructed {
  facts: ReconstructionFacts;
  values: Float32Array;
  /** mean over a ball */
  mean: (x: number, y: number, z: number, radiusMm: number) => number;
}

export async function reconstructed(
  radiographs: Radiographs,
  pool: KernelPool,
  options: Partial<ReconstructionOptions> = {},
): Promise<Reconstructed> {
  const all = { maxDimension: 256, filter: 'ramLak' as const, ...options };
  const { facts, values } = await reconstructValues(radiographs, pool, all);
  const { dimensions, originMm, voxelSizeMm } = facts.grid;
  const mean: Reconstructed['mean'] = (x, y, z, radiusMm) => {
    let sum = 0;
    let count = 0;
    for (let n = 0; n < values.length; n++) {
      const [i, j] = [n % dimensions[0], Math.floor(n / dimensions[0]) % dimensions[1]];
      const k = Math.floor(n / (dimensions[0] * dimensions[1]));
      const distance = Math.hypot(
        originMm[0] + i * voxelSizeMm - x,
        originMm[1] + j * voxelSizeMm - y,
        originMm[2] + k * voxelSizeMm - z,
      );
      if (distance > radiusMm) continue;
      sum += values[n];
      count++;
    }
    return sum / count;
  };
  return { facts, values, mean };
}

export const makeScan = (geometry: ScanGeometry, more: Partial<SimulatedScan> = {}) =>
  simulateRadiographs({ bodies, geometry, ...more });

/** Relative errors of the solid and of its core; the error of the air as a share of the solid's grey value. */
export const greyErrors = ({ mean }: Reconstructed) => ({
  solid: mean(5, -3, 0, 2.5) / 0.1 - 1,
  core: mean(-4, 2, 0, 1.5) / 0.2 - 1,
  air: mean(-11, -9, 0, 2) / 0.1,
});
