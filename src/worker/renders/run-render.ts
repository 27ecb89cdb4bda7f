/** A picture of a bookmark's view that nobody's browser has made: asked of the service, drawn here. */
import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import { ViewState } from '#contract/shapes/view-state.ts';
import { writePng } from '#formats/png/write-png.ts';
import type { GreyHistogram } from '#kernels/grid/grey-window.ts';
import type { Histogram } from '#kernels/grid/histogram.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { bookmarkRenders, bookmarks } from '#storage/db/schema-collaboration.ts';
import { dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import type { WorkError } from '#storage/db/schema-work.ts';
import { writeNotification } from '#storage/db/write-notification.ts';
import type { JobContext } from '#storage/queue/worker.ts';
import { openVolumeReader } from '#storage/volumes/volume-reader.ts';
import type { WorkerContext } from '../context.ts';
import { describeFailure, WorkFailure } from '../operations/operation-work.ts';
import { readShownSurface } from '../shown-surface.ts';
import { WorkBlobs } from '../work-blobs.ts';
import { type RenderSources, renderView } from './render-view.ts';

type RenderRow = typeof bookmarkRenders.$inferSelect;
type BookmarkRow = typeof bookmarks.$inferSelect;
type DataObjectRow = typeof dataObjects.$inferSelect;

/** Best first: what says most about a part. */
const surfaceKinds = ['wallThickness', 'meshCompare', 'mesh', 'cad'] as const;

/** Handles one job of the queue `render`; ends in the row, and throws only when the job has to be taken again. */
export async function runRender(
  context: WorkerContext,
  { renderId }: { renderId: string },
  { signal }: Pick<JobContext, 'signal'>,
): Promise<void> {
  const { db } = context;
  const [row] = await db
    .update(bookmarkRenders)
    .set({ status: 'processing', error: null })
    .where(and(eq(bookmarkRenders.id, renderId), inArray(bookmarkRenders.status, ['pending', 'processing'])))
    .returning();
  if (!row) return;
  const [bookmark] = await db.select().from(bookmarks).where(eq(bookmarks.id, row.bookmarkId));
  if (!bookmark) return;
  const blobs = new WorkBlobs(db, context.store, signal);
  try {
    const state = ViewState.parse(row.viewState ?? bookmark.viewState);
    const sources = await sourcesOf(context, bookmark.projectId, state);
    const picture = await renderView(state, sources, row, signal);
    const blob = await blobs.put('thumbnails', writePng(picture), 'image/png');
    const isWritten = await finish(context, row, bookmark, {
      status: 'completed',
      blobKey: blob.key,
      sizeBytes: blob.sizeBytes,
    });
    if (!isWritten) await blobs.discard();
  } catch (error) {
    await blobs.discard();
    if (signal.aborted) throw error;
    const failure = describeFailure(error, renderId);
    if (failure.code === 'INTERNAL') context.log.error({ err: error, renderId }, 'drawing a render failed');
    await finish(context, row, bookmark, { status: 'failed', error: failure });
  }
}

async function sourcesOf(
  { db, store }: WorkerContext,
  projectId: string,
  state: ViewState,
): Promise<RenderSources> {
  const rows = await db
    .select()
    .from(dataObjects)
    .where(and(eq(dataObjects.projectId, projectId), eq(dataObjects.status, 'completed')))
    .orderBy(desc(dataObjects.createdAt));
  const volumeRow =
    chosen(rows, state.volumeId, 'volume') ?? rows.find(({ volumeKey }) => volumeKey !== null);
  const glbs = await db
    .select()
    .from(dataObjectFiles)
    .where(
      and(
        inArray(dataObjectFiles.dataObjectId, [...rows.map(({ id }) => id), projectId]),
        eq(dataObjectFiles.mediaType, 'model/gltf-binary'),
      ),
    );
  const hasSurface = ({ id }: DataObjectRow) => glbs.some(({ dataObjectId }) => dataObjectId === id);
  const best = surfaceKinds.flatMap((kind) => rows.filter((row) => row.kind === kind && hasSurface(row)));
  const surfaceRow = chosen(rows, state.meshId, 'surface') ?? best[0];
  const file = glbs.find(({ dataObjectId }) => dataObjectId === surfaceRow?.id);
  if (!volumeRow && !file)
    throw new WorkFailure('MISSING_INPUT', 'The project has neither a volume nor a surface to draw.');
  return {
    volume: volumeRow?.volumeKey
      ? {
          reader: await openVolumeReader(store, volumeRow.volumeKey),
          histogram: greyHistogramOf(volumeRow.metadata['histogram'] as Histogram),
        }
      : null,
    surface: file
      ? {
          ...(await readShownSurface(await store.read(file.blobKey))),
          isSigned: surfaceRow?.kind === 'meshCompare',
        }
      : null,
  };
}

const greyHistogramOf = ({ min, max, counts }: Histogram): GreyHistogram => ({
  minimum: min,
  maximum: max,
  counts: Array.from(counts),
});

function chosen(rows: DataObjectRow[], id: string | null, what: string): DataObjectRow | undefined {
  if (id === null) return undefined;
  const row = rows.find((each) => each.id === id);
  if (row) return row;
  throw new WorkFailure('MISSING_INPUT', `The ${what} that the view shows is not in the project any more.`);
}

async function finish(
  { db }: WorkerContext,
  row: RenderRow,
  bookmark: BookmarkRow,
  values: Partial<typeof bookmarkRenders.$inferInsert>,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const [changed] = await tx
      .update(bookmarkRenders)
      .set(values)
      .where(and(eq(bookmarkRenders.id, row.id), sql`${bookmarkRenders.status} = 'processing'`))
      .returning({ id: bookmarkRenders.id });
    if (!changed) return false;
    const [project] = await tx.select().from(projects).where(eq(projects.id, bookmark.projectId));
    const { id: projectId, organizationId, workspaceId } = project;
    const event = { type: 'updated', resource: 'bookmark', id: bookmark.id };
    await notify(tx, { ...event, projectId, organizationId, workspaceId });
    if (row.createdBy !== null) {
      const isDone = values.status === 'completed';
      await writeNotification(tx, {
        userId: row.createdBy,
        organizationId,
        kind: `render.${values.status}`,
        title: `Picture ${isDone ? 'is ready' : 'failed'}: ${bookmark.name}`,
        body: isDone ? `${row.width} × ${row.height}, ${project.name}` : (values.error?.detail ?? ''),
        subject: { resource: 'bookmark', id: bookmark.id, projectId },
      });
    }
    return true;
  });
}

/** Ends a render whose job was given up by the queue after every attempt. */
export async function giveUpRender(context: WorkerContext, renderId: string, reason: string): Promise<void> {
  const [row] = await context.db.select().from(bookmarkRenders).where(eq(bookmarkRenders.id, renderId));
  if (row?.status !== 'processing') return;
  const [bookmark] = await context.db.select().from(bookmarks).where(eq(bookmarks.id, row.bookmarkId));
  if (!bookmark) return;
  context.log.error({ renderId, reason }, 'render given up');
  const error: WorkError = {
    code: 'INTERNAL',
    detail: `The worker ended several times while it drew this picture, so it was given up. The log has it under ${renderId}.`,
  };
  await finish(context, row, bookmark, { status: 'failed', error });
}
