import { identityDirections, type Vector3, type Volume } from '#kernels/grid/volume.ts';
import type { DemoPart } from './parts.ts';
import { reconstruct } from './reconstruct.ts';
import { type Radiographs, type ScanGeometry, scan } from './scanner.ts';

/** Small enough to be done in a second or two, fine enough to measure walls of 0.7 mm. */
const CELLS = 96;
const FLAT_LEVEL = 50_000;
const PHOTONS_PER_COUNT = 0.3;
/** grey value of air, and how much 1/mm of attenuation adds */
const AIR = 4000;
const GAIN = 120_000;

export const demoGeometry: ScanGeometry = {
  sourceToAxisMm: 120,
  sourceToDetectorMm: 480,
  columns: 128,
  rows: 128,
  pixelSizeMm: 0.4,
  projections: 100,
};

export interface SimulatedScan {
  volume: Volume;
  radiographs: Radiographs;
}

/** Scans a part and reconstructs it; the same part always gives the same values. */
export function simulate(
  part: Pick<DemoPart, 'layers' | 'seed' | 'voxelSizeMm'>,
  cells = CELLS,
  geometry = demoGeometry,
): SimulatedScan {
  const noise = { flatLevel: FLAT_LEVEL, photonsPerCount: PHOTONS_PER_COUNT, seed: part.seed };
  const radiographs = scan(part.layers, geometry, noise);
  const { attenuation, dimensions } = reconstruct(radiographs, cells, part.voxelSizeMm);
  const data = Uint16Array.from(attenuation, (value) =>
    Math.min(65_535, Math.max(0, Math.round(AIR + GAIN * value))),
  );
  const start = -((cells - 1) / 2) * part.voxelSizeMm;
  const volume: Volume = {
    dimensions,
    voxelSizeMm: [part.voxelSizeMm, part.voxelSizeMm, part.voxelSizeMm] as Vector3,
    originMm: [start, start, start],
    directions: identityDirections(),
    dataType: 'uint16',
    data,
  };
  return { volume, radiographs };
}
