import type { SliceName } from '#kernels/grid/plane-transform.ts';
import { locatePoint } from '#kernels/places/place-table.ts';
import type { SurfaceHit } from '../engine/layer.ts';
import { stateAt } from './state-at.ts';
import type { ViewerModel } from './viewer-model.ts';

/** Selects the place of a row and centres it in every pane; null clears the selection. */
export function choosePlace(model: ViewerModel, row: number | null): void {
  const table = model.places.table.get();
  if (row === null || !table) model.store.update({ selectedDefectId: null });
  else
    model.store.update({
      ...stateAt(model, locatePoint(table, row)),
      selectedDefectId: String(table.ids[row]),
    });
}

/**
 * Moves the selection in the list by `by` rows, ∞ to its end; without a selection it starts at the list's beginning or
 * end.
 */
export function stepPlace(model: ViewerModel, by: number): void {
  const listed = model.places.listed();
  if (listed.length === 0) return;
  const chosen = model.places.chosenRow();
  const at = chosen === null ? -1 : listed.indexOf(chosen);
  const isFresh = at < 0 && Number.isFinite(by);
  const next = isFresh ? (by > 0 ? 0 : listed.length - 1) : at + by;
  choosePlace(model, listed[Math.min(listed.length - 1, Math.max(0, next))] ?? null);
}

/** Id of the place whose section contains a point of a slice (grid mm along the pane's axes); null if none does. */
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
    // A point inside an even number of its lines is in a hole.
    const id = ids[cut.edges[2 * first] ?? -1];
    if (id !== undefined) inside.set(id, !inside.get(id));
  }
  const found = [...inside].find(
    ([id, isInside]) => isInside && (marks.shown === null || marks.shown[id] === 1),
  );
  return found ? found[0] : null;
}

/** Selects the place under a click on a slice, if there is one; the panes do not move. */
export function choosePlaceOnSlice(model: ViewerModel, name: SliceName, u: number, v: number): void {
  const id = placeOnSlice(model, name, u, v);
  if (id !== null) model.store.update({ selectedDefectId: String(id) });
}

/** Moves the slices to a point of the surface, and selects its place. */
export function goToHit(model: ViewerModel, { pointWorld, placeId }: SurfaceHit): void {
  model.setCursorWorld(pointWorld);
  if (placeId !== null) model.store.update({ selectedDefectId: String(placeId) });
}
