import type { KernelPool } from '#kernels/arena.ts';
import {
  identityDirections,
  makeSlabs,
  type SlabSource,
  type Vector3,
  type Volume,
} from '#kernels/grid/volume.ts';
import { type GeometryDescription, readScanGeometry } from '#kernels/reconstruction/description.ts';
import type { RampName } from '#kernels/reconstruction/ramp-filter.ts';
import { reconstruct } from '#kernels/reconstruction/reconstruct.ts';
import type { DemoPart } from './parts.ts';
import { type Radiographs, type ScanGeometry, scan } from './scanner.ts';

/** Resolution of the demo's scans: voxels along each axis of a cube, and the scanner. */
export interface DemoScale {
  cells: number;
  /** voxel size as a multiple of the part's own */
  voxelSizeFactor: number;
  geometry: ScanGeometry;
  /** photons per count: smaller pixels need more */
  photonsPerCount: number;
  /** reconstruction filter: smaller pixels need one that damps frequencies so few projections cannot carry */
  filter: RampName;
}

const distances = { sourceToAxisMm: 120, sourceToDetectorMm: 480 };

/**
 * Fine enough for sharp pictures at about ten seconds per part. The detector is as large as the shadows: parts extend
 * 5.4 mm from the axis and 3.9 mm up and down.
 */
export const fullScale: DemoScale = {
  cells: 256,
  voxelSizeFactor: 0.375,
  geometry: { ...distances, columns: 299, rows: 256, pixelSizeMm: 0.15, projections: 270 },
  photonsPerCount: 1,
  filter: 'hann',
};

/** The same field of view in a fraction of the time, for tests of the process rather than the pictures. */
export const coarseScale: DemoScale = {
  cells: 32,
  voxelSizeFactor: 3,
  geometry: { ...distances, columns: 38, rows: 32, pixelSizeMm: 1.2, projections: 48 },
  photonsPerCount: 3,
  filter: 'ramLak',
};

const FLAT_LEVEL = 50_000;
/** grey value of air, and its increase per 1/mm of attenuation */
const AIR = 4000;
const GAIN = 120_000;

export interface SimulatedScan {
  volume: Volume;
  radiographs: Radiographs;
}

/** Scan geometry of the simulated scanner, in the format of the import. */
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

/** Scans a part and reconstructs it. Deterministic for each part. */
export async function simulate(
  part: Pick<DemoPart, 'layers' | 'seed' | 'voxelSizeMm'>,
  { cells, voxelSizeFactor, geometry, photonsPerCount, filter }: DemoScale,
  pool: KernelPool,
): Promise<SimulatedScan> {
  const voxelSizeMm = part.voxelSizeMm * voxelSizeFactor;
  const noise = { flatLevel: FLAT_LEVEL, photonsPerCount, seed: part.seed };
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
      geometry: readScanGeometry(describeGeometry(geometry), {
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
      filter,
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

/** Columns, rows and projections as the three axes. */
export function radiographSlabs({ geometry, counts }: Radiographs): SlabSource {
  const { columns, rows, projections, pixelSizeMm } = geometry;
  return makeSlabs({
    dimensions: [columns, rows, projections],
    voxelSizeMm: [pixelSizeMm, pixelSizeMm, 1],
    originMm: [0, 0, 0],
    directions: identityDirections(),
    dataType: 'uint16',
    data: counts,
  });
}
