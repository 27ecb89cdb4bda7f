import { expect, it } from 'vitest';
import { seededNormal, seededRandom } from '../random.ts';
import { sphereMesh } from '../testing/meshes.ts';
import { middleDepths } from './edge-blur.ts';
import { curvatureKeepingWeights } from './filter-weights.ts';
import {
  estimateSurfaceUncertainty,
  findBentShare,
  findBrightening,
  findCurvature,
  findLevelOffset,
  findRaised,
  findUnevenness,
  includeThinWalls,
} from './surface-uncertainty.ts';

const plain = {
  blurVoxels: 0.6,
  noiseShare: 0,
  levelShare: 0,
  stretch: 1,
  levelOffset: 0,
  inwardVoxels: 0,
};

it('a level error moves the whole surface by its share of the contrast over the slope of the edges', () => {
  const shift = (levelShare: number, blurVoxels: number) =>
    estimateSurfaceUncertainty({ ...plain, blurVoxels, levelShare }).level;
  expect(shift(0.1, 1.5)).toBeCloseTo(0.1 * Math.sqrt(2 * Math.PI) * Math.hypot(1.5, Math.sqrt(1 / 12)), 2);
  expect(shift(0.2, 1)).toBeGreaterThan(1.9 * shift(0.1, 1));
});

it('noise displaces single points, more so at wider edges', () => {
  const scatter = (noiseShare: number, blurVoxels: number) =>
    estimateSurfaceUncertainty({ ...plain, blurVoxels, noiseShare }).noise;
  expect(scatter(0.1, 0.6)).toBeCloseTo(2 * scatter(0.05, 0.6), 12);
  expect(scatter(0.05, 1.5)).toBeGreaterThan(1.4 * scatter(0.05, 0.6));
});

it('the interval of a known shift extends beyond it', () => {
  const reach = (levelOffset: number, inwardVoxels: number, stretch = 1) =>
    2 * estimateSurfaceUncertainty({ ...plain, levelOffset, inwardVoxels, stretch }).level;
  const perShare = Math.sqrt(2 * Math.PI) * Math.hypot(0.6, Math.sqrt(1 / 12));
  expect(reach(0, 0.2)).toBeGreaterThan(0.8 * 0.2);
  expect(reach(0.05, 0)).toBeGreaterThan(0.05 * perShare);
  expect(reach(-0.05, 0.2)).toBeGreaterThan(reach(0, 0.2));
  // A filtered grid has wider edges, so the same level error moves them further.
  expect(reach(0.05, 0, 1.5)).toBeGreaterThan(1.3 * reach(0.05, 0));
});

it('the interval holds what removing rings takes from faces around the axis', () => {
  const { level } = estimateSurfaceUncertainty({ ...plain, areRingsRemoved: true });
  expect(2 * level).toBeGreaterThan(0.06);
  expect(level).toBeLessThan(0.05 + estimateSurfaceUncertainty(plain).level);
});

it('levels beside an edge are extrapolated to it by the square root of the depth', () => {
  const rise = (depth: number) => 0.1 - 0.03 * Math.sqrt(depth);
  // Edges look sharper where grey values rise towards them.
  expect(findLevelOffset(makeMiddles(rise), 1)).toBeCloseTo(rise(4) + 1.5 * (rise(0.6) - rise(4)), 12);
  expect(
    findLevelOffset(
      makeMiddles(() => 0.02),
      1,
    ),
  ).toBeCloseTo(0.02, 12);
});

it('remains of an edge, or of a wall’s other face, are not extrapolated', () => {
  const tail = (depth: number) => 0.01 + (depth === 3 ? 0.005 : 0);
  expect(findLevelOffset(makeMiddles(tail), 1)).toBeCloseTo(0.01, 12);
  const wall = (depth: number) => 0.01 - (depth === 5 ? 0.005 : 0);
  expect(findLevelOffset(makeMiddles(wall), 1)).toBeCloseTo(0.01, 12);
});

