import { describe, expect, it } from 'vitest';
import type { Vector3 } from '../grid/volume.ts';
import { seededNormal, seededRandom } from '../random.ts';
import { findDetectionLimit } from './detection-limit.ts';
import { type FoundWall, fitWall, fitWalls } from './fit-walls.ts';
import { judgeFit } from './level-of-walls.ts';
import { type GreyBox, readProfile } from './profile.ts';
import { findContrastReach } from './slab-model.ts';

const [air, contrast, blur] = [8000, 20_000, 0.6];
const prior = { contrast: 14_000, contrastWithin: 2, blurMm: 0.8, blurWithinMm: 0.4, air };

/** The cumulative normal distribution by Simpson's rule, independent of the tested code. */
function shareBelow(x: number): number {
  const [from, parts] = [-9, 400];
  const step = (Math.min(x, 9) - from) / parts;
  let sum = 0;
  for (let i = 0; i <= parts; i++) {
    const weight = i === 0 || i === parts ? 1 : i % 2 === 1 ? 4 : 2;
    sum += weight * Math.exp(-0.5 * (from + i * step) ** 2);
  }
  return (sum * step) / 3 / Math.sqrt(2 * Math.PI);
}

/** A plate across a box of 24³ voxels, centred in the box; each voxel is a mean over 4³ points. */
function plate(
  normal: Vector3,
  thickness: number,
  noise: number,
  seed: number,
  voxelSizeMm: Vector3 = [1, 1, 1],
): GreyBox {
  const n = 24;
  const random = seededNormal(seed);
  const table = Float64Array.from({ length: 1201 }, (_, i) => shareBelow((i - 600) / 100));
  const share = (x: number) => table[Math.round(Math.min(Math.max(x, -6), 6) * 100) + 600] ?? 0;
  const middle = voxelSizeMm.map((edge) => ((n - 1) / 2) * edge);
  const values = new Float64Array(n ** 3);
  for (let at = 0; at < values.length; at++) {
    const place = [at % n, Math.floor(at / n) % n, Math.floor(at / n ** 2)].map(
      (c, k) => c * (voxelSizeMm[k] ?? 1),
    );
    let sum = 0;
    for (let part = 0; part < 64; part++) {
      const within = [part % 4, Math.floor(part / 4) % 4, Math.floor(part / 16)];
      const t = place.reduce((all, p, k) => {
        const inner = p + (((within[k] ?? 0) + 0.5) / 4 - 0.5) * (voxelSizeMm[k] ?? 1);
        return all + (inner - (middle[k] ?? 0)) * (normal[k] ?? 0);
      }, 0);
      sum += share((t + thickness / 2) / blur) - share((t - thickness / 2) / blur);
    }
    values[at] = air + (contrast * sum) / 64 + noise * random();
  }
  return { values, strides: [1, n, n * n], offset: 0, from: [0, 0, 0], to: [n, n, n], voxelSizeMm };
}

/** Lines through the plate at random places, with a poor initial guess. */
function findWalls(box: GreyBox, normal: Vector3, guess: number, count: number): FoundWall[] {
  const random = seededRandom(5);
  const walls: FoundWall[] = [];
  while (walls.length < count) {
    const middle = box.voxelSizeMm.map(
      (edge, k) => edge * (11.5 + (1 - Math.abs(normal[k] ?? 0)) * 9 * (random() - 0.5)),
    );
    const off = middle.reduce(
      (sum, m, k) => sum + (m - 11.5 * (box.voxelSizeMm[k] ?? 1)) * (normal[k] ?? 0),
      0,
    );
    const place = middle.map((m, k) => m - off * (normal[k] ?? 0) + (guess / 2) * (normal[k] ?? 0));
    const profile = readProfile(box, { place, normal, fromMm: -guess - 3, toMm: 3, around: 2 });
    if (profile) walls.push({ profile, slab: { faceMm: 0, thicknessMm: guess, air } });
  }
  return walls;
}
const medianSource = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const askew: Vector3 = [0.36, 0.48, 0.8];

