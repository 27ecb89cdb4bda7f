import { identityDirections, type Vector3, type Volume } from '#kernels/grid/volume.ts';
import type { DemoPart } from './parts.ts';
import { reconstruct } from './reconstruct.ts';
import { type Radiographs, type ScanGeometry, scan } from './scanner.ts';

/** How finely the demo is scanned: cells along each axis of a cube, and the scanner. */
export interface DemoScale {
  cells: number;
  /** of the cells, as a multiple of the part's own voxel size */
  voxelSizeFactor: number;
  geometry: ScanGeometry;
}

const distances = { sourceToAxisMm: 120, sourceToDetectorMm: 480 };

/** Small enough to be done in a second or two, fine enough to measure walls of 0.7 mm. */
export const fullScale: DemoScale = {
  cells: 96,
  voxelSizeFactor: 1,
  geometry: { ...distances, columns: 128, rows: 128, pixelSizeMm: 0.4, projections: 100 },
};

/** The same field of view in a fiftieth of the time, where only the way matters. */
export const coarseScale: DemoScale = {
  cells: 32,
  voxelSizeFactor: 3,
  geometry: { ...distances, columns: 43, rows: 43, pixelSizeMm: 1.2, projections: 48 },
};

const FLAT_LEVEL = 50_000;
const PHOTONS_PER_COUNT = 0.3;
/** grey value of air, and how much 1/mm of attenuation adds */
const AIR = 4000;
const GAIN = 120_000;

export interface SimulatedScan {
  volume: Volume;
  radiographs: Radiographs;
}

/** Scans a part and reconstructs it; the same part always gives the same values. */
export function simulate(
  part: Pick<DemoPart, 'layers' | 'seed' | 'voxelSizeMm'>,
  { cells, voxelSizeFactor, geometry }: DemoScale,
): SimulatedScan {
  const voxelSizeMm = part.voxelSizeMm * voxelSizeFactor;
  const noise = { flatLevel: FLAT_LEVEL, photonsPerCount: PHOTONS_PER_COUNT, seed: part.seed };
  const radiographs = scan(part.layers, geometry, noise);
  const { attenuation, dimensions } = reconstruct(radiographs, cells, voxelSizeMm);
  const data = Uint16Array.from(attenuation, (value) =>
    Math.min(65_535, Math.max(0, Math.round(AIR + GAIN * value))),
  );
  const start = -((cells - 1) / 2) * voxelSizeMm;
  const volume: Volume = {
    dimensions,
    voxelSizeMm: [voxelSizeMm, voxelSizeMm, voxelSizeMm] as Vector3,
    originMm: [start, start, start],
    directions: identityDirections(),
    dataType: 'uint16',
    data,
  };
  return { volume, radiographs };
}
