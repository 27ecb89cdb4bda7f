import { describe, expect, it } from 'vitest';
import { decimalsFor, fixed, formatLength } from '#contract/base/format-number.ts';
import { measureBounds, vertexAreasAndNormals, withoutNaN } from '#kernels/color/vertex-areas.ts';
import {
  autoRange,
  missingValue,
  niceStep,
  scalarStatistics,
  ticks,
  weightedHistogram,
} from '#kernels/color/weighted-histogram.ts';
import { legendDomain, valueAtY, yAtValue } from '#kernels/overlay/paint-legend.ts';
import { scaleBar } from '#kernels/overlay/scale-bar.ts';
import { parsedNumber } from '../overlay/format-number.ts';

describe('The mesh data of the worker', () => {
  const square = {
    positions: new Float32Array([0, 0, 0, 2, 0, 0, 2, 3, 0, 0, 3, 0]),
    indices: new Uint32Array([0, 1, 2, 0, 2, 3]),
  };
  it('distribute the area among the vertices and include normals', () => {
    const { vertexAreasMm2, normals, areaMm2 } = vertexAreasAndNormals(square);
    expect(areaMm2).toBe(6);
    expect([...vertexAreasMm2]).toEqual([2, 1, 2, 1]);
    expect([...normals.subarray(0, 3)]).toEqual([0, 0, 1]);
  });
  it('keep the normals of the file and mark unmeasured vertices', () => {
    const normals = new Float32Array(12).fill(0.5);
    expect(vertexAreasAndNormals({ ...square, normals }).normals).toEqual(normals);
    expect(withoutNaN({ t: new Float32Array([1, Number.NaN, Infinity]) })['t']).toEqual(
      new Float32Array([1, missingValue, missingValue]),
    );
  });
  it('include the bounds', () => {
    expect(measureBounds(square.positions)).toEqual({ min: [0, 0, 0], max: [2, 3, 0] });
  });
});

describe('Statistics by area', () => {
  it('weight a large triangle more than many small ones', () => {
    // nine vertices of 1 mm² at 1 mm, one of 91 mm² at 5 mm
    const values = new Float32Array([...new Array(9).fill(1), 5]);
    const areas = new Float32Array([...new Array(9).fill(1), 91]);
    const statistics = scalarStatistics(values, areas);
    expect(statistics?.mean).toBeCloseTo((9 + 455) / 100, 6);
    expect(statistics?.median).toBeCloseTo(5, 2);
  });

  it('give quantiles of a uniform distribution within 1/4000, despite an outlier a thousand times away', () => {
    const count = 100_001;
    const values = Float32Array.from({ length: count }, (_, i) => i / (count - 1));
    values[0] = 1000;
    const statistics = scalarStatistics(values, new Float32Array(count).fill(0.01));
    expect(statistics?.low).toBeCloseTo(0.005, 3);
    expect(statistics?.median).toBeCloseTo(0.5, 3);
    expect(statistics?.high).toBeCloseTo(0.995, 3);
    expect(statistics?.maximum).toBe(1000);
  });

  it('exclude unmeasured vertices and report their share', () => {
    const statistics = scalarStatistics(new Float32Array([2, missingValue, 4]), new Float32Array([1, 2, 1]));
    expect(statistics).toMatchObject({ minimum: 2, maximum: 4, mean: 3, measuredAreaMm2: 2, areaMm2: 4 });
    expect(scalarStatistics(new Float32Array([missingValue]), new Float32Array([1]))).toBeNull();
  });

  it('count into bins, the maximum into the last, values outside separately', () => {
    const histogram = weightedHistogram(
      new Float32Array([0, 1, 2, 4, 5, -1, missingValue]),
      new Float32Array([1, 2, 3, 4, 5, 6, 7]),
      0,
      4,
      4,
    );
    expect([...histogram.areasMm2]).toEqual([1, 2, 3, 4]);
    expect([histogram.belowMm2, histogram.aboveMm2]).toEqual([6, 5]);
  });
});

describe('Limits and ticks', () => {
  const statistics = (low: number, high: number) => ({
    minimum: low,
    maximum: high,
    low,
    high,
    mean: 0,
    median: 0,
    measuredAreaMm2: 1,
    areaMm2: 1,
  });
  it('are round, and symmetric around zero for signed scalars', () => {
    expect(autoRange(statistics(3.72, 9.11), false)).toEqual([3.5, 9.5]);
    expect(autoRange(statistics(0.2, 9.1), false)).toEqual([0, 9.5]);
    expect(autoRange(statistics(-0.012, 0.034), true)).toEqual([-0.035, 0.035]);
    expect(autoRange(statistics(2, 2), false)[1]).toBeGreaterThan(2);
  });
  it('step by 1, 2 or 5', () => {
    expect([0.7, 1, 1.1, 3, 7, 0.03].map(niceStep)).toEqual([1, 1, 2, 5, 10, 0.05]);
    expect(ticks(3.7, 9.3, 4)).toEqual([4, 6, 8]);
    expect(ticks(-0.1, 0.1, 4)).toEqual([-0.1, -0.05, 0, 0.05, 0.1]);
  });
  it('stay at their positions on the bar', () => {
    const box = { x: 0, y: 10, width: 100, height: 200 };
    const domain = legendDomain([3, 9], { low: 2, high: 8 });
    expect(domain).toEqual([2 - 0.28, 9 + 0.28]);
    expect(legendDomain([0, 9], null)[0]).toBe(0);
    expect(valueAtY(box, domain, yAtValue(box, domain, 4.2))).toBeCloseTo(4.2, 12);
    expect(yAtValue(box, domain, domain[1])).toBe(10);
  });
});

describe('Numbers and lengths', () => {
  it('are written with the decimals of their step', () => {
    expect([1, 0.1, 0.005, 20].map(decimalsFor)).toEqual([0, 1, 3, 0]);
    expect(fixed(-0.0001, 2)).toBe('0.00');
    expect(fixed(45012.5, 1)).toBe('45,012.5');
  });
  it('are parsed as people type them', () => {
    expect(parsedNumber('45,012.5')).toBe(45012.5);
    expect(parsedNumber('2,5')).toBe(2.5);
    expect(parsedNumber('−3.1')).toBe(-3.1);
    expect(parsedNumber('1 000')).toBe(1000);
    expect(parsedNumber('abc')).toBeNull();
    expect(parsedNumber('')).toBeNull();
  });
  it('give the longest round scale bar that fits', () => {
    expect(scaleBar(0.1, 140, formatLength)).toMatchObject({ lengthMm: 10, lengthPx: 100 });
    expect(scaleBar(0.1, 50, formatLength)).toMatchObject({ lengthMm: 5, lengthPx: 50 });
    expect(scaleBar(0.0007, 100, formatLength).label).toBe('50\u202fµm');
  });
});