describe('slabs fitted to walls', () => {
  it.each([
    { normal: [0, 0, 1] as Vector3, thickness: 2.3 },
    { normal: askew, thickness: 2.5 },
    { normal: askew, thickness: 4 },
  ])('together determine contrast, blur and a thickness of $thickness voxels', ({ normal, thickness }) => {
    const box = plate(normal, thickness, 0.05 * contrast, 3);
    const fit = fitWalls(findWalls(box, normal, thickness + 0.5, 120), prior);
    const within = judgeFit(fit)?.contrastWithin ?? 0;
    expect(within).toBeLessThan(0.03);
    expect(Math.abs((fit?.contrast ?? 0) / contrast - 1)).toBeLessThan(3 * within);
    expect(Math.abs((fit?.blurMm ?? 0) - blur)).toBeLessThan(0.06);
    expect(
      Math.abs(medianSource((fit?.walls ?? []).map(({ slab }) => slab.thicknessMm)) - thickness),
    ).toBeLessThan(0.1);
  });

  it('do not determine the contrast of one-voxel walls, where only thickness times contrast is known', () => {
    const box = plate(askew, 1, 0.05 * contrast, 3);
    expect(judgeFit(fitWalls(findWalls(box, askew, 1.4, 120), prior))).toBeNull();
  });

  it('individually determine a thickness of one voxel when contrast and blur are known', () => {
    const box = plate(askew, 1, 0.02 * contrast, 4);
    const errors = findWalls(box, askew, 1.6, 40).map(({ profile, slab }) => {
      fitWall(profile, slab, { contrast, blurMm: blur }, air, 0.02 * contrast);
      return slab.thicknessMm - 1;
    });
    expect(Math.abs(medianSource(errors))).toBeLessThan(0.03);
  });

  it.each([1.2, 2.5, 4])(
    'of %s voxels change with a wrong contrast by no more than the edge spread',
    (thickness) => {
      const box = plate(askew, thickness, 0, 4);
      const fitted = (by: number) =>
        medianSource(
          findWalls(box, askew, thickness + 0.3, 20).map(({ profile, slab }) => {
            fitWall(profile, slab, { contrast: by * contrast, blurMm: blur }, air, 0.02 * contrast);
            return slab.thicknessMm;
          }),
        );
      const perShare = (fitted(0.985) - fitted(1.015)) / 0.03;
      const most = Math.min(thickness, findContrastReach(blur, 1));
      expect(perShare / most).toBeLessThan(1.15);
      expect(perShare / most).toBeGreaterThan(0.4);
    },
  );

  it('are correct across voxels three times as long', () => {
    const box = plate([0, 0, 1], 7.5, 0.05 * contrast, 3, [1, 1, 3]);
    const walls = findWalls(box, [0, 0, 1], 8.5, 120).flatMap(({ slab }, i) => {
      const place = [8 + (i % 8), 8 + (Math.floor(i / 8) % 8), 11.5 * 3 + 4.25];
      const line = { place, normal: [0, 0, 1], fromMm: -18, toMm: 9, around: 2 };
      const profile = readProfile(box, line);
      return profile ? [{ profile, slab }] : [];
    });
    const fit = fitWalls(walls, { ...prior, contrast: 0.98 * contrast, contrastWithin: 0.05 });
    expect(
      Math.abs(medianSource((fit?.walls ?? []).map(({ slab }) => slab.thicknessMm)) / 7.5 - 1),
    ).toBeLessThan(0.03);
  });
});

describe('a profile', () => {
  it('is null when it leaves the box or contains a value that is not finite', () => {
    const box = plate([0, 0, 1], 3, 0, 1);
    const line = { place: [12, 12, 13], normal: [0, 0, 1], fromMm: -6, toMm: 3, around: 1 };
    expect(readProfile(box, line)?.places.length).toBe(90);
    expect(readProfile(box, { ...line, toMm: 12 })).toBeNull();
    expect(readProfile(box, { ...line, place: [0.4, 12, 13] })).toBeNull();
    (box.values as Float64Array)[12 + 24 * (12 + 24 * 12)] = Number.NaN;
    expect(readProfile(box, line)).toBeNull();
  });
});

describe('the detection limit', () => {
  it('rises with the blur and with the filter', () => {
    const sharp = findDetectionLimit(0.3, [1], 1);
    expect(sharp).toBeLessThan(findDetectionLimit(1.2, [1], 1));
    expect(sharp).toBeLessThan(findDetectionLimit(0.3, [0.4, 0.3], 1));
    // Six tenths of a normal distribution lie within 0.84 standard deviations.
    expect(findDetectionLimit(1.2, [1], 1) / Math.hypot(1.2, 1 / Math.sqrt(12))).toBeCloseTo(1.68, 1);
  });
});
