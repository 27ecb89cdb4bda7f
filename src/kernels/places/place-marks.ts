import { findBall, type PlaceBall } from './place-ball.ts';
import { filterRows, type PlaceLimits, type PlaceTable } from './place-table.ts';

/** Which places of a surface are to be seen. */
export interface PlaceMarks {
  /** of the surface: the number of its place at each vertex */
  attribute: string;
  /** by that number, 1 for those that are; null = all */
  shown: Uint8Array | null;
  /** seen through everything */
  chosenId: number | null;
  /** stands for the chosen one where the surface has no triangles of it: of very many the smallest have none */
  chosenBall: PlaceBall | null;
}

/** Rows within all the limits, and by the number of a place 1 where it is among them; null = all are. */
export function keepPlaces(table: PlaceTable, filter: readonly PlaceLimits[]) {
  const rows = filterRows(table, filter);
  return { rows, shown: rows.length < table.count ? markIds(table, rows) : null };
}

/** The row of the place that a view state has chosen; null where it is none of the table's. */
export const findChosen = (table: PlaceTable, selectedId: string | null): number | null =>
  selectedId === null ? null : (table.rowOfId.get(Number(selectedId)) ?? null);

/**
 * @param attribute of the surface: the number of its place at each vertex
 * @param shown as `keepPlaces` gives it
 * @param chosen its row; it is seen also where the filter leaves it out
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
