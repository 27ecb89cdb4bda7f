/**
 * Creates downsampled views of volumes and compressed surfaces as files, for GET /api/v2/data/{id}/view and
 * …/surfaceView.
 */
import { eq } from 'drizzle-orm';
import { SurfaceViewQuery, VolumeViewQuery, viewVersion } from '#contract/shapes/data-object.ts';
import { ChunkCache } from '#formats/ome-zarr/chunk-cache.ts';
import { openVolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { volumeFormats } from '#formats/registry.ts';
import { mappedToUint16, percentileRange } from '#kernels/grid/map-grey-values.ts';
import { planView, reducedSlabs } from '#kernels/grid/reduce-slabs.ts';
import type { SlabSource } from '#kernels/grid/volume.ts';
import { safeName } from '#storage/blobs/file-name.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { WorkFailure } from '../work/describe-failure.ts';
import type { Outcome, Work } from '../work/work.ts';
import type { WorkRun } from '../work/work-run.ts';
import type { MadeView } from './made-view.ts';
import { packSurface } from './pack-surface.ts';

export async function makeView(work: Work<'view'>): Promise<Outcome> {
  const surface = SurfaceViewQuery.safeParse({ detail: work.row.parameters['detail'] });
  const made = surface.success ? packSurface(work, surface.data) : writeView(work);
  const { blob, fileName, mediaType, facts } = await made;
  const { key: blobKey, sizeBytes, sha256 } = blob;
  const parameters = { ...work.row.parameters, ...facts };
  return { values: { version: viewVersion, blobKey, sizeBytes, sha256, fileName, mediaType, parameters } };
}

async function writeView({ row, context, run, blobs }: Work<'view'>): Promise<MadeView> {
  const { db, store } = context;
  const { signal } = run;
  const [dataObject] = await db.select().from(dataObjects).where(eq(dataObjects.id, row.dataObjectId));
  if (!dataObject?.volumeKey) throw new WorkFailure('MISSING_INPUT', 'Only volumes have views.');
  const query = VolumeViewQuery.parse(pickQuery(row.parameters));
  const reader = await openVolumeReader(store, dataObject.volumeKey, { cache: new ChunkCache(0) });
  const { level, factor, dimensions } = planView(reader.meta.levels, {
    maxDimension: query.max_dimension_size,
    maxVoxelCount: query.max_voxel_count,
  });
  const [low = 0, high = 100] = query.mapped_percentile_range ?? [];
  const passes = query.skip_normalization ? 1 : low === 0 && high === 100 ? 2 : 3;
  let source = reportingSlabs(reducedSlabs(reader.slabs(level), factor), passes, run);
  let mappedRange: [number, number] | null = null;
  if (!query.skip_normalization) {
    mappedRange = await percentileRange(source, [low, high], signal);
    source = mappedToUint16(source, mappedRange);
  }
  const { mediaType, writer } = volumeFormats[query.outputFormat];
  const { write } = await writer();
  const { frame } = reader.meta;
  const blob = await blobs.put('views', write(source, { signal, frame }), mediaType);
  const { voxelSizeMm, originMm, directions } = source.grid;
  return {
    blob,
    mediaType,
    fileName: `${safeName(dataObject.name)}_${dimensions.join('x')}.${query.outputFormat}`,
    facts: {
      level,
      dimensions,
      voxelSizeMm,
      originMm,
      directions,
      frame,
      dataType: source.dataType,
      mappedRange,
    },
  };
}

/** The same source, reporting progress with each plane. */
function reportingSlabs(source: SlabSource, passes: number, run: WorkRun): SlabSource {
  const planes = passes * source.grid.dimensions[2];
  let read = 0;
  return {
    ...source,
    readSlab: async (zStart, zEnd, signal) => {
      const slab = await source.readSlab(zStart, zEnd, signal);
      read += zEnd - zStart;
      run.report(read / planes);
      return slab;
    },
  };
}

/** Only the fields of the query: the parameters of a view that is made again include its facts. */
function pickQuery(parameters: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(VolumeViewQuery.shape).map((name) => [name, parameters[name] ?? undefined]),
  );
}
