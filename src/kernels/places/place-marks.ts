import { findBall, type PlaceBall } from './place-ball.ts';
import { filterRows, type PlaceLimits, type PlaceTable } from './place-table.ts';

/** Visibility of the places of a surface. */
export interface PlaceMarks {
  /** vertex attribute of the surface with the number of the place */
  attribute: string;
  /** by place number: 1 if visible; null = all */
  shown: Uint8Array | null;
  /** visible through everything */
  chosenId: number | null;
  /**
   * represents the selected place if the surface has no triangles of it: with very many places, the smallest have none
   */
  chosenBall: PlaceBall | null;
}

/** Rows within all limits, and a mask by place number that is 1 for these; null = all. */
export function keepPlaces(table: PlaceTable, filter: readonly PlaceLimits[]) {
  const rows = filterRows(table, filter);
  return { rows, shown: rows.length < table.count ? markIds(table, rows) : null };
}

/** Row of the place selected in the view state; null if it is not in the table. */
export const findChosen = (table: PlaceTable, selectedId: string | null): number | null =>
  selectedId === null ? null : (table.rowOfId.get(Number(selectedId)) ?? null);

/**
 * @param attribute vertex attribute of the surface with the number of the place
 * @param shown result of `keepPlaces`
 * @param chosen row of the selected place; it is visible even if the filter excludes it
 */
export const markPlaces = (
  table: PlaceTable,
  attribute: string,
  shown: Uint8Array | null,
  chosen: number | null,
): PlaceMarks => ({
  attribute,
  shown,
  chosenId: chosen === null ? null : (table.ids[chosen] ?? null),
  chosenBall: chosen === null ? null : findBall(table, chosen),
});

function markIds({ ids }: PlaceTable, rows: Uint32Array): Uint8Array {
  const shown = new Uint8Array(1 + ids.reduce((most, id) => Math.max(most, id), 0));
  for (const row of rows) {
    const id = ids[row];
    if (id !== undefined) shown[id] = 1;
  }
  return shown;
}
