import type { SliceName } from '#kernels/grid/plane-transform.ts';
import { locatePoint } from '#kernels/places/place-table.ts';
import type { SurfaceHit } from '../engine/layer.ts';
import { stateAt } from './state-at.ts';
import type { ViewerModel } from './viewer-model.ts';

/** Chooses the place of a row and puts it in the middle of every pane; null chooses none. */
export function choosePlace(model: ViewerModel, row: number | null): void {
  const table = model.places.table.get();
  if (row === null || !table) model.store.update({ selectedDefectId: null });
  else
    model.store.update({
      ...stateAt(model, locatePoint(table, row)),
      selectedDefectId: String(table.ids[row]),
    });
}

/** Goes to the next place of the list, or by so many, ∞ to its end; from its beginning or end where none is chosen. */
export function stepPlace(model: ViewerModel, by: number): void {
  const listed = model.places.listed();
  if (listed.length === 0) return;
  const chosen = model.places.chosenRow();
  const at = chosen === null ? -1 : listed.indexOf(chosen);
  const isFresh = at < 0 && Number.isFinite(by);
  const next = isFresh ? (by > 0 ? 0 : listed.length - 1) : at + by;
  choosePlace(model, listed[Math.min(listed.length - 1, Math.max(0, next))] ?? null);
}

/** Number of the place whose cut holds a point of a slice (grid mm along the pane's axes); null where none does. */
export function placeOnSlice(model: ViewerModel, name: SliceName, u: number, v: number): number | null {
  const marks = model.places.marks();
  const ids = marks && model.surfaceData.get()?.scalars[marks.attribute];
  const cut = ids && model.store.get().slices.surface ? model.cuts.get('surface', name) : null;
  if (!cut || !ids) return null;
  const inside = new Map<number, boolean>();
  for (let line = 0; line + 1 < cut.starts.length; line++) {
    const [first = 0, end = 0] = cut.starts.subarray(line, line + 2);
    let isInside = false;
    for (let i = first; i + 1 < end; i++) {
      const [u0 = 0, v0 = 0, u1 = 0, v1 = 0] = cut.points.subarray(2 * i, 2 * i + 4);
      if (v0 > v !== v1 > v && u < u0 + ((u1 - u0) * (v - v0)) / (v1 - v0)) isInside = !isInside;
    }
    if (!isInside) continue;
    // Within an even number of its lines is within a hole of it.
    const id = ids[cut.edges[2 * first] ?? -1];
    if (id !== undefined) inside.set(id, !inside.get(id));
  }
  const found = [...inside].find(
    ([id, isInside]) => isInside && (marks.shown === null || marks.shown[id] === 1),
  );
  return found ? found[0] : null;
}

/** Chooses the place under a click on a slice, if there is one; the panes stay where they are. */
export function choosePlaceOnSlice(model: ViewerModel, name: SliceName, u: number, v: number): void {
  const id = placeOnSlice(model, name, u, v);
  if (id !== null) model.store.update({ selectedDefectId: String(id) });
}

/** Takes the slices to a point of the surface, and chooses the place that it is of. */
export function goToHit(model: ViewerModel, { pointWorld, placeId }: SurfaceHit): void {
  model.setCursorWorld(pointWorld);
  if (placeId !== null) model.store.update({ selectedDefectId: String(placeId) });
}
