export const rowPx = 26;
/** Rows drawn beyond either end of what is seen. */
const spare = 8;

/** Which of so many rows are in the document, from `first` up to but not with `last`, for what of the list is seen (px). */
export function findSeenRows(
  { top, height }: { top: number; height: number },
  count: number,
): { first: number; last: number } {
  const last = Math.min(count, Math.ceil((top + height) / rowPx) + spare);
  return { first: Math.min(last, Math.max(0, Math.floor(top / rowPx) - spare)), last };
}
