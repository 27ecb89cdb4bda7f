import { eq } from 'drizzle-orm';
import type { RadiographsInput } from '#analyses/analysis.ts';
import { bytesSource } from '#formats/bytes/byte-source.ts';
import { openVolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { openPlanes } from '#formats/open-volume.ts';
import type { Vector3, VoxelArray } from '#kernels/grid/volume.ts';
import { readScanGeometry } from '#kernels/reconstruction/description.ts';
import type { View } from '#kernels/reconstruction/geometry.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import type { Executor } from '#storage/db/connection.ts';
import { type DataObjectRow, dataObjectFiles, narrowRow } from '#storage/db/schema-data.ts';
import { WorkFailure } from './work/describe-failure.ts';

/** Means of the correction images, as files beside the projections. */
export const flatFileName = 'flat.nrrd';
export const darkFileName = 'dark.nrrd';
/**
 * Source, detector centre, and directions of detector columns and rows: twelve numbers per projection, in the part's
 * frame.
 */
export const posesFileName = 'poses.nrrd';

/**
 * Radiographs for the reconstruction, projection by projection.
 *
 * @throws WorkFailure when the data object has none
 */
export async function openStoredRadiographs(
  { db, store }: { db: Executor; store: BlobStore },
  row: DataObjectRow,
): Promise<RadiographsInput> {
  const radiographs = narrowRow(row, 'radiographs');
  if (!radiographs || !row.volumeKey) {
    throw new WorkFailure(
      'MISSING_INPUT',
      `“${row.name}” holds no radiographs that can be reconstructed; upload them again.`,
    );
  }
  const { metadata } = radiographs;
  const reader = await openVolumeReader(store, row.volumeKey);
  const { pixelSizeMm } = metadata;
  const files = await db.select().from(dataObjectFiles).where(eq(dataObjectFiles.dataObjectId, row.id));
  const image = async (fileName: string) => {
    const file = files.find((each) => each.fileName === fileName);
    if (!file) return undefined;
    const { slabs } = await openPlanes([bytesSource(fileName, await store.read(file.blobKey))]);
    return slabs.readSlab(0, 1);
  };
  const poses = await image(posesFileName);
  const { geometry, axisFrame } = readScanGeometry(
    metadata.geometry,
    {
      columns: metadata.detector[0],
      rows: metadata.detector[1],
      projections: metadata.projections,
      pixelSizeMm: typeof pixelSizeMm === 'number' ? [pixelSizeMm, pixelSizeMm] : pixelSizeMm,
    },
    poses && unpackViews(poses),
  );
  return {
    geometry,
    projections: reader.slabs(0),
    values: metadata.values,
    flat: metadata.flats > 0 ? await image(flatFileName) : undefined,
    dark: metadata.darks > 0 ? await image(darkFileName) : undefined,
    flatLevel: metadata.flatLevel,
    darkLevel: metadata.darkLevel,
    axisFrame,
  };
}

const packView = ({ sourceMm, detector: { centerMm, alongColumns, alongRows } }: View): number[] => [
  ...sourceMm,
  ...centerMm,
  ...alongColumns,
  ...alongRows,
];

/** Encoded as in the file of poses. */
export const packViews = (views: readonly View[]): Float64Array<ArrayBuffer> =>
  Float64Array.from(views.flatMap(packView));

function unpackViews(numbers: VoxelArray): View[] {
  const vector = (from: number) => [...numbers.subarray(from, from + 3)] as Vector3;
  return Array.from({ length: numbers.length / 12 }, (_, i) => ({
    sourceMm: vector(12 * i),
    detector: {
      centerMm: vector(12 * i + 3),
      alongColumns: vector(12 * i + 6),
      alongRows: vector(12 * i + 9),
    },
  }));
}
