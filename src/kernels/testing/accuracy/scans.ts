/** Simulated scans of the bodies in docs/accuracy.md. */
import type { Vector3, Volume } from '../../grid/volume.ts';
import { blurVolume } from '../blur.ts';
import { type Body, movedBody, turnedBody } from '../bodies.ts';
import { addNoise } from '../carve.ts';
import { renderBody } from '../render-body.ts';

export type Greys = 'clean' | 'noise' | 'blur' | 'blur and noise';
/** Pose of a body in the grid, and the properties of the grid and its grey values. */
export interface Scan {
  pose: 'along the axes' | 'tilted';
  voxels: 'cubic' | 'anisotropic';
  greys: Greys;
}

export const accuracyVoxelsMm = { cubic: [0.1, 0.1, 0.1], anisotropic: [0.1, 0.1, 0.15] } as const;
/** Standard deviation of the noise, in grey values; material lies 32 000 above air. */
export const accuracyNoise = 1600;
export const accuracyContrast = 32_000;
/** Standard deviation of the blur. */
export const accuracyBlurMm = 0.06;
const tilt: Vector3 = [21, 14, 33];
/** Keeps faces off the planes of the grid, where errors would cancel. */
const shift: Vector3 = [0.013, 0.027, 0.041];
/** Minimum number of air voxels on each side of the body. */
const defaultAround = 6;

export const scanNames = ({ pose, voxels, greys }: Scan): string[] => [pose, voxels, greys];

/** Both poses and both kinds of voxels, with each of the given grey values. */
export const scansWith = (all: readonly Greys[]): Scan[] =>
  (['along the axes', 'tilted'] as const).flatMap((pose) =>
    (['cubic', 'anisotropic'] as const).flatMap((voxels) => all.map((greys) => ({ pose, voxels, greys }))),
  );

/** The last volume rendered, without noise: the next case often needs the same one. */
let newest: { body: Body; key: string; volume: Volume } | undefined;

/** Noise is seeded, so grey values are the same on every machine. */
export function makeScan(body: Body, { pose, voxels, greys }: Scan, aroundCells = defaultAround): Volume {
  const placed = movedBody(pose === 'tilted' ? turnedBody(body, tilt) : body, shift);
  const voxelSizeMm: Vector3 = [...accuracyVoxelsMm[voxels]];
  const dimensions = voxelSizeMm.map((edge, k) =>
    Math.ceil((placed.boundsMm.max[k] - placed.boundsMm.min[k]) / edge + 2 * aroundCells),
  ) as Vector3;
  const isBlurred = greys.includes('blur');
  const key = `${pose}, ${voxels}, ${isBlurred}, ${aroundCells}`;
  if (newest?.body !== body || newest.key !== key) {
    const volume = isBlurred
      ? blurredScan(placed, dimensions, voxelSizeMm)
      : renderBody(placed, { dimensions, voxelSizeMm });
    newest = { body, key, volume };
  }
  const volume = { ...newest.volume, data: newest.volume.data.slice() };
  if (greys.includes('noise')) addNoise(volume, accuracyNoise, 1);
  return volume;
}

/** A scanner blurs before voxels average, so the body is rendered in half-size cells, blurred, then averaged. */
function blurredScan(body: Body, dimensions: Vector3, voxelSizeMm: Vector3): Volume {
  const fine = renderBody(body, {
    dimensions: dimensions.map((n) => 2 * n) as Vector3,
    voxelSizeMm: voxelSizeMm.map((edge) => edge / 2) as Vector3,
    dataType: 'float32',
  });
  blurVolume(fine, accuracyBlurMm);
  const [nx, ny, nz] = dimensions;
  const data = new Uint16Array(nx * ny * nz);
  const steps = [0, 1, 2 * nx, 2 * nx + 1].flatMap((step) => [step, step + 4 * nx * ny]);
  let at = 0;
  for (let z = 0; z < nz; z++) {
    for (let y = 0; y < ny; y++) {
      for (let x = 0; x < nx; x++) {
        const first = 2 * ((2 * z * 2 * ny + 2 * y) * nx + x);
        data[at++] = Math.round(steps.reduce((sum, step) => sum + fine.data[first + step], 0) / 8);
      }
    }
  }
  const originMm = dimensions.map((n, k) => (-(n - 1) / 2) * voxelSizeMm[k]) as Vector3;
  return { ...fine, dimensions, voxelSizeMm, originMm, dataType: 'uint16', data };
}

/** Transforms points and directions from the scan's frame to the body's. */
export function bodyFrame(pose: Scan['pose']) {
  const columns = listColumns(pose === 'tilted' ? tilt : [0, 0, 0]);
  return {
    point: (point: Vector3) => turnedBack(columns, point.map((n, k) => n - shift[k]) as Vector3),
    direction: (direction: Vector3) => turnedBack(columns, direction),
    /** 4 × 4 matrix, row by row: from the body's frame to the scan's */
    toScan: [0, 1, 2].flatMap((k) => [...columns.map((column) => column[k]), shift[k]]).concat([0, 0, 0, 1]),
  };
}

/** Columns of the rotation about x, then y, then z (degrees), as in `turnedBody`. */
function listColumns(degrees: Vector3): Vector3[] {
  const [sx, cx, sy, cy, sz, cz] = degrees.flatMap((angle) => {
    const radians = (angle * Math.PI) / 180;
    return [Math.sin(radians), Math.cos(radians)];
  });
  return [
    [cz * cy, sz * cy, -sy],
    [cz * sy * sx - sz * cx, sz * sy * sx + cz * cx, cy * sx],
    [cz * sy * cx + sz * sx, sz * sy * cx - cz * sx, cy * cx],
  ];
}

const turnedBack = (columns: Vector3[], [x, y, z]: Vector3): Vector3 =>
  columns.map((column) => column[0] * x + column[1] * y + column[2] * z) as Vector3;
