import { type CurvePoint, sortedCurve } from '#kernels/color/transfer-curve.ts';

export const mostPoints = 16;

/** The curve with one point elsewhere; it stays between its neighbours and within the grey values. */
export function movePoint(
  curve: readonly CurvePoint[],
  index: number,
  change: Partial<CurvePoint>,
  [low, high]: readonly [number, number],
): CurvePoint[] {
  const moved = { ...curve[index], ...change };
  const from = curve[index - 1]?.value ?? low;
  const to = curve[index + 1]?.value ?? high;
  moved.value = Math.min(to, Math.max(from, moved.value));
  moved.opacity = Math.min(1, Math.max(0, moved.opacity));
  return curve.map((point, i) => (i === index ? moved : point));
}

/** The curve with a point more, in the colour of the one before it; as it is when it is full. */
export function addPoint(curve: readonly CurvePoint[], value: number, opacity: number): CurvePoint[] {
  if (curve.length >= mostPoints) return [...curve];
  const before = curve.filter((point) => point.value <= value).at(-1) ?? curve[0];
  return sortedCurve([...curve, { value, opacity, color: before.color }]);
}

/** Half-way along the longest way between two points: where one more is asked for without saying where. */
export function addPointInGap(curve: readonly CurvePoint[]): CurvePoint[] {
  let widest = 0;
  for (let i = 1; i + 1 < curve.length; i++) {
    const gap = (at: number) => curve[at + 1].value - curve[at].value;
    if (gap(i) > gap(widest)) widest = i;
  }
  const [a, b] = [curve[widest], curve[widest + 1]];
  return addPoint(curve, (a.value + b.value) / 2, (a.opacity + b.opacity) / 2);
}

/** The curve without a point; as it is when it has no more than two. */
export const removePoint = (curve: readonly CurvePoint[], index: number): CurvePoint[] =>
  curve.length > 2 ? curve.filter((_, i) => i !== index) : [...curve];
