/** Renders of bookmark views, requested from the service and drawn here. */
import { and, desc, eq, inArray } from 'drizzle-orm';
import { chooseCompared, findHolder, pinnedPictures } from '#contract/analyses/choose-pictures.ts';
import { findSurface, listLimitedScalars } from '#contract/analyses/data-kinds.ts';
import { formatHeadline, listDrawnPoints } from '#contract/shapes/measurement.ts';
import { ViewState } from '#contract/shapes/view-state.ts';
import { openVolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { writePng } from '#formats/png/write-png.ts';
import { splitCreases } from '#kernels/color/split-creases.ts';
import type { DrawnMeasurement } from '#kernels/overlay/paint-measurements.ts';
import type { Picture } from '#kernels/picture/picture.ts';
import { accessibleProjects } from '#storage/access/access.ts';
import type { Database } from '#storage/db/connection.ts';
import { bookmarks, measurements } from '#storage/db/schema-collaboration.ts';
import { type DataObjectRow, dataObjectFiles, dataObjects, narrowRow } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { WorkLost } from '#storage/work/life.ts';
import type { WorkerContext } from '../context.ts';
import { readShownSurface, type ShownSurface } from '../shown-surface.ts';
import { WorkFailure } from '../work/describe-failure.ts';
import type { Outcome, Work } from '../work/work.ts';
import { listInputs } from './list-inputs.ts';
import { applyPlaces, type DrawnSurface, findNeededTable, isMarked, readPlaces } from './place-things.ts';
import { layReference } from './reference-things.ts';
import { type ComparedSource, type Comparison, renderComparison } from './render-comparison.ts';
import { type RenderRun, type RenderSources, renderView } from './render-view.ts';
import type { VolumeSource } from './volume-things.ts';

export async function runRender({ row, project, context, run, blobs }: Work<'render'>): Promise<Outcome> {
  const [bookmark] = await context.db.select().from(bookmarks).where(eq(bookmarks.id, row.bookmarkId));
  if (!bookmark) throw new WorkLost(`render ${row.id} is gone with its bookmark`);
  const state = ViewState.parse(row.viewState ?? bookmark.viewState);
  run.report(0, 'Reading the data');
  const picture = await drawView(context, { projectId: project.id, asker: row.createdBy, state }, row, run);
  const { key: blobKey, sizeBytes } = await blobs.put('thumbnails', await writePng(picture), 'image/png');
  return { values: { blobKey, sizeBytes, stage: null } };
}

/**
 * Draws a view of a project.
 *
 * @param view.asker user whose rights decide about compared scans of other projects
 * @throws WorkFailure when something it shows is gone or not visible to the asker
 */
export async function drawView(
  context: WorkerContext,
  { projectId, asker, state }: { projectId: string; asker: string | null; state: ViewState },
  size: { width: number; height: number },
  run: RenderRun,
): Promise<Picture> {
  const { compare } = state;
  if (!compare) return renderView(state, await openSources(context, projectId, state), size, run);
  const compared = await openCompared(context, projectId, asker, compare);
  return renderComparison(state, compare, compared, size, run);
}

async function openSources(
  { db, store }: WorkerContext,
  projectId: string,
  state: ViewState,
): Promise<RenderSources> {
  const rows = await db
    .select()
    .from(dataObjects)
    .where(and(eq(dataObjects.projectId, projectId), eq(dataObjects.status, 'completed')))
    .orderBy(desc(dataObjects.createdAt));
  requireRow(rows, state.volumeId, 'volume');
  requireRow(rows, state.meshId, 'surface');
  requireRow(rows, state.alignmentId, 'alignment');
  const glbs = await db
    .select()
    .from(dataObjectFiles)
    .where(
      and(
        inArray(dataObjectFiles.dataObjectId, [...rows.map(({ id }) => id), projectId]),
        eq(dataObjectFiles.mediaType, 'model/gltf-binary'),
      ),
    );
  const findGlb = ({ id }: DataObjectRow) => glbs.find(({ dataObjectId }) => dataObjectId === id);
  const choose = (inputIds: readonly string[]) =>
    pinnedPictures(rows, state, inputIds, (row) => findGlb(row) !== undefined);
  const maker = findHolder(rows, state.alignmentId, choose([]).surface)?.createdByOperationId;
  const inputIds = maker ? await listInputs(db, maker) : [];
  const { volume, surface, reference } = choose(inputIds);
  const file = surface && findGlb(surface);
  if (!volume?.volumeKey && !file)
    throw new WorkFailure('MISSING_INPUT', 'The project has neither a volume nor a surface to draw.');
  const holder = findHolder(rows, state.alignmentId, surface);
  const beside = reference && findGlb(reference);
  const readSurface = async ({ kind }: DataObjectRow, { blobKey }: { blobKey: string }) => {
    const shown = await readShownSurface(await store.read(blobKey));
    return findSurface(kind) === 'reference' ? { ...shown, mesh: splitCreases(shown.mesh) } : shown;
  };
  return {
    measurements: await listDrawn(db, projectId, state),
    volume: volume?.volumeKey
      ? { reader: await openVolumeReader(store, volume.volumeKey), ...readGreys(volume) }
      : null,
    surface: file ? await openSurface({ db, store }, surface, await readSurface(surface, file), state) : null,
    reference: holder && beside ? layReference((await readSurface(reference, beside)).mesh, holder) : null,
  };
}

/**
 * @param asker user whose rights decide about scans of other projects
 * @throws WorkFailure when a scan is gone or not visible to the asker
 */
async function openCompared(
  { db, store }: Pick<WorkerContext, 'db' | 'store'>,
  projectId: string,
  asker: string | null,
  { scans }: Comparison,
): Promise<ComparedSource[]> {
  const others = scans.map((scan) => scan.projectId).filter((id) => id !== projectId);
  const seen = asker === null ? new Map() : await accessibleProjects(db, asker, others);
  if (others.some((id) => !seen.has(id)))
    throw new WorkFailure(
      'MISSING_INPUT',
      'A project of the comparison does not exist, or you may not see it.',
    );
  const sources: ComparedSource[] = [];
  for (const scan of scans) sources.push(await openScan({ db, store }, scan));
  return sources;
}

async function openScan(
  { db, store }: Pick<WorkerContext, 'db' | 'store'>,
  { projectId, volumeId }: Comparison['scans'][number],
): Promise<ComparedSource> {
  const [project] = await db.select().from(projects).where(eq(projects.id, projectId));
  const rows = await db
    .select()
    .from(dataObjects)
    .where(and(eq(dataObjects.projectId, projectId), eq(dataObjects.status, 'completed')))
    .orderBy(desc(dataObjects.createdAt));
  if (!project) throw new WorkFailure('MISSING_INPUT', 'A project of the comparison is gone.');
  const made = rows.map((row) => ({ ...row, createdByOperation: row.createdByOperationId }));
  const chosen = await chooseCompared(project.name, made, volumeId, (id) => listInputs(db, id));
  const volume = chosen && narrowRow(chosen.volume, 'volume');
  if (!chosen || !volume?.volumeKey)
    throw new WorkFailure('MISSING_INPUT', `“${project.name}” has no such volume to compare.`);
  const { min, max, counts } = volume.metadata.histogram;
  const isGlb = and(
    eq(dataObjectFiles.dataObjectId, chosen.surface?.id ?? volume.id),
    eq(dataObjectFiles.mediaType, 'model/gltf-binary'),
  );
  const [glb] = await db.select().from(dataObjectFiles).where(isGlb);
  return {
    title: chosen.title,
    reader: await openVolumeReader(store, volume.volumeKey),
    histogram: { minimum: min, maximum: max, counts },
    pose: chosen.pose,
    surfaceBounds: chosen.surfaceBounds,
    readSurface: glb ? async () => (await readShownSurface(await store.read(glb.blobKey))).mesh : null,
  };
}

/** @throws WorkFailure when the table of its places is missing: all places would be shown without marks */
async function openSurface(
  { db, store }: Pick<WorkerContext, 'db' | 'store'>,
  row: DataObjectRow,
  shown: ShownSurface,
  state: ViewState,
): Promise<DrawnSurface> {
  const isOfPlaces = findSurface(row.kind) === 'places';
  const surface = { ...shown, scalars: listLimitedScalars(row), isOfPlaces, marks: null };
  const needed = findNeededTable(row, state);
  if (!needed) return surface;
  const { places, fileName } = needed;
  const isTable = and(eq(dataObjectFiles.dataObjectId, row.id), eq(dataObjectFiles.fileName, fileName));
  const [file] = await db.select().from(dataObjectFiles).where(isTable);
  if (file) return applyPlaces(surface, readPlaces(await store.read(file.blobKey), needed), needed, state);
  // Without the table, the viewer colours nothing either.
  if (!isMarked(state)) return surface;
  const some = places.title.toLowerCase();
  throw new WorkFailure(
    'MISSING_INPUT',
    `The view shows only some ${some}, but their table ${fileName} is not in the project any more.`,
  );
}

/** The project's measurements, unless the view hides them. */
async function listDrawn(
  db: Database,
  projectId: string,
  { measurements: { visible, selectedId } }: ViewState,
): Promise<DrawnMeasurement[]> {
  if (!visible) return [];
  const rows = await db.select().from(measurements).where(eq(measurements.projectId, projectId));
  return rows.map((row) => ({
    ...{ name: row.name, kind: row.kind, feature: row.result.feature },
    points: listDrawnPoints(row, rows),
    value: formatHeadline(row.result.values),
    isChosen: row.id === selectedId,
  }));
}

function readGreys(row: DataObjectRow): Omit<VolumeSource, 'reader'> {
  const volume = narrowRow(row, 'volume', 'radiographs');
  if (!volume) throw new Error(`${row.id} has no grey values`);
  const { histogram, isoValue } = volume.metadata;
  const { min, max, counts } = histogram;
  return { histogram: { minimum: min, maximum: max, counts }, isoValue: isoValue ?? null };
}

/** @throws WorkFailure when something the view shows no longer exists */
function requireRow(rows: readonly DataObjectRow[], id: string | null, what: string): void {
  if (id === null || rows.some((row) => row.id === id)) return;
  throw new WorkFailure('MISSING_INPUT', `The ${what} that the view shows is not in the project any more.`);
}
