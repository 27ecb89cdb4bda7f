import { describe, expect, it } from 'vitest';
import { vertexAreas } from './deviation-statistics.ts';
import { findVerdict, type JudgedSurface, judgeSurface } from './judge-deviation.ts';

const tolerance = { lowerMm: -0.1, upperMm: 0.1 };

/** A plate of 20 × 20 squares of 1 mm with a deviation at each corner. */
function plate(deviationAt: (x: number, y: number) => number) {
  const positions: number[] = [];
  const deviation: number[] = [];
  const indices: number[] = [];
  for (let y = 0; y <= 20; y++) {
    for (let x = 0; x <= 20; x++) {
      positions.push(x, y, 0);
      deviation.push(deviationAt(x, y));
      const at = y * 21 + x;
      if (x < 20 && y < 20) indices.push(at, at + 1, at + 22, at, at + 22, at + 21);
    }
  }
  const mesh = { positions: new Float32Array(positions), indices: new Uint32Array(indices) };
  return { mesh, deviationMm: Float32Array.from(deviation), areaMm2: vertexAreas(mesh) };
}

const judgePlate = ({ mesh, deviationMm, areaMm2 }: ReturnType<typeof plate>): JudgedSurface => ({
  side: 'scan',
  ...mesh,
  deviationMm,
  areaMm2,
  farMm: new Float32Array(deviationMm.length).fill(Number.NaN),
});
const describePatches = (surface: JudgedSurface, smallestAreaMm2: number) =>
  judgeSurface(surface, tolerance, 0, smallestAreaMm2).places;

describe('places beyond the tolerance', () => {
  it('are connected, separate above and below, located, and sorted by distance', () => {
    const bump = (x: number, y: number, cx: number) => Math.abs(x - cx) <= 1 && Math.abs(y - 5) <= 1;
    const surface = judgePlate(
      plate((x, y) => {
        if (x === 5 && y === 5) return 0.3;
        // Next to the first one, and on the other side of the tolerance.
        if (bump(x, y, 8)) return x === 9 && y === 6 ? -0.5 : -0.2;
        return bump(x, y, 5) ? 0.2 : 0.1;
      }),
    );
    const { places, surelyBeyond } = judgeSurface(surface, tolerance, 0, 2);
    expect(places).toHaveLength(2);
    expect(places[0]).toMatchObject({ side: 'scan', worstMm: Math.fround(-0.5), worstPointMm: [9, 6, 0] });
    expect(places[1]).toMatchObject({ worstMm: Math.fround(0.3), worstPointMm: [5, 5, 0] });
    expect(places[0].areaMm2).toBeCloseTo(9, 5);
    expect(places[0].notFoundAreaMm2).toBe(0);
    expect(surelyBeyond.reduce((a, b) => a + b, 0)).toBe(18);
  });

  it('smaller than the scan’s resolution do not count', () => {
    const surface = judgePlate(plate((x, y) => (x === 4 && y === 4 ? 3 : 0)));
    expect(describePatches(surface, 4)).toEqual([]);
    expect(describePatches(surface, 0.5)).toHaveLength(1);
  });

  it('include places without a counterpart, with their distance when known', () => {
    const surface = judgePlate(plate((x, y) => (x < 3 ? Number.NaN : x > 17 && y > 17 ? Number.NaN : 0)));
    for (let v = 0; v < 441; v++) if (v % 21 < 3) surface.farMm[v] = -5 - (v % 21);
    const { places, surelyBeyond, maybeBeyond } = judgeSurface(surface, tolerance, 0.02, 2);
    expect(places.map(({ worstMm }) => worstMm)).toEqual([-7, null]);
    expect(places[0].notFoundAreaMm2).toBeCloseTo(places[0].areaMm2, 9);
    expect(surelyBeyond.includes(1)).toBe(false);
    expect(maybeBeyond.reduce((a, b) => a + b, 0)).toBe(63 + 9);
  });

  it('without a counterpart join measured ones beside them on the same side of the tolerance', () => {
    const surface = judgePlate(plate((x) => (x < 3 ? Number.NaN : x < 5 ? -0.5 : 0)));
    for (let v = 0; v < 441; v++) if (v % 21 < 3) surface.farMm[v] = -9;
    const [place, ...others] = describePatches(surface, 2);
    expect(others).toEqual([]);
    expect(place.worstMm).toBe(-9);
    expect(place.areaMm2).toBeGreaterThan(place.notFoundAreaMm2);
    expect(place.notFoundAreaMm2).toBeGreaterThan(0);
  });

  it('exclude vertices that do not count', () => {
    const surface = { ...judgePlate(plate(() => 0.5)), isCounted: new Uint8Array(441) };
    const judged = judgeSurface(surface, tolerance, 0.2, 0);
    expect(judged.places).toEqual([]);
    expect(judged.maybeBeyond.includes(1)).toBe(false);
  });
});

describe('the verdict', () => {
  const verdictAt = (mm: number, isComplete = true, guardBandMm = 0.02) => {
    const surface = judgePlate(plate((x, y) => (x > 5 && y > 5 && x < 12 && y < 12 ? mm : 0)));
    return findVerdict([judgeSurface(surface, tolerance, guardBandMm, 1)], isComplete);
  };
  it.each([
    [0.05, 'pass'],
    [0.079, 'pass'],
    [0.081, 'indeterminate'],
    [0.1, 'indeterminate'],
    [0.119, 'indeterminate'],
    [0.121, 'fail'],
    [-0.079, 'pass'],
    [-0.119, 'indeterminate'],
    [-0.121, 'fail'],
    [Number.NaN, 'indeterminate'],
  ] as const)('of a patch %s mm out, ± 0.1 mm allowed and 0.02 mm uncertain, is %s', (mm, expected) => {
    expect(verdictAt(mm)).toBe(expected);
  });
  it('is never pass for an incomplete scan, but fail when a scanned place is out', () => {
    expect(verdictAt(0.05, false)).toBe('indeterminate');
    expect(verdictAt(0.2, false)).toBe('fail');
  });
  it('cannot be pass when the uncertainty is as wide as the tolerance', () => {
    expect(verdictAt(0, true, 0.1)).toBe('indeterminate');
    expect(verdictAt(0.25, true, 0.1)).toBe('fail');
  });
  it('is the worst of both surfaces', () => {
    const [fine, out, open] = [0, 0.5, Number.NaN].map((mm) =>
      judgeSurface(judgePlate(plate(() => mm)), tolerance, 0, 0),
    );
    expect(findVerdict([fine, out], true)).toBe('fail');
    expect(findVerdict([fine, open], true)).toBe('indeterminate');
    expect(findVerdict([fine, fine], true)).toBe('pass');
  });
});
