/** The row of a statement that always has one, such as an insert that returns it or a count. @throws Error without any */
export function takeRow<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error('the statement gave no row');
  return row;
}
