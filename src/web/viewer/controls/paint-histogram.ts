import type { GreyHistogram } from '#kernels/grid/grey-window.ts';

/** Frequency of grey values, logarithmic, standing on `floor` and at most `tall` high; CSS pixels, in the ink that is set. */
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
