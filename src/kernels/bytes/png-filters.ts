/** Undoes the row predictors: 1 left, 2 up, 3 mean of both, 4 the nearest of three (Paeth); all others mean 0. */
export function undoPngFilters(
  filtered: Uint8Array,
  rowLength: number,
  height: number,
  channels: number,
): Uint8Array {
  const samples = new Uint8Array(rowLength * height);
  for (let row = 0; row < height; row++) {
    const kind = filtered[row * (rowLength + 1)];
    const from = row * (rowLength + 1) + 1;
    const to = row * rowLength;
    for (let i = 0; i < rowLength; i++) {
      const left = i >= channels ? samples[to + i - channels] : 0;
      const up = row > 0 ? samples[to + i - rowLength] : 0;
      const corner = i >= channels && row > 0 ? samples[to + i - rowLength - channels] : 0;
      samples[to + i] = filtered[from + i] + predicted(kind, left, up, corner);
    }
  }
  return samples;
}

function predicted(kind: number, left: number, up: number, corner: number): number {
  if (kind === 1) return left;
  if (kind === 2) return up;
  if (kind === 3) return (left + up) >> 1;
  if (kind !== 4) return 0;
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
