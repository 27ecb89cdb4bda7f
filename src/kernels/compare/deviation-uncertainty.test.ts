import { describe, expect, it } from 'vitest';
import { seededNormal } from '../random.ts';
import { boxMesh } from '../testing/compare-bodies.ts';
import { findDeviationErrors, type SurfaceErrors } from './deviation-errors.ts';
import { deviationStatistics } from './deviation-statistics.ts';
import { findDeviationContributions, findPlaceContributions } from './deviation-uncertainty.ts';
import { findPoseModes, shiftsAt } from './pose-uncertainty.ts';
import { makeProbe } from './probe.ts';
import { refineMesh } from './refine-mesh.ts';

const tolerance = { lowerMm: -0.2, upperMm: 0.2 };
const block = makeProbe(refineMesh(boxMesh([40, 30, 20]), 1.5).mesh);
const count = block.areaMm2.length;
const facing = (v: number, axis: number) =>
  block.directions[3 * v + axis] /
  Math.hypot(block.directions[3 * v], block.directions[3 * v + 1], block.directions[3 * v + 2]);

const surface: SurfaceErrors = {
  shiftsMm: { level: 0.01, grid: 0.005 },
  noiseMm: 0.04,
  patchMm2: 31,
  placesMm: new Float32Array(count).fill(0.08),
  referenceMm: 0,
  edgeMm: 0.7,
  voxelMm: 1,
};
const flat = { own: new Float32Array(count), near: new Float32Array(count) };
const findErrors = (deviationMm: Float32Array | null) =>
  findDeviationErrors(
    surface,
    { side: 'scan', ...block, placesMm: surface.placesMm, curvatures: flat },
    deviationMm && findPoseModes({ ...block, deviationMm }),
  );
const expandContributions = (contributions: Record<string, number> = {}) =>
  2 * Math.hypot(...Object.values(contributions));

describe('the best-fit pose of two surfaces', () => {
  it('may be off by as much as a face that is too high pulls it, mainly along its normal', () => {
    // Least squares takes half of one face's excess height off it and puts it on the opposite face.
    const deviationMm = Float32Array.from({ length: count }, (_, v) =>
      Math.abs(facing(v, 2)) > 0.9 ? 0.1 : 0.03,
    );
    const pose = findPoseModes({
      ...block,
      deviationMm: deviationMm.map((d, v) => (facing(v, 2) < -0.9 ? -d : d)),
    });
    const findShift = (axis: number) => {
      const v = Array.from({ length: count }, (_, i) => i).find(
        (i) => facing(i, axis) > 0.99 && onMiddle(i, axis),
      );
      return Math.hypot(...shiftsAt(pose, block.positions, block.directions, v ?? 0));
    };
    expect(findShift(2)).toBeGreaterThan(2 * findShift(0));
    expect(findShift(2)).toBeLessThan(0.1);
  });

  it('is certain when the surfaces coincide or the pose is given', () => {
    const pose = findPoseModes({ ...block, deviationMm: new Float32Array(count) });
    expect(Math.max(0, ...pose.modes.flat().map(Math.abs))).toBeLessThan(1e-9);
    expect(findErrors(null).poseAt(0)).toEqual([]);
  });
});

function onMiddle(v: number, axis: number): boolean {
  return [0, 1, 2].every((k) => k === axis || Math.abs(block.positions[3 * v + k]) < 3);
}

describe('the statistics of a nominal scan', () => {
  const normal = seededNormal(3);
  const deviationMm = Float32Array.from({ length: count }, () => 0.008 + 0.04 * normal());
  const measured = { deviationMm, areaMm2: block.areaMm2, errors: findErrors(null) };
  const found = findDeviationContributions(measured, tolerance);
  const numbers = deviationStatistics(deviationMm, block.areaMm2, tolerance);

  it('are zero within their intervals, and these are not much too wide', () => {
    for (const [path, value] of [
      ['meanMm', numbers?.meanMm],
      ['rmsMm', numbers?.rmsMm],
      ['sdMm', numbers?.sdMm],
      ['minMm', numbers?.minMm],
      ['maxMm', numbers?.maxMm],
      ['percentilesMm.p99', numbers?.percentilesMm.p99],
      ['percentilesMm.p50', numbers?.percentilesMm.p50],
    ] as const) {
      const expanded = expandContributions(found[path]);
      expect(Math.abs(value ?? 9), path).toBeLessThan(expanded);
      expect(expanded, path).toBeLessThan(path.startsWith('m') ? 0.5 : 4 * Math.abs(value ?? 0) + 0.03);
    }
  });

  it('near a limit are as uncertain as noise makes them', () => {
    const atLimit = { ...measured, deviationMm: deviationMm.map((d) => d + 0.2) };
    const open = findDeviationContributions(atLimit, tolerance).inToleranceShare;
    expect(expandContributions(open)).toBeGreaterThan(0.5);
    expect(expandContributions(found.inToleranceShare)).toBeLessThan(0.05);
  });
});

it('the place furthest out is less certain on a sharper edge', () => {
  const near = new Float32Array(count).fill(0.3);
  const errors = findDeviationErrors(
    surface,
    { side: 'scan', ...block, placesMm: surface.placesMm, curvatures: { own: near, near } },
    null,
  );
  expect(expandContributions(findPlaceContributions(errors, 0, 5000))).toBeGreaterThan(
    2 * expandContributions(findPlaceContributions(findErrors(null), 0, 5000)),
  );
  // Rounding of edges must not prevent a pass, but must prevent a fail because of it.
  expect(errors.bandMm.beyond[0]).toBeGreaterThan(2 * errors.bandMm.within[0]);
});