it('levels beside an edge count only beyond the scatter between sections of the surface', () => {
  const offset = (level: number) =>
    findLevelOffset(
      makeMiddles((depth) => level - 0.0002 * depth, 0.004),
      1,
    );
  expect(offset(0.0017)).toBe(0);
  expect(offset(0.0108)).toBeGreaterThan(0.0094);
  expect(offset(0.0108)).toBeLessThan(0.01);
});

it('thin walls that are brighter than deep edges move the offset, beyond the scatter of their profiles', () => {
  const middles = makeMiddles(() => 0.01);
  expect(includeThinWalls(middles, 0.01, 0)).toBe(0.01);
  const shown = { ...middles, shallow: { mean: 0.04, error: 0.001 } };
  expect(includeThinWalls(shown, 0.01, 0)).toBeGreaterThan(0.04);
  expect(includeThinWalls(shown, 0.01, 0.005)).toBeLessThan(includeThinWalls(shown, 0.01, 0));
  const scattered = { ...middles, shallow: { mean: 0.04, error: 0.02 } };
  expect(includeThinWalls(scattered, 0.01, 0)).toBe(0.01);
});

/** Sections alternate around the median by `scatter`. */
function makeMiddles(at: (depth: number) => number, scatter = 0) {
  const medians = middleDepths.map(at);
  const ofSections = medians.map((median, i) =>
    Array.from({ length: 16 }, (_, n) => median + scatter * (n % 2 === 0 ? 1 : -1) * (i === 1 ? 1 : 0.8)),
  );
  return { medians, ofSections, spread: scatter, shallow: null };
}

/** Histogram of pure noise about a mean. */
function countNormal(mean: number, sd: number, amount: number): number[] {
  return Array.from({ length: 200 }, (_, bin) =>
    Math.round(amount * Math.exp(-(((bin + 0.5 - mean) / sd) ** 2) / 2)),
  );
}

it('a rim brighter than the inside is detected beyond the noise of the peak, noise alone is not', () => {
  const inside = countNormal(120, 5, 1e5);
  const peaks = { air: 20, material: 120 };
  const brightening = (counts: number[]) => findBrightening({ min: 0, max: 200, counts }, peaks, 5);
  expect(brightening(inside)).toBeLessThan(0.006);
  const rim = countNormal(150, 5, 4e4);
  expect(brightening(inside.map((count, bin) => count + rim[bin]))).toBeCloseTo(0.26, 1);
  // Replaced single hot voxels are not a rim; if fewer were replaced than exist, the rest counts as one.
  const hot = inside.map((count, bin) => count + (bin === 199 ? 2e5 : 0));
  const told = 2e5 / hot.reduce((sum, count) => sum + count, 0);
  const withSpecks = (share: number) => findBrightening({ min: 0, max: 200, counts: hot }, peaks, 5, share);
  expect(withSpecks(told)).toBeLessThan(0.01);
  expect(withSpecks(told / 4)).toBeGreaterThan(0.5);
});

it('noise remaining after a filter is not unevenness, variation beyond it is', () => {
  const half = curvatureKeepingWeights(1.3);
  const full = [...half.slice(1).reverse(), ...half];
  const [random, normal] = [seededRandom(5), seededNormal(6)];
  const row = Array.from({ length: 6000 }, () => normal());
  const filtered = full.reduce(
    (sums, weight, k) => sums.map((sum, i) => sum + weight * (row[i + k] ?? 0)),
    new Array<number>(5900).fill(0),
  );
  // Two values far from each other, each somewhere between two cells.
  const read = (at: number) => {
    const [cell, part] = [Math.floor(at), at % 1];
    return (1 - part) * (filtered[cell] ?? 0) + part * (filtered[cell + 1] ?? 0);
  };
  const middles = Array.from({ length: 4000 }, () => {
    const at = 5000 * random();
    return 0.05 * ((read(at) + read(at + 400)) / 2);
  });
  const spread = Math.sqrt(middles.reduce((sum, value) => sum + value ** 2, 0) / middles.length);
  expect(findUnevenness({ spread }, [half], 0.05)).toBeLessThan(0.4 * spread);
  expect(findUnevenness({ spread: 2 * spread }, [half], 0.05)).toBeGreaterThan(1.65 * spread);
});

