export interface ScaleBar {
  lengthMm: number;
  lengthPx: number;
  label: string;
}

/** The longest round length (1, 2 or 5 times a power of ten) that is at most `maxPx` long. */
export function scaleBar(mmPerPixel: number, maxPx: number, formatLength: (mm: number) => string): ScaleBar {
  const most = mmPerPixel * maxPx;
  const power = 10 ** Math.floor(Math.log10(most) + 1e-9);
  const factor = [5, 2, 1].find((candidate) => candidate * power <= most * (1 + 1e-9)) ?? 1;
  const lengthMm = Number((factor * power).toPrecision(6));
  return { lengthMm, lengthPx: lengthMm / mmPerPixel, label: formatLength(lengthMm) };
}
