import {
  identityDirections,
  type SlabSource,
  slabsOf,
  type Vector3,
  type Volume,
} from '#kernels/grid/volume.ts';
import type { KernelPool } from '#kernels/pool.ts';
import { type GeometryDescription, scanGeometryOf } from '#kernels/reconstruction/description.ts';
import { reconstruct } from '#kernels/reconstruction/reconstruct.ts';
import type { DemoPart } from './parts.ts';
import { type Radiographs, type ScanGeometry, scan } from './scanner.ts';

/** How finely the demo is scanned: cells along each axis of a cube, and the scanner. */
export interface DemoScale {
  cells: number;
  /** of the cells, as a multiple of the part's own voxel size */
  voxelSizeFactor: number;
  geometry: ScanGeometry;
}

const distances = { sourceToAxisMm: 120, sourceToDetectorMm: 480 };

/**
 * Small enough to be done in a second, fine enough to measure walls of 0.7 mm. The detector is as large as the
 * shadows: parts reach 5.4 mm from the axis and 3.9 mm up and down.
 */
export const fullScale: DemoScale = {
  cells: 96,
  voxelSizeFactor: 1,
  geometry: { ...distances, columns: 112, rows: 96, pixelSizeMm: 0.4, projections: 100 },
};

/** The same field of view in a fiftieth of the time, where only the way matters. */
export const coarseScale: DemoScale = {
  cells: 32,
  voxelSizeFactor: 3,
  geometry: { ...distances, columns: 38, rows: 32, pixelSizeMm: 1.2, projections: 48 },
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

/** How the simulated scanner takes its radiographs, in the words of the import. */
export const describeGeometry = ({
  sourceToAxisMm,
  sourceToDetectorMm,
}: ScanGeometry): GeometryDescription => ({
  beam: 'cone',
  sourceToAxisMm,
  sourceToDetectorMm,
  totalAngleDeg: 360,
  turntable: 'clockwise',
  firstRow: 'bottom',
});

/** Scans a part and reconstructs it; the same part always gives the same values. */
export async function simulate(
  part: Pick<DemoPart, 'layers' | 'seed' | 'voxelSizeMm'>,
  { cells, voxelSizeFactor, geometry }: DemoScale,
  pool: KernelPool,
): Promise<SimulatedScan> {
  const voxelSizeMm = part.voxelSizeMm * voxelSizeFactor;
  const noise = { flatLevel: FLAT_LEVEL, photonsPerCount: PHOTONS_PER_COUNT, seed: part.seed };
  const radiographs = scan(part.layers, geometry, noise);
  const start = -((cells - 1) / 2) * voxelSizeMm;
  const originMm: Vector3 = [start, start, start];
  const dimensions: Vector3 = [cells, cells, cells];
  const data = new Uint16Array(cells ** 3);
  let at = 0;
  const take = async (planes: Float32Array) => {
    for (const value of planes) {
      data[at++] = Math.min(65_535, Math.max(0, Math.round(AIR + GAIN * value)));
    }
  };
  await reconstruct(
    {
      geometry: scanGeometryOf(describeGeometry(geometry), {
        ...geometry,
        pixelSizeMm: [geometry.pixelSizeMm, geometry.pixelSizeMm],
      }).geometry,
      projections: radiographSlabs(radiographs),
      values: 'counts',
      flatLevel: FLAT_LEVEL,
    },
    pool,
    {
      maxDimension: cells,
      cells: { dimensions, voxelSizeMm, originMm, radiusMm: cells * voxelSizeMm },
      filter: 'ramLak',
      centerOfRotationMm: 0,
    },
    async () => take,
  );
  const volume: Volume = {
    dimensions,
    voxelSizeMm: [voxelSizeMm, voxelSizeMm, voxelSizeMm],
    originMm,
    directions: identityDirections(),
    dataType: 'uint16',
    data,
  };
  return { volume, radiographs };
}

/** Columns, rows, projections as the three axes. */
export function radiographSlabs({ geometry, counts }: Radiographs): SlabSource {
  const { columns, rows, projections, pixelSizeMm } = geometry;
  return slabsOf({
    dimensions: [columns, rows, projections],
    voxelSizeMm: [pixelSizeMm, pixelSizeMm, 1],
    originMm: [0, 0, 0],
    directions: identityDirections(),
    dataType: 'uint16',
    data: counts,
  });
}
