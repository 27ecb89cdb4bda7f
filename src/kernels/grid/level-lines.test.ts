import { expect, it } from 'vitest';
import { blurRows, filterRowMedians, traceLevel } from './level-lines.ts';
import { estimateLevels, levelAt } from './near-levels.ts';
import { cutByRegion } from './region.ts';
import { identityDirections, type Vector3, type Volume } from './volume.ts';

const air = 8000;
const contrast = 32000;

/** A disc whose grey value may fall towards its centre, with an edge two pixels wide. */
function disc(size: number, radius: number, cupping = 0) {
  const values = new Float32Array(size * size);
  const middle = (size - 1) / 2;
  for (let i = 0; i < values.length; i++) {
    const r = Math.hypot((i % size) - middle, Math.floor(i / size) - middle);
    const share = Math.min(1, Math.max(0, (radius - r) / 2 + 0.5));
    values[i] = air + share * contrast * (1 - cupping * (1 - Math.min(1, r / radius) ** 2));
  }
  return { width: size, height: size, values };
}

const radii = (pieces: Float64Array, size: number) =>
  Array.from({ length: pieces.length / 2 }, (_, i) =>
    Math.hypot(pieces[2 * i] - (size - 1) / 2, pieces[2 * i + 1] - (size - 1) / 2),
  );

it('traces a level so that segments of neighbouring cells share their ends', () => {
  const pieces = traceLevel(disc(64, 20), air + contrast / 2);
  for (const r of radii(pieces, 64)) expect(Math.abs(r - 20)).toBeLessThan(0.02);
  const ends = new Map<string, number>();
  for (let i = 0; i < pieces.length; i += 2) {
    const end = `${pieces[i].toFixed(9)} ${pieces[i + 1].toFixed(9)}`;
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  // Closed: every end belongs to two segments.
  expect([...ends.values()].every((count) => count === 2)).toBe(true);
  // Material on the left: the segments enclose the area of the disc, with a positive sign.
  let area = 0;
  for (let i = 0; i < pieces.length; i += 4)
    area += (pieces[i] * pieces[i + 3] - pieces[i + 2] * pieces[i + 1]) / 2;
  expect(area / (Math.PI * 400)).toBeCloseTo(1, 2);
});

it('draws nothing next to NaN', () => {
  const plane = disc(32, 10);
  plane.values.fill(Number.NaN, 0, 32 * 16);
  const pieces = traceLevel(plane, air + contrast / 2);
  expect(pieces.length).toBeGreaterThan(0);
  for (let i = 1; i < pieces.length; i += 2) expect(pieces[i]).toBeGreaterThanOrEqual(16);
});

it('removes single outliers with the median and keeps an edge in place when blurred', () => {
  const plane = disc(64, 20);
  plane.values[32 * 64 + 32] = 0;
  expect(traceLevel(filterRowMedians(plane), air + contrast / 2).length).toBeLessThan(
    traceLevel(plane, air + contrast / 2).length,
  );
  for (const r of radii(traceLevel(blurRows(disc(64, 20), [1, 1]), air + contrast / 2), 64))
    expect(Math.abs(r - 20)).toBeLessThan(0.1);
});

it('estimates local levels, so that a grey ramp moves the contour by less than a third compared with one level', () => {
  const size = 64;
  const data = new Float32Array(size ** 3);
  const middle = (size - 1) / 2;
  // A ramp across the scan, which a single level cannot follow.
  for (let i = 0; i < data.length; i++) {
    const at = [i % size, Math.floor(i / size) % size, Math.floor(i / size ** 2)];
    const r = Math.hypot(...at.map((place) => place - middle));
    const share = Math.min(1, Math.max(0, (22 - r) / 3 + 0.5));
    data[i] = air + share * contrast * (0.65 + (0.7 * at[0]) / size);
  }
  const volume: Volume = {
    dimensions: [size, size, size],
    voxelSizeMm: [1, 1, 1],
    originMm: [0, 0, 0],
    directions: identityDirections(),
    dataType: 'float32',
    data,
  };
  const plane = {
    width: size,
    height: size,
    values: data.slice(size * size * 31, size * size * 32),
  };
  const near = estimateLevels(volume, air + contrast / 2);
  if (!near) throw new Error('no levels');
  const levels = Float32Array.from(plane.values, (_, i) =>
    levelAt(near, [i % size, Math.floor(i / size), 31]),
  );
  const worst = (level: number | Float32Array) =>
    Math.max(...radii(traceLevel(plane, level), size).map((r) => Math.abs(Math.hypot(r, 0.5) - 22)));
  const ofOneLevel = worst(air + contrast / 2);
  expect(ofOneLevel).toBeGreaterThan(0.4);
  expect(worst(levels)).toBeLessThan(ofOneLevel / 3);
});

it('cuts a plane by a region at the faces of its outermost cells', () => {
  const grid = {
    dimensions: [10, 10, 10] as Vector3,
    voxelSizeMm: [0.5, 0.5, 0.5] as Vector3,
    originMm: [0, 0, 0] as Vector3,
    directions: identityDirections(),
  };
  const slice = (z: number): Vector3[] => [
    [-9, -9, z],
    [9, -9, z],
    [9, 9, z],
    [-9, 9, z],
  ];
  const box = { min: [1, 1, 1] as Vector3, max: [2, 3, 2] as Vector3 };
  const cut = cutByRegion(slice(1.5), grid, box);
  expect(cut.map(([x, y]) => [x, y])).toEqual(
    expect.arrayContaining([
      [0.75, 0.75],
      [2.25, 0.75],
      [2.25, 3.25],
      [0.75, 3.25],
    ]),
  );
  expect(cutByRegion(slice(3), grid, box)).toEqual([]);
  expect(cutByRegion(slice(1.5), grid, { min: [20, 20, 20], max: [30, 30, 30] })).toEqual([]);
});
