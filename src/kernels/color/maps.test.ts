import { describe, expect, it } from 'vitest';
import { type ColorMapName, colorIndex, colorMap } from './maps.ts';

const entry = (name: ColorMapName, i: number) => [...colorMap(name).subarray(3 * i, 3 * i + 3)];
const luminance = (rgb: number[]) => {
  const [r, g, b] = rgb.map((v) =>
    v / 255 > 0.04045 ? ((v / 255 + 0.055) / 1.055) ** 2.4 : v / 255 / 12.92,
  );
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

describe('colour maps', () => {
  it('begin and end in the published colours', () => {
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

  it.each(['viridis', 'cividis', 'gray'] as const)('%s grows lighter from entry to entry', (name) => {
    for (let i = 1; i < 256; i++) {
      expect(luminance(entry(name, i))).toBeGreaterThan(luminance(entry(name, i - 1)) - 5e-4);
    }
    expect(new Set(Array.from({ length: 256 }, (_, i) => entry(name, i).join())).size).toBeGreaterThanOrEqual(
      250,
    );
  });

  it('give each entry an equal share, the maximum to the last, and clamp outside', () => {
    expect(colorIndex(0, 0, 4)).toBe(0);
    expect(colorIndex(2, 0, 4)).toBe(128);
    expect(colorIndex(4, 0, 4)).toBe(255);
    expect(colorIndex(-9, 0, 4)).toBe(0);
    expect(colorIndex(9, 0, 4)).toBe(255);
    expect(colorIndex(Number.NaN, 0, 4)).toBe(-1);
  });
});
