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
  for (const [bin, count] of counts.entries()) {
    const x = place(minimum + bin * binWidth);
    const height = (Math.log1p(count) / most) * tall;
    context.fillRect(x, floor - height, Math.max(1, place(minimum + (bin + 1) * binWidth) - x), height);
  }
}
