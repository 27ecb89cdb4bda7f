/** The places of a surface, such as defects, that a view shows: those that pass its filter, and the selected one. */
import { findShownPlaces, type LimitedScalar, listScalars } from '#contract/analyses/data-kinds.ts';
import { describeColumn } from '#contract/analyses/place-columns.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { makeBall } from '#kernels/picture/draw-chosen.ts';
import type { Surface } from '#kernels/picture/place-triangles.ts';
import { hasTriangles } from '#kernels/places/place-ball.ts';
import { findChosen, keepPlaces, markPlaces, type PlaceMarks } from '#kernels/places/place-marks.ts';
import { listPlaceScalars, readPlaceScalar } from '#kernels/places/place-scalars.ts';
import type { PlaceTable } from '#kernels/places/place-table.ts';
import { PlaceReader } from '#kernels/places/read-places.ts';
import type { DataObjectRow } from '#storage/db/schema-data.ts';
import type { ShownSurface } from '../shown-surface.ts';

export interface DrawnSurface extends ShownSurface {
  scalars: readonly LimitedScalar[];
  /** whether it describes single places instead of the part */
  isOfPlaces: boolean;
  /** shown and selected places; null = all are shown, none is selected */
  marks: PlaceMarks | null;
}

type PlaceView = Pick<ViewState, 'defects' | 'selectedDefectId' | 'surface'>;
type ShownPlaces = NonNullable<ReturnType<typeof findShownPlaces>>;

/** The table needed to filter or colour the view's places; null when none is needed. */
export function findNeededTable(row: DataObjectRow, view: PlaceView): ShownPlaces | null {
  const { scalar } = view.surface;
  const isOwn = scalar === null || listScalars(row).some(({ name }) => name === scalar);
  return isOwn && !isMarked(view) ? null : findShownPlaces(row);
}

/** Whether a view filters or selects places. */
export const isMarked = ({ defects: { filter }, selectedDefectId }: PlaceView): boolean =>
  filter.length > 0 || selectedDefectId !== null;

/** @param csv the table named by `findNeededTable` */
export function readPlaces(csv: Uint8Array, { places }: ShownPlaces): PlaceTable {
  const reader = new PlaceReader();
  reader.push(new TextDecoder().decode(csv));
  return reader.finish((name) => describeColumn(places, name));
}

/** Marks the places of a surface, and colours it by a column of their table if the view says so. */
export function applyPlaces(
  surface: DrawnSurface,
  table: PlaceTable,
  { attribute }: ShownPlaces,
  view: PlaceView,
): DrawnSurface {
  const { shown } = keepPlaces(table, view.defects.filter);
  const marks = isMarked(view)
    ? markPlaces(table, attribute, shown, findChosen(table, view.selectedDefectId))
    : null;
  const { mesh, scalars } = surface;
  const ids = mesh.scalars?.[attribute];
  const column = scalars.some(({ name }) => name === view.surface.scalar)
    ? undefined
    : listPlaceScalars(table).find(({ name }) => name === view.surface.scalar);
  const values = column && ids && readPlaceScalar(table, column.name, ids);
  if (!column || !values) return { ...surface, marks };
  const each = scalars[0]?.each;
  const scalar = {
    ...column,
    center: 'none' as const,
    limits: column.limits ?? null,
    ...(each ? { each } : {}),
  };
  return {
    ...surface,
    marks,
    mesh: { ...mesh, scalars: { ...mesh.scalars, [column.name]: values } },
    scalars: [...scalars, scalar],
  };
}

/** The triangles of the shown places. */
export function keepTriangles(drawn: Surface, { mesh, marks }: DrawnSurface): Surface {
  const ids = mesh.scalars?.[marks?.attribute ?? ''];
  const shown = marks?.shown;
  return ids && shown ? takeTriangles(drawn, (vertex) => shown[ids[vertex] ?? -1] === 1) : drawn;
}

/** The surface of the selected place, or a ball instead; null when none is selected. */
export function findChosenSurface(drawn: Surface, { mesh, marks }: DrawnSurface): Surface | null {
  const ids = mesh.scalars?.[marks?.attribute ?? ''];
  if (!ids || !marks || marks.chosenId === null) return null;
  const { chosenId, chosenBall } = marks;
  if (hasTriangles(ids, chosenId)) return takeTriangles(drawn, (vertex) => ids[vertex] === chosenId);
  return chosenBall && makeBall(chosenBall);
}

const takeTriangles = (drawn: Surface, isTaken: (vertex: number) => boolean): Surface => ({
  ...drawn,
  // All corners of a triangle belong to one place.
  indices: drawn.indices.filter((_, i) => isTaken(drawn.indices[i - (i % 3)] ?? -1)),
});
