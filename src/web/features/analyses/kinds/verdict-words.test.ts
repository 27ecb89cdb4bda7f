import { describe, expect, it } from 'vitest';
import { findWorst } from './verdict-words.ts';

const tolerance = { lowerMm: -0.1, upperMm: 0.2 };

describe('A comparison', () => {
  it('reports the deviation furthest beyond its own limit as the worst', () => {
    expect(findWorst({ minMm: -0.15, maxMm: 0.22 }, tolerance)).toBe(-0.15);
    expect(findWorst({ minMm: -0.05, maxMm: 0.22 }, tolerance)).toBe(0.22);
  });
});
