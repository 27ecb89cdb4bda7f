import { describe, expect, it } from 'vitest';
import {
  formatMeasured,
  formatMeasuredAgainstLimit,
  roundMeasured,
  roundMeasuredAgainstLimit,
} from './quantities.ts';

const text = (...given: Parameters<typeof formatMeasured>) =>
  formatMeasured(...given).replaceAll('\u202f', ' ');

describe('A measured number', () => {
  it('is rounded to the second digit of its uncertainty', () => {
    expect(text(0.35123, 'length', 0.0124)).toBe('0.351 ± 0.012 mm');
    expect(text(253.712, 'volume', 0.38)).toBe('253.71 ± 0.38 mm³');
    expect(text(269.21, 'area', 2)).toBe('269.2 ± 2.0 mm²');
    expect(text(-0.001938, 'length', 0.0023)).toBe('-1.9 ± 2.3 µm');
    expect(text(0.0001608, 'share', 0.000056)).toBe('0.0161 ± 0.0056 %');
    expect(text(12_345.678, 'volume', 380)).toBe('12,346 ± 380 mm³');
  });

  it('has no decimals when it counts things', () => {
    expect(text(34, 'count', 9)).toBe('34 ± 9');
    expect(text(4.4, 'ratio', 1.2)).toBe('4.4 ± 1.2');
  });

  it('has four digits when the uncertainty is unknown or zero', () => {
    expect(text(0.35123, 'length', null)).toBe('0.3512 mm');
    expect(text(0.35123, 'length', 0)).toBe('0.3512 mm');
    expect(text(1, 'share', 0)).toBe('100 %');
  });

  it('never becomes zero or 100 % by rounding', () => {
    expect(text(-0.0001455, 'length', 0.01503)).toBe('-0.1455 ± 15 µm');
    expect(text(0.99995, 'share', 0.002)).toBe('99.995 ± 0.2 %');
  });

  it('has the same digits in a file, in a fixed unit', () => {
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
    expect(roundMeasured(1, 'share', 0)).toEqual({ value: 100, expanded: null, unit: '%' });
  });
});

describe('A measured number beside its limit', () => {
  const beside = (...given: Parameters<typeof formatMeasuredAgainstLimit>) =>
    formatMeasuredAgainstLimit(...given).replaceAll('\u202f', ' ');

  it('is rounded to the second digit of its uncertainty, in the unit of the limit', () => {
    expect(beside(0.16973, 0.0032, 0.1, 'mm')).toBe('0.1697 ± 0.0032 mm');
    expect(beside(0.02218, 0.011, 0.1, 'mm')).toBe('0.022 ± 0.011 mm');
    expect(beside(2.2118, 0.0304, 5, '%')).toBe('2.212 ± 0.030 %');
  });

  it('never reads like the limit when it differs from it', () => {
    expect(beside(0.1004, 0.02, 0.1, 'mm')).toBe('0.1004 ± 0.02 mm');
    expect(beside(0.1, 0.02, 0.1, 'mm')).toBe('0.100 ± 0.020 mm');
  });

  it('has no ± part without an uncertainty, and is a dash when nothing was measured', () => {
    expect(beside(0.16973, null, 0.1, 'mm')).toBe('0.1697 mm');
    expect(beside(100, 0, 95, '%')).toBe('100 %');
    expect(beside(null, 0.02, 0.1, 'mm')).toBe('–');
  });
});

it('a number beside a limit has the same digits in CSV files as on screen and in reports', () => {
  expect(roundMeasuredAgainstLimit(14.156533, 0.02119, 30, 'mm³')).toBe(14.157);
  expect(roundMeasuredAgainstLimit(14.156533, null, 30, 'mm³')).toBe(14.16);
  expect(roundMeasuredAgainstLimit(30.0004, 0.02, 30, 'mm³')).toBe(30.0004);
  expect(roundMeasuredAgainstLimit(30, 0.02, 30, 'mm³')).toBe(30);
});
