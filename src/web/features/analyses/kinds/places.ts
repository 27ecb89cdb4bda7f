/** Sort order of location tables: thin regions, defects, parts of a reference. Pure. */

/** Numbers by size, texts alphabetically; missing values last in either direction. The sort is stable. */
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
