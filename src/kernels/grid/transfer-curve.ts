/** Transfer functions from grey value to opacity and colour: piecewise linear, constant beyond the ends. */

export interface CurvePoint {
  /** grey value */
  value: number;
  /** 0 to 1; per voxel length of such material */
  opacity: number;
  /** #rrggbb, sRGB */
  color: string;
}

export type TransferStyle = 'surface' | 'bone' | 'xray' | 'maximum';

/** Input for the default curves. */
export interface GreyFacts {
  low: number;
  high: number;
  /** typical grey value of the material: only noise and denser material are above */
  material: number;
  /** midway between air and material */
  iso: number;
}

const readRgb = (color: string): [number, number, number] => {
  const number = Number.parseInt(color.slice(1), 16);
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
};

/** Points in the order of their values; points with equal values keep their order. */
export const sortedCurve = (points: readonly CurvePoint[]): CurvePoint[] =>
  [...points].sort((a, b) => a.value - b.value);

/**
 * The curve as a table over `low` … `high`, both included: `count` entries of red, green, blue, opacity, one byte each.
 * O(count · points).
 */
export function tabulateCurve(
  points: readonly CurvePoint[],
  low: number,
  high: number,
  count: number,
): Uint8Array<ArrayBuffer> {
  const sorted = sortedCurve(points);
  const table = new Uint8Array(4 * count);
  for (let i = 0; i < count; i++) {
    const value = low + ((high - low) * i) / (count - 1);
    let next = sorted.findIndex((point) => point.value > value);
    if (next < 0) next = sorted.length;
    const a = sorted[Math.max(0, next - 1)];
    const b = sorted[Math.min(sorted.length - 1, next)];
    const share = b.value > a.value ? Math.min(1, Math.max(0, (value - a.value) / (b.value - a.value))) : 0;
    const [from, to] = [readRgb(a.color), readRgb(b.color)];
    for (let k = 0; k < 3; k++) table[4 * i + k] = Math.round(from[k] + (to[k] - from[k]) * share);
    table[4 * i + 3] = Math.round(255 * (a.opacity + (b.opacity - a.opacity) * share));
  }
  return table;
}

/** Lowest value at which a curve reaches half of its highest opacity: the level of the solid part; null if all is clear. */
export function findLevel(points: readonly CurvePoint[]): number | null {
  const sorted = sortedCurve(points);
  const half = Math.max(...sorted.map(({ opacity }) => opacity)) / 2;
  if (half === 0) return null;
  if (sorted[0].opacity >= half) return sorted[0].value;
  for (let i = 1; i < sorted.length; i++) {
    const [a, b] = [sorted[i - 1], sorted[i]];
    if (b.opacity < half) continue;
    return a.value + ((b.value - a.value) * (half - a.opacity)) / (b.opacity - a.opacity);
  }
  return null;
}

/** Default curve of a style for a volume. */
export function styleCurve(style: TransferStyle, { low, high, material, iso }: GreyFacts): CurvePoint[] {
  const contrast = Math.max(material - iso, (high - low) * 1e-3);
  const point = (value: number, opacity: number, color: string): CurvePoint => ({
    value: Math.min(high, Math.max(low, value)),
    opacity,
    color,
  });
  switch (style) {
    case 'surface': {
      const solid = [point(iso - 0.1 * contrast, 0, '#c3c8ce'), point(iso + 0.1 * contrast, 1, '#c3c8ce')];
      const denser = material + 2 * contrast;
      // Material clearly denser than the part, such as a steel bushing in aluminium, gets another colour.
      return high > denser
        ? [...solid, point(material + contrast, 1, '#c3c8ce'), point(denser, 1, '#d9a441')]
        : solid;
    }
    case 'bone':
      return [
        point(iso - 0.5 * contrast, 0, '#8f6b52'),
        point(iso, 0.1, '#b98f6d'),
        point(iso + 0.6 * contrast, 0.3, '#e6d5b5'),
        point(material + contrast, 0.8, '#fdf8ec'),
      ];
    case 'xray':
      // Starts above the noise of the air, so that rays can skip it.
      return [point(iso - 0.6 * contrast, 0, '#dfe7ee'), point(material, 1, '#dfe7ee')];
    case 'maximum':
      return [
        point(iso - 0.6 * contrast, 0, '#000000'),
        point(iso, 0.6, '#5b6670'),
        point(high, 1, '#ffffff'),
      ];
  }
}
