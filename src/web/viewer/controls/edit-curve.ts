import { type CurvePoint, sortedCurve } from '#kernels/grid/transfer-curve.ts';

export const maxPoints = 16;

/** The curve with one point moved; it stays between its neighbours and within the grey values. */
export function movePoint(
  curve: readonly CurvePoint[],
  index: number,
  change: Partial<CurvePoint>,
  [low, high]: readonly [number, number],
): CurvePoint[] {
  const point = curve[index];
  if (!point) return [...curve];
  const moved = { ...point, ...change };
  const from = curve[index - 1]?.value ?? low;
  const to = curve[index + 1]?.value ?? high;
  moved.value = Math.min(to, Math.max(from, moved.value));
  moved.opacity = Math.min(1, Math.max(0, moved.opacity));
  return curve.map((each, i) => (i === index ? moved : each));
}

/** The curve with a new point in the colour of the preceding one; unchanged if it is full. */
export function addPoint(curve: readonly CurvePoint[], value: number, opacity: number): CurvePoint[] {
  if (curve.length >= maxPoints) return [...curve];
  const before = curve.findLast((point) => point.value <= value) ?? curve[0];
  return before ? sortedCurve([...curve, { value, opacity, color: before.color }]) : [];
}

/** Adds a point at the middle of the longest segment, for when no position is given. */
export function addPointInGap(curve: readonly CurvePoint[]): CurvePoint[] {
  const gaps = curve.slice(1).flatMap((b, i) => {
    const a = curve[i];
    if (!a) return [];
    return [
      { wide: b.value - a.value, value: (a.value + b.value) / 2, opacity: (a.opacity + b.opacity) / 2 },
    ];
  });
  const widest = gaps.sort((a, b) => b.wide - a.wide)[0];
  return widest ? addPoint(curve, widest.value, widest.opacity) : [...curve];
}

/** The curve without a point; unchanged if it has only two. */
export const removePoint = (curve: readonly CurvePoint[], index: number): CurvePoint[] =>
  curve.length > 2 ? curve.filter((_, i) => i !== index) : [...curve];
