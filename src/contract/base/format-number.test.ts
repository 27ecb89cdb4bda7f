import { describe, expect, it } from 'vitest';
import {
  chooseUnit,
  formatAgainstLimit,
  formatGiven,
  formatIn,
  formatNumber,
  formatQuantities,
  formatQuantity,
  formatWithin,
  formatWithinUnit,
  resolveRange,
  roundPlace,
  roundShown,
  withUnit,
} from './format-number.ts';

const thin = '\u202f';

describe('A shown number', () => {
  it('has four significant digits, all digits before the point, and a dash for a missing number', () => {
    expect([2.418349, 0.0123456, 12345.6, 99.996, 1e9 / 3].map((value) => formatNumber(value))).toEqual([
      '2.418',
      '0.01235',
      '12,346',
      '100',
      '333,333,333',
    ]);
    expect([formatNumber(Number.NaN), formatQuantity(null, 'mm')]).toEqual(['–', '–']);
    expect([formatNumber(-0.0004, 3), formatNumber(-0.0006, 3)]).toEqual(['0.000', '-0.001']);
    expect(roundShown(-12345.6)).toBe(-12346);
  });

  it('is shown in µm when it is small', () => {
    expect(formatQuantity(2.41834, 'mm')).toBe(`2.418${thin}mm`);
    expect(formatQuantity(0.0345678, 'mm')).toBe(`34.57${thin}µm`);
    expect(formatQuantity(-0.0345678, 'mm')).toBe(`-34.57${thin}µm`);
    expect(formatQuantity(0.0000123456, 'mm³')).toBe(`12,350${thin}µm³`);
    expect(formatQuantity(0.00098765, 'mm²')).toBe(`987.7${thin}µm²`);
    expect(formatQuantity(0, 'mm')).toBe(`0${thin}mm`);
    expect(formatQuantity(3e-14, 'mm')).toBe(`3e-11${thin}µm`);
  });

  it('has the same unit as the numbers beside it', () => {
    const unit = chooseUnit([0.01, null, 0.5], 'mm');
    expect([unit.unit, formatIn(unit, 0.01)]).toEqual(['mm', '0.01']);
    expect(formatQuantities([0.0125, 0.0125, 0.05], 'mm')).toBe(`12.5 × 12.5 × 50${thin}µm`);
  });

  it('is never 100 % for a share below 1', () => {
    expect(formatQuantity(99.99968, '%')).toBe(`99.99968${thin}%`);
    expect(formatQuantity(99.5, '%')).toBe(`99.5${thin}%`);
    expect(formatQuantity(100, '%')).toBe(`100${thin}%`);
  });

  it('beside its limit has enough digits to differ from it; the limit keeps the digits typed', () => {
    expect(formatAgainstLimit(0.50002, 0.5, 'mm')).toBe(`0.50002${thin}mm`);
    expect(formatAgainstLimit(0.5, 0.5, 'mm')).toBe(`0.5${thin}mm`);
    expect(formatAgainstLimit(0.0345678, 0.5, 'mm')).toBe(`0.03457${thin}mm`);
    expect(formatAgainstLimit(null, 0.5, 'mm')).toBe('–');
    expect(formatGiven(0.0123456, 'mm')).toBe(`0.0123456${thin}mm`);
    expect(formatGiven(30, '°')).toBe('30°');
  });

  it('of a range has the decimals that the range deserves, as all others of it', () => {
    const range = [-0.2, 0.2] as const;
    const shown = chooseUnit(range, 'mm');
    expect([-0.00002928, 0.0123456, -0.2].map((value) => formatWithin(range, shown, value))).toEqual([
      '0.0000',
      '0.0123',
      '-0.2000',
    ]);
    const small = [0, 0.05] as const;
    expect(formatWithin(small, chooseUnit(small, 'mm'), 0.0345678)).toBe('34.57');
    expect([2.418349, 1.1].map((value) => formatWithinUnit([0, 5], 'mm', value))).toEqual([
      withUnit('2.418', 'mm'),
      withUnit('1.100', 'mm'),
    ]);
    expect(formatWithin([0, 65535], { unit: '', factor: 1 }, 31234.56)).toBe('31,235');
    expect(formatWithin(range, shown, Number.NaN)).toBe('–');
    expect(
      [
        [0, 5],
        [0, 0.0004],
        [1, 1],
      ].map(([low = 0, high = 0]) => resolveRange([low, high])),
    ).toEqual([1e-3, 1e-7, 0]);
  });

  it('that is a coordinate has a resolution of 0.1 µm or finer', () => {
    expect([123.456789, 0.00123456].map(roundPlace)).toEqual([123.4568, 0.001235]);
  });
});
