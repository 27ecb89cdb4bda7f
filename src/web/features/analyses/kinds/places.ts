/** Order and digits of the tables of places: thin regions, defects, parts of a reference. Pure. */

/** Numbers by size, words by alphabet; what has no value comes last in either direction, equal ones keep their order. */
export function sortedBy<Row>(
  rows: readonly Row[],
  value: (row: Row) => number | string | null,
  descending: boolean,
): Row[] {
  return rows.toSorted((a, b) => {
    const [p, q] = [value(a), value(b)];
    if (p === null || q === null) return p === q ? 0 : p === null ? 1 : -1;
    const order =
      typeof p === 'number' && typeof q === 'number'
        ? p - q
        : String(p).localeCompare(String(q), 'en', { numeric: true });
    return descending ? -order : order;
  });
}

/** Digits after the point for a whole column, so that the points stand above each other: two of the smallest value. */
export function columnDigits(values: readonly (number | string | null)[]): number {
  const sizes = values.flatMap((value) =>
    typeof value === 'number' && value !== 0 ? [Math.abs(value)] : [],
  );
  if (sizes.length === 0) return 0;
  return Math.min(5, Math.max(0, 1 - Math.floor(Math.log10(Math.min(...sizes)))));
}