it('clipping noise from below raises its mean as a direct sum predicts', () => {
  const [grey, noise, lowest] = [20, 10, 12];
  const step = 0.001;
  let mean = 0;
  for (let t = -8; t < 8; t += step) {
    const density = Math.exp((-t * t) / 2) / Math.sqrt(2 * Math.PI);
    mean += step * density * Math.max(lowest, grey + noise * t);
  }
  expect(findRaised(grey, noise, lowest)).toBeCloseTo(mean - grey, 3);
  expect(findRaised(grey, noise, grey - 6 * noise)).toBeLessThan(1e-6 * noise);
  expect(findRaised(grey, 0, 0)).toBe(0);
});

/** A band around a rod, one row of squares. */
function rodSurface(radius: number, sectors: number) {
  const corners = Array.from({ length: 2 * sectors }, (_, i) => {
    const angle = (2 * Math.PI * (i >> 1)) / sectors;
    return { x: Math.cos(angle), y: Math.sin(angle), z: i & 1 };
  });
  const indices = Array.from({ length: sectors }, (_, i) => {
    const [a, b] = [2 * i, 2 * ((i + 1) % sectors)];
    return [a, b, b + 1, a, b + 1, a + 1];
  });
  return {
    positions: Float32Array.from(corners.flatMap(({ x, y, z }) => [radius * x, radius * y, z])),
    normals: Float32Array.from(corners.flatMap(({ x, y }) => [x, y, 0])),
    indices: Uint32Array.from(indices.flat()),
  };
}

it('the mean curvature of a sphere is one over its radius, that of a sheet zero', () => {
  const radius = 4;
  const { positions, indices } = sphereMesh(radius, 40, 80);
  const normals = positions.map((value) => value / radius);
  const ball = { positions, normals, indices };
  expect(findCurvature(ball).mean).toBeCloseTo(1 / radius, 2);
  expect(findCurvature(ball, { sharp: 1.2 / radius }).sharpShare).toBe(0);
  expect(findCurvature(ball, { sharp: 0.8 / radius }).sharpShare).toBeGreaterThan(0.95);
  // A ball is not an edge; a rod, which is curved in one direction only, may be one.
  expect(findCurvature(ball, { sharp: 0.8 / radius }).edgeShare).toBeLessThan(0.2);
  const rod = rodSurface(radius, 60);
  expect(findCurvature(rod).mean).toBeCloseTo(0.5 / radius, 2);
  expect(findCurvature(rod, { sharp: 0.3 / radius }).edgeShare).toBeGreaterThan(0.9);
  expect(findCurvature(rod, { isCounted: (vertex) => vertex < 0 }).mean).toBe(0);
  // The rod has the ball's largest curvature, and half its mean curvature.
  for (const surface of [ball, rod]) {
    expect(findBentShare(surface, 1.3 / radius)).toBe(0);
    expect(findBentShare(surface, 0.8 / radius)).toBeGreaterThan(0.9);
  }
  const hollow = { ...ball, normals: normals.map((value) => -value) };
  expect(findCurvature(ball).signed).toBeCloseTo(1 / radius, 2);
  expect(findCurvature(hollow).signed).toBeCloseTo(-1 / radius, 2);
  const sheet = {
    positions: new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0]),
    normals: new Float32Array([0, 0, 1, 0, 0, 1, 0, 0, 1]),
    indices: new Uint32Array([0, 1, 2]),
  };
  expect(findCurvature(sheet)).toEqual({ mean: 0, signed: 0, sharpShare: 0, edgeShare: 0 });
});
