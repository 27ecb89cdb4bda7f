/** Which places of a surface, such as defects, a view shows: those that its filter keeps, and the chosen one. */
import { and, eq } from 'drizzle-orm';
import { findShownPlaces, type LimitedScalar } from '#contract/analyses/data-kinds.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { makeBall } from '#kernels/picture/draw-chosen.ts';
import type { Surface } from '#kernels/picture/place-triangles.ts';
import { hasTriangles } from '#kernels/places/place-ball.ts';
import { findChosen, keepPlaces, markPlaces, type PlaceMarks } from '#kernels/places/place-marks.ts';
import { PlaceReader } from '#kernels/places/read-places.ts';
import { type DataObjectRow, dataObjectFiles } from '#storage/db/schema-data.ts';
import type { WorkerContext } from '../context.ts';
import type { ShownSurface } from '../shown-surface.ts';

export interface DrawnSurface extends ShownSurface {
  scalars: readonly LimitedScalar[];
  /** whether it is of single places, not of the part */
  isOfPlaces: boolean;
  /** which of them; null = all, and none is chosen */
  marks: PlaceMarks | null;
}

/** Reads the table of the places only where the view has a filter or a choice. */
export async function readPlaceMarks(
  { db, store }: Pick<WorkerContext, 'db' | 'store'>,
  row: DataObjectRow,
  { defects: { filter }, selectedDefectId }: Pick<ViewState, 'defects' | 'selectedDefectId'>,
): Promise<PlaceMarks | null> {
  const shown = findShownPlaces(row);
  if (!shown || (filter.length === 0 && selectedDefectId === null)) return null;
  const isTable = and(eq(dataObjectFiles.dataObjectId, row.id), eq(dataObjectFiles.fileName, shown.fileName));
  const [file] = await db.select().from(dataObjectFiles).where(isTable);
  if (!file) return null;
  const reader = new PlaceReader();
  reader.push(new TextDecoder().decode(await store.read(file.blobKey)));
  const table = reader.finish((title) => ({ title, unit: '' }));
  const kept = keepPlaces(table, filter);
  return markPlaces(table, shown.attribute, kept.shown, findChosen(table, selectedDefectId));
}

/** The triangles of the places that are shown. */
export function keepTriangles(drawn: Surface, { mesh, marks }: DrawnSurface): Surface {
  const ids = mesh.scalars?.[marks?.attribute ?? ''];
  const shown = marks?.shown;
  return ids && shown ? takeTriangles(drawn, (vertex) => shown[ids[vertex] ?? -1] === 1) : drawn;
}

/** The surface of the chosen place, or a ball in its stead; null where none is chosen. */
export function findChosenSurface(drawn: Surface, { mesh, marks }: DrawnSurface): Surface | null {
  const ids = mesh.scalars?.[marks?.attribute ?? ''];
  if (!ids || !marks || marks.chosenId === null) return null;
  const { chosenId, chosenBall } = marks;
  if (hasTriangles(ids, chosenId)) return takeTriangles(drawn, (vertex) => ids[vertex] === chosenId);
  return chosenBall && makeBall(chosenBall);
}

const takeTriangles = (drawn: Surface, isTaken: (vertex: number) => boolean): Surface => ({
  ...drawn,
  // All corners of a triangle are of one place.
  indices: drawn.indices.filter((_, i) => isTaken(drawn.indices[i - (i % 3)] ?? -1)),
});
