/** A downsampled view of a volume as a file, for whoever asked for it at GET /api/v2/data/{id}/view. */
import { and, eq, ne, sql } from 'drizzle-orm';
import { VolumeViewQuery } from '#contract/shapes/data-object.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { writeRaw } from '#formats/raw/write-raw.ts';
import { writeTiff } from '#formats/tiff/write-tiff.ts';
import type { SlabSource } from '#kernels/grid/volume.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { dataObjects, dataViews } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import type { WorkError } from '#storage/db/schema-work.ts';
import type { JobContext } from '#storage/queue/worker.ts';
import { openVolumeReader } from '#storage/volumes/volume-reader.ts';
import type { WorkerContext } from '../context.ts';
import { safeName } from '../exports/export-contents.ts';
import { describeFailure, WorkFailure } from '../operations/operation-work.ts';
import { WorkBlobs, type WrittenBlob } from '../work-blobs.ts';
import { mappedToUint16, percentileRange } from './map-grey-values.ts';
import { planView, reducedSlabs } from './reduce-slabs.ts';

/** Raised when the same parameters give another file. */
const VIEW_VERSION = 1;

type ViewRow = typeof dataViews.$inferSelect;

interface MadeView {
  blob: WrittenBlob;
  fileName: string;
  mediaType: string;
  /** what the view is, beside what was asked for: a RAW file does not say it */
  facts: Record<string, unknown>;
}

const formats = {
  nrrd: { mediaType: 'application/x-nrrd', write: (source, signal) => writeNrrd(source, { signal }) },
  raw: { mediaType: 'application/octet-stream', write: (source, signal) => writeRaw(source, signal) },
  tiff: { mediaType: 'image/tiff', write: (source, signal) => writeTiff(source, { signal }) },
} satisfies Record<
  VolumeViewQuery['outputFormat'],
  { mediaType: string; write: (source: SlabSource, signal: AbortSignal) => AsyncIterable<Uint8Array> }
>;

/** Handles one job of the queue `view`; ends in the row, and throws only when the job has to be taken again. */
export async function makeView(
  context: WorkerContext,
  { viewId }: { viewId: string },
  { signal }: Pick<JobContext, 'signal'>,
): Promise<void> {
  const { db } = context;
  const [row] = await db
    .update(dataViews)
    .set({ status: 'processing', error: null })
    .where(
      and(
        eq(dataViews.id, viewId),
        sql`not (${dataViews.status} = 'completed' and ${dataViews.version} >= ${VIEW_VERSION} and ${dataViews.blobKey} is not null)`,
      ),
    )
    .returning();
  if (!row) return;
  const blobs = new WorkBlobs(db, context.store, signal);
  try {
    const made = await writeView(context, row, blobs, signal);
    const isWritten = await finish(context, row, {
      status: 'completed',
      version: VIEW_VERSION,
      progress: 1,
      blobKey: made.blob.key,
      sizeBytes: made.blob.sizeBytes,
      sha256: made.blob.sha256,
      fileName: made.fileName,
      mediaType: made.mediaType,
      parameters: { ...row.parameters, ...made.facts },
    });
    if (!isWritten) await blobs.discard();
  } catch (error) {
    await blobs.discard();
    if (signal.aborted) throw error;
    const failure = describeFailure(error, viewId);
    if (failure.code === 'INTERNAL') context.log.error({ err: error, viewId }, 'making a view failed');
    await failView(context, row, failure);
  }
}

async function writeView(
  { db, store }: WorkerContext,
  row: ViewRow,
  blobs: WorkBlobs,
  signal: AbortSignal,
): Promise<MadeView> {
  const [dataObject] = await db.select().from(dataObjects).where(eq(dataObjects.id, row.dataObjectId));
  if (!dataObject?.volumeKey) throw new WorkFailure('MISSING_INPUT', 'Only volumes have views.');
  const query = VolumeViewQuery.parse(askedFor(row.parameters));
  const reader = await openVolumeReader(store, dataObject.volumeKey, { cacheBytes: 0 });
  const { level, factor, dimensions } = planView(reader.meta.levels, {
    maxDimension: query.max_dimension_size,
    maxVoxelCount: query.max_voxel_count,
  });
  let source: SlabSource = reducedSlabs(reader.slabs(level), factor);
  let mappedRange: [number, number] | null = null;
  if (!query.skip_normalization) {
    const [low, high] = query.mapped_percentile_range ?? [0, 100];
    mappedRange = await percentileRange(source, [low, high], signal);
    source = mappedToUint16(source, mappedRange);
  }
  const { mediaType, write } = formats[query.outputFormat];
  const blob = await blobs.put('views', write(source, signal), mediaType);
  const { voxelSizeMm, originMm } = source.grid;
  return {
    blob,
    mediaType,
    fileName: `${safeName(dataObject.name)}_${dimensions.join('x')}.${query.outputFormat}`,
    facts: { level, dimensions, voxelSizeMm, originMm, dataType: source.dataType, mappedRange },
  };
}

/** The fields of the query alone: a view that is made again has its facts among them. */
function askedFor(parameters: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(VolumeViewQuery.shape).map((name) => [name, parameters[name] ?? undefined]),
  );
}

async function finish(
  { db }: WorkerContext,
  row: ViewRow,
  values: Partial<typeof dataViews.$inferInsert>,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const [found] = await tx
      .select({ project: projects })
      .from(dataObjects)
      .innerJoin(projects, eq(projects.id, dataObjects.projectId))
      .where(eq(dataObjects.id, row.dataObjectId));
    if (!found) return false;
    const [changed] = await tx
      .update(dataViews)
      .set({ ...values, finishedAt: sql`now()` })
      .where(and(eq(dataViews.id, row.id), ne(dataViews.status, 'completed')))
      .returning({ id: dataViews.id });
    if (!changed) return false;
    const { id: projectId, organizationId, workspaceId } = found.project;
    await notify(tx, {
      type: 'updated',
      resource: 'dataObject',
      id: row.dataObjectId,
      projectId,
      organizationId,
      workspaceId,
    });
    return true;
  });
}

async function failView(context: WorkerContext, row: ViewRow, error: WorkError): Promise<void> {
  await finish(context, row, { status: 'failed', error });
}

/** Ends a view whose job was given up by the queue after every attempt. */
export async function giveUpView(context: WorkerContext, viewId: string, reason: string): Promise<void> {
  const [row] = await context.db.select().from(dataViews).where(eq(dataViews.id, viewId));
  if (!row || row.status === 'completed') return;
  context.log.error({ viewId, reason }, 'view given up');
  await failView(context, row, {
    code: 'INTERNAL',
    detail: `The worker ended several times while it made this view, so it was given up. The log has it under ${viewId}.`,
  });
}
