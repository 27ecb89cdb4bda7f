import type { GreyHistogram } from '#kernels/grid/grey-window.ts';

/**
 * Draws a logarithmic histogram of grey values with its base at `floor` and a maximum height of `tall`; CSS pixels, in
 * the current fill colour.
 */
export function paintHistogram(
  context: CanvasRenderingContext2D,
  { counts, minimum, maximum }: GreyHistogram,
  place: (value: number) => number,
  floor: number,
  tall: number,
): void {
  const most = Math.log1p(Math.max(...counts));
  const binWidth = (maximum - minimum) / counts.length;
  // As one path: bars side by side would show seams where an edge lies within a pixel.
  context.beginPath();
  for (const [bin, count] of counts.entries()) {
    const x = place(minimum + bin * binWidth);
    const height = (Math.log1p(count) / most) * tall;
    context.rect(x, floor - height, Math.max(1, place(minimum + (bin + 1) * binWidth) - x), height);
  }
  context.fill();
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Powers of ten on the axis of {@link paintHistogram}, at most five: share of the height, and label. */
export function listPowers({ counts }: Pick<GreyHistogram, 'counts'>): [share: number, label: string][] {
  const most = Math.max(1, ...counts);
  const last = Math.floor(Math.log10(most));
  const step = Math.ceil((last + 1) / 5);
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, i) => {
    const power = i * step;
    const label =
      power === 0
        ? '1'
        : power === 1
          ? '10'
          : `10${[...`${power}`].map((digit) => superscripts[Number(digit)]).join('')}`;
    return [Math.log1p(10 ** power) / Math.log1p(most), label];
  });
}
