/** Which places of a surface, such as defects, a view shows: those that its filter keeps, and the chosen one. */
import { findShownPlaces, type LimitedScalar } from '#contract/analyses/data-kinds.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { makeBall } from '#kernels/picture/draw-chosen.ts';
import type { Surface } from '#kernels/picture/place-triangles.ts';
import { hasTriangles } from '#kernels/places/place-ball.ts';
import { findChosen, keepPlaces, markPlaces, type PlaceMarks } from '#kernels/places/place-marks.ts';
import { PlaceReader } from '#kernels/places/read-places.ts';
import type { DataObjectRow } from '#storage/db/schema-data.ts';
import type { ShownSurface } from '../shown-surface.ts';

export interface DrawnSurface extends ShownSurface {
  scalars: readonly LimitedScalar[];
  /** whether it is of single places, not of the part */
  isOfPlaces: boolean;
  /** which of them; null = all, and none is chosen */
  marks: PlaceMarks | null;
}

/** The table that says which places the view shows; null where it shows all alike, or the surface is not one of places. */
export const findNeededTable = (
  row: DataObjectRow,
  { defects: { filter }, selectedDefectId }: Pick<ViewState, 'defects' | 'selectedDefectId'>,
) => (filter.length === 0 && selectedDefectId === null ? null : findShownPlaces(row));

/**
 * @param csv the table, as `findNeededTable` names it
 * @param attribute of the surface: the number of its place at each vertex
 */
export function readPlaceMarks(
  csv: Uint8Array,
  attribute: string,
  { defects: { filter }, selectedDefectId }: Pick<ViewState, 'defects' | 'selectedDefectId'>,
): PlaceMarks {
  const reader = new PlaceReader();
  reader.push(new TextDecoder().decode(csv));
  const table = reader.finish((title) => ({ title, unit: '' }));
  return markPlaces(table, attribute, keepPlaces(table, filter).shown, findChosen(table, selectedDefectId));
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
