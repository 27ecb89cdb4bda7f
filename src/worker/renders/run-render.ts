/** A picture of a bookmark's view that nobody's browser has made: asked of the service, drawn here. */
import { and, desc, eq, inArray } from 'drizzle-orm';
import { findSurface, listLimitedScalars, surfaceKinds } from '#contract/analyses/data-kinds.ts';
import { formatHeadline } from '#contract/shapes/measurement.ts';
import { ViewState } from '#contract/shapes/view-state.ts';
import { openVolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { writePng } from '#formats/png/write-png.ts';
import type { DrawnMeasurement } from '#kernels/overlay/paint-measurements.ts';
import type { PlaceMarks } from '#kernels/places/place-marks.ts';
import type { Database } from '#storage/db/connection.ts';
import { bookmarks, measurements } from '#storage/db/schema-collaboration.ts';
import { type DataObjectRow, dataObjectFiles, dataObjects, narrowRow } from '#storage/db/schema-data.ts';
import { WorkLost } from '#storage/work/life.ts';
import type { WorkerContext } from '../context.ts';
import { readShownSurface } from '../shown-surface.ts';
import { WorkFailure } from '../work/describe-failure.ts';
import type { Outcome, Work } from '../work/work.ts';
import { findNeededTable, readPlaceMarks } from './place-things.ts';
import { type RenderSources, renderView } from './render-view.ts';
import type { VolumeSource } from './volume-things.ts';

export async function runRender({ row, project, context, run, blobs }: Work<'render'>): Promise<Outcome> {
  const [bookmark] = await context.db.select().from(bookmarks).where(eq(bookmarks.id, row.bookmarkId));
  if (!bookmark) throw new WorkLost(`render ${row.id} is gone with its bookmark`);
  const state = ViewState.parse(row.viewState ?? bookmark.viewState);
  run.report(0, 'Reading the data');
  const sources = await openSources(context, project.id, state);
  const picture = await renderView(state, sources, row, run);
  const { key: blobKey, sizeBytes } = await blobs.put('thumbnails', await writePng(picture), 'image/png');
  const stage = state.compare ? 'Drawn without the comparison' : null;
  return { values: { blobKey, sizeBytes, stage } };
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
    measurements: await listDrawn(db, projectId, state),
    volume: volumeRow?.volumeKey
      ? {
          reader: await openVolumeReader(store, volumeRow.volumeKey),
          ...readGreys(volumeRow),
        }
      : null,
    surface:
      file && surfaceRow
        ? {
            ...(await readShownSurface(await store.read(file.blobKey))),
            scalars: listLimitedScalars(surfaceRow),
            isOfPlaces: findSurface(surfaceRow.kind) === 'places',
            marks: await readMarks({ db, store }, surfaceRow, state),
          }
        : null,
  };
}

/** @throws WorkFailure where their table is missing: without it all would be shown, and none of them marked */
async function readMarks(
  { db, store }: Pick<WorkerContext, 'db' | 'store'>,
  row: DataObjectRow,
  state: ViewState,
): Promise<PlaceMarks | null> {
  const needed = findNeededTable(row, state);
  if (!needed) return null;
  const { places, fileName, attribute } = needed;
  const isTable = and(eq(dataObjectFiles.dataObjectId, row.id), eq(dataObjectFiles.fileName, fileName));
  const [file] = await db.select().from(dataObjectFiles).where(isTable);
  if (file) return readPlaceMarks(await store.read(file.blobKey), attribute, state);
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
  return rows.map(({ id, name, kind, points, result: { values, feature } }) => ({
    ...{ name, kind, points, feature },
    value: formatHeadline(values),
    isChosen: id === selectedId,
  }));
}

function readGreys(row: DataObjectRow): Omit<VolumeSource, 'reader'> {
  const volume = narrowRow(row, 'volume', 'radiographs');
  if (!volume) throw new Error(`${row.id} has no grey values`);
  const { histogram, isoValue } = volume.metadata;
  const { min, max, counts } = histogram;
  return { histogram: { minimum: min, maximum: max, counts }, isoValue: isoValue ?? null };
}

function chosen(rows: DataObjectRow[], id: string | null, what: string): DataObjectRow | undefined {
  if (id === null) return undefined;
  const row = rows.find((each) => each.id === id);
  if (row) return row;
  throw new WorkFailure('MISSING_INPUT', `The ${what} that the view shows is not in the project any more.`);
}
