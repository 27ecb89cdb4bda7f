import { describe, expect, it } from 'vitest';
import { type CurvePoint, findLevel, styleCurve, tabulateCurve } from './transfer-curve.ts';

const facts = { low: 0, high: 1000, material: 800, iso: 500 };
const ramp: CurvePoint[] = [
  { value: 200, opacity: 0, color: '#000000' },
  { value: 600, opacity: 1, color: '#ff8000' },
];

describe('a curve as a table', () => {
  it('is linear between its points and constant beyond them', () => {
    const table = tabulateCurve(ramp, 0, 1000, 11);
    const at = (i: number) => [...table.subarray(4 * i, 4 * i + 4)];
    expect(at(0)).toEqual([0, 0, 0, 0]);
    expect(at(2)).toEqual([0, 0, 0, 0]);
    expect(at(4)).toEqual([128, 64, 0, 128]);
    expect(at(6)).toEqual([255, 128, 0, 255]);
    expect(at(10)).toEqual([255, 128, 0, 255]);
  });

  it('does not depend on the order of its points', () => {
    expect(tabulateCurve([...ramp].reverse(), 0, 1000, 64)).toEqual(tabulateCurve(ramp, 0, 1000, 64));
  });

  it('steps where two points have the same value', () => {
    const step = [
      { value: 500, opacity: 0, color: '#000000' },
      { value: 500, opacity: 1, color: '#000000' },
    ];
    const opacities = [...tabulateCurve(step, 0, 1000, 5)].filter((_, i) => i % 4 === 3);
    expect(opacities).toEqual([0, 0, 255, 255, 255]);
  });
});

describe('the level of the solid part', () => {
  it('is where opacity exceeds half of the highest, so that a lower opacity hides nothing', () => {
    expect(findLevel(ramp)).toBe(400);
    expect(findLevel([{ ...ramp[0], opacity: 0.7 }, ramp[1]])).toBe(200);
    expect(findLevel([ramp[0], { ...ramp[1], opacity: 0.15 }])).toBe(400);
    expect(findLevel(ramp.map((point) => ({ ...point, opacity: 0 })))).toBeNull();
  });

  it('is the ISO 50 value in the surface style', () => {
    expect(findLevel(styleCurve('surface', facts))).toBeCloseTo(500, 9);
    expect(findLevel(styleCurve('surface', { ...facts, high: 60_000 }))).toBeCloseTo(500, 9);
  });
});

describe('the curves of the styles', () => {
  it.each(['surface', 'bone', 'xray', 'maximum'] as const)(
    '%s is within the grey range and makes air transparent',
    (style) => {
      const curve = styleCurve(style, facts);
      expect(curve[0].opacity).toBe(0);
      for (const { value, opacity } of curve) {
        expect(value).toBeGreaterThanOrEqual(facts.low);
        expect(value).toBeLessThanOrEqual(facts.high);
        expect(opacity).toBeGreaterThanOrEqual(0);
        expect(opacity).toBeLessThanOrEqual(1);
      }
    },
  );

  it('show the highest value as white in the maximum projection', () => {
    expect([...tabulateCurve(styleCurve('maximum', facts), 0, 1000, 256).subarray(-4)]).toEqual([
      255, 255, 255, 255,
    ]);
  });
});
