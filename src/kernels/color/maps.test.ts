import { describe, expect, it } from 'vitest';
import { aboveIndex, belowIndex, type ColorMapName, colorIndex, colorMap } from './maps.ts';

const entry = (name: ColorMapName, i: number) => [...colorMap(name).subarray(3 * i, 3 * i + 3)];
const luminance = (rgb: number[]) => {
  const [r, g, b] = rgb.map((v) =>
    v / 255 > 0.04045 ? ((v / 255 + 0.055) / 1.055) ** 2.4 : v / 255 / 12.92,
  );
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

describe('colour maps', () => {
  it('start and end with the published colours', () => {
    expect(entry('viridis', 0)).toEqual([0x44, 0x01, 0x54]);
    expect(entry('viridis', 255)).toEqual([0xfd, 0xe7, 0x25]);
    expect(entry('cividis', 0)).toEqual([0x00, 0x22, 0x4e]);
    expect(entry('cividis', 255)).toEqual([0xfe, 0xe8, 0x38]);
    expect(entry('coolwarm', 0)).toEqual([59, 76, 192]);
    expect(entry('coolwarm', 255)).toEqual([180, 4, 38]);
    expect(entry('gray', 200)).toEqual([200, 200, 200]);
  });

  it('have a light grey in the middle of coolwarm, within 2 of the published 221', () => {
    for (const i of [127, 128])
      for (const byte of entry('coolwarm', i)) expect(Math.abs(byte - 221)).toBeLessThan(3);
  });

  it('match the published batlow within one byte step, also between the stored entries', () => {
    const published = {
      0: [0.0051932, 0.098238, 0.34984],
      28: [0.063071, 0.24709, 0.37505],
      56: [0.10684, 0.34977, 0.38455],
      84: [0.23136, 0.4262, 0.33857],
      112: [0.40297, 0.48047, 0.24473],
      140: [0.60052, 0.5336, 0.17065],
      168: [0.81169, 0.57519, 0.25257],
      196: [0.96494, 0.62693, 0.46486],
      250: [0.98447, 0.78462, 0.93553],
      255: [0.98135, 0.80041, 0.98127],
    };
    for (const [i, rgb] of Object.entries(published))
      for (const [k, byte] of entry('batlow', Number(i)).entries())
        expect(Math.abs(byte - 255 * rgb[k])).toBeLessThan(1.5);
    // Luminance rises so slowly that rounding to bytes can reverse neighbouring entries, but never three.
    for (let i = 3; i < 256; i++)
      expect(luminance(entry('batlow', i))).toBeGreaterThan(luminance(entry('batlow', i - 3)));
  });

  it('paint a tolerance in three colours: within, below and above', () => {
    const colours = [-0.11, -0.1, 0, 0.1, 0.11].map((mm) =>
      entry('tolerance', colorIndex(mm, -0.1, 0.1)).join(),
    );
    expect(new Set(colours.slice(1, 4)).size).toBe(1);
    expect(new Set(colours).size).toBe(3);
  });

  it('use the end colours beyond the limits', () => {
    expect(entry('viridis', colorIndex(-1, 0, 4))).toEqual(entry('viridis', 0));
    expect(entry('viridis', colorIndex(5, 0, 4))).toEqual(entry('viridis', 255));
  });

  it.each(['viridis', 'cividis', 'gray'] as const)('%s grows lighter from entry to entry', (name) => {
    for (let i = 1; i < 256; i++) {
      expect(luminance(entry(name, i))).toBeGreaterThan(luminance(entry(name, i - 1)) - 5e-4);
    }
    expect(new Set(Array.from({ length: 256 }, (_, i) => entry(name, i).join())).size).toBeGreaterThanOrEqual(
      250,
    );
  });

  it('give each entry an equal range, include the maximum in the last, and have separate entries outside the limits', () => {
    expect(colorIndex(0, 0, 4)).toBe(0);
    expect(colorIndex(2, 0, 4)).toBe(128);
    expect(colorIndex(4, 0, 4)).toBe(255);
    expect(colorIndex(-9, 0, 4)).toBe(belowIndex);
    expect(colorIndex(9, 0, 4)).toBe(aboveIndex);
    expect(colorIndex(Number.NaN, 0, 4)).toBe(-1);
  });
});
