import { describe, expect, it } from 'vitest';
import { formatMeasured, roundMeasured } from './quantities.ts';

const text = (...given: Parameters<typeof formatMeasured>) =>
  formatMeasured(...given).replaceAll('\u2009', ' ');

describe('A measured number', () => {
  it('ends at the second digit of its uncertainty, both alike', () => {
    expect(text(0.35123, 'length', 0.0124)).toBe('0.351 ± 0.012 mm');
    expect(text(253.712, 'volume', 0.38)).toBe('253.71 ± 0.38 mm³');
    expect(text(269.21, 'area', 2)).toBe('269.2 ± 2.0 mm²');
    expect(text(-0.001938, 'length', 0.0023)).toBe('-1.9 ± 2.3 µm');
    expect(text(0.0001608, 'share', 0.000056)).toBe('0.0161 ± 0.0056 %');
    expect(text(12_345.678, 'volume', 380)).toBe('12,346 ± 380 mm³');
  });

  it('has four digits where none is known or it gives none', () => {
    expect(text(0.35123, 'length', null)).toBe('0.3512 mm');
    expect(text(0.35123, 'length', 0)).toBe('0.3512 ± 0 mm');
  });

  it('never becomes nothing or all of it', () => {
    expect(text(-0.0001455, 'length', 0.01503)).toBe('-0.1455 ± 15 µm');
    expect(text(0.99995, 'share', 0.002)).toBe('99.995 ± 0.2 %');
  });

  it('has the same digits in a file, in one unit', () => {
    expect(roundMeasured(-0.001938, 'length', 0.0023)).toEqual({
      value: -0.0019,
      expanded: 0.0023,
      unit: 'mm',
    });
    expect(roundMeasured(0.0001608, 'share', 0.000056)).toEqual({
      value: 0.0161,
      expanded: 0.0056,
      unit: '%',
    });
  });
});
