export const rowPx = 26;
/** Rows rendered beyond either end of the visible part. */
const spare = 8;

/** Range of rows rendered, from `first` up to but excluding `last`, for the visible part of the list (px). */
export function findSeenRows(
  { top, height }: { top: number; height: number },
  count: number,
): { first: number; last: number } {
  const last = Math.min(count, Math.ceil((top + height) / rowPx) + spare);
  return { first: Math.min(last, Math.max(0, Math.floor(top / rowPx) - spare)), last };
}
