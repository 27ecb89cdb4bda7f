import { expect, test } from 'vitest';
import { add, cross, dot, minus, scale, unit } from '../grid/vectors.ts';
import type { Vector3 } from '../grid/volume.ts';
import { seededNormal, seededRandom } from '../random.ts';
import { type FeatureKind, type Fit, minPoints } from './feature.ts';
import { fitFeature } from './fit-feature.ts';
import { spanPlane } from './guess-feature.ts';
import { estimateFeatureUncertainty, type FeatureUncertainty, measurePoints } from './measure.ts';

interface Known {
  center: Vector3;
  axis: Vector3;
  radius: number;
  apexAngleDeg: number;
}

/** Points on a known body; position and orientation follow from the seed, noise is normal to the surface. */
function sample(kind: FeatureKind, seed: number, count: number, noise = 0, share = 1) {
  const [random, normal] = [seededRandom(seed), seededNormal(seed + 1)];
  const among = (low: number, high: number) => low + (high - low) * random();
  const axis = unit([among(-1, 1), among(-1, 1), among(-1, 1)]);
  const [u, v] = spanPlane(axis);
  const center: Vector3 = [among(-200, 200), among(-200, 200), among(-200, 200)];
  const radius = among(2, 20);
  const apexAngleDeg = among(20, 100);
  const slope = Math.tan((apexAngleDeg * Math.PI) / 360);
  const points = Array.from({ length: count }, (): Vector3 => {
    const angle = among(0, 2 * Math.PI * share);
    const height = among(-0.4, 0.4) * radius;
    const around = add(scale(u, Math.cos(angle)), scale(v, Math.sin(angle)));
    const off = noise * normal();
    switch (kind) {
      case 'line':
        return add(center, add(scale(axis, 5 * height), scale(around, off)));
      case 'plane':
        return add(center, add(scale(around, among(0, radius)), scale(axis, off)));
      case 'circle':
        return add(center, add(scale(around, radius + off), scale(axis, noise * normal())));
      case 'sphere': {
        const z = among(-1, 1);
        const outwards = add(scale(around, Math.sqrt(1 - z * z)), scale(axis, z));
        return add(center, scale(outwards, radius + off));
      }
      case 'cylinder':
        return add(center, add(scale(axis, 3 * height), scale(around, radius + off)));
      default: {
        const outwards = unit(minus(around, scale(axis, slope)));
        return add(
          center,
          add(add(scale(axis, height), scale(around, radius + slope * height)), scale(outwards, off)),
        );
      }
    }
  });
  return { points, known: { center, axis, radius, apexAngleDeg } satisfies Known };
}

const kinds: FeatureKind[] = ['line', 'plane', 'circle', 'sphere', 'cylinder', 'cone'];
const angleTo = (axis: Vector3, direction: Vector3) =>
  (Math.atan2(Math.hypot(...cross(axis, direction)), Math.abs(dot(axis, direction))) * 180) / Math.PI;

/** Errors of the fit relative to the radius; for the angle of a cone relative to the angle. */
function measureErrors({ feature }: Fit, { center, axis, radius, apexAngleDeg }: Known): number[] {
  const errors: number[] = [];
  if (feature.direction) errors.push((angleTo(axis, feature.direction) * Math.PI) / 180);
  if (feature.apexAngleDeg !== null) errors.push(feature.apexAngleDeg / apexAngleDeg - 1);
  else if (feature.radiusMm !== null) errors.push(feature.radiusMm / radius - 1);
  const off = minus(feature.centerMm, center);
  if (feature.kind === 'circle' || feature.kind === 'sphere') errors.push(Math.hypot(...off) / radius);
  else if (feature.kind === 'plane') errors.push(dot(off, axis) / radius);
  else errors.push(Math.hypot(...cross(off, axis)) / radius);
  return errors.map(Math.abs);
}

test.each(kinds)('a %s is found exactly from points on it, wherever it lies', (kind) => {
  for (let seed = 1; seed <= 6; seed++) {
    const { points, known } = sample(kind, seed, 40);
    const fit = fitFeature(kind, points);
    expect(Math.max(...measureErrors(fit, known)), `seed ${seed}`).toBeLessThan(1e-6);
    expect(fit.formErrorMm / known.radius, `seed ${seed}`).toBeLessThan(1e-6);
    expect(fit.pointCount).toBe(40);
  }
});

test.each(kinds)('a %s under noise of 0.1 % of its radius is found within 0.1 %', (kind) => {
  for (let seed = 1; seed <= 3; seed++) {
    const noise = 0.001 * sample(kind, seed, 1).known.radius;
    const { points, known } = sample(kind, seed, 1500, noise);
    const fit = fitFeature(kind, points);
    expect(Math.max(...measureErrors(fit, known)), `seed ${seed}`).toBeLessThan(1e-3);
    // The range of 1500 normal deviations is about 6.5; for a line the form error is twice the largest radius.
    expect(fit.formErrorMm / noise).toBeGreaterThan(5);
    expect(fit.formErrorMm / noise).toBeLessThan(10);
  }
});

test.each(['circle', 'cylinder'] as const)('a %s is fitted from a third of its circumference', (kind) => {
  for (let seed = 1; seed <= 6; seed++) {
    const { points, known } = sample(kind, seed, 60, 0, 1 / 3);
    expect(Math.max(...measureErrors(fitFeature(kind, points), known)), `seed ${seed}`).toBeLessThan(1e-5);
  }
});

test('a fit does not depend on the scale of the part', () => {
  const { points, known } = sample('cylinder', 3, 50, 0.01);
  const { radiusMm } = fitFeature('cylinder', points).feature;
  for (const factor of [1e-6, 1e6]) {
    const { feature } = fitFeature(
      'cylinder',
      points.map((point) => scale(point, factor)),
    );
    expect((feature.radiusMm as number) / factor / (radiusMm as number)).toBeCloseTo(1, 6);
  }
  expect((radiusMm as number) / known.radius).toBeCloseTo(1, 2);
});

test('intervals contain the true values, and are not too wide', () => {
  for (const kind of ['circle', 'plane', 'cylinder', 'cone'] as const) {
    let [held, widths, errors] = [0, 0, 0];
    const tries = 60;
    for (let seed = 1; seed <= tries; seed++) {
      const noise = 0.002 * sample(kind, seed, 1).known.radius;
      const { points, known } = sample(kind, seed, 12, noise);
      const uncertainty = {
        randomMm: noise,
        systematicMm: 0,
        grid: null,
        roundingMm2: 0,
        method: 'quality' as const,
      };
      const { values, fit } = measurePoints(kind, points, uncertainty);
      const standard =
        kind === 'plane' ? (fit as Fit).sensitivity.center * noise : (values[0].standard as number);
      const error = {
        plane: dot(minus((fit as Fit).feature.centerMm, known.center), known.axis),
        cone: values[0].value - known.apexAngleDeg,
        circle: values[0].value - 2 * known.radius,
        cylinder: values[0].value - 2 * known.radius,
      }[kind];
      if (Math.abs(error) <= 2 * standard) held++;
      widths += 2 * standard;
      errors += Math.abs(error);
    }
    // The nominal coverage is 95 %; fewer than 52 of 60 occur by chance once in two hundred times.
    expect(held / tries, kind).toBeGreaterThan(0.85);
    // For a normal distribution 2 / 0.8 = 2.5.
    expect(widths / errors, kind).toBeLessThan(4);
  }
});

test('residuals that are alike at neighbouring points widen the interval of the direction', () => {
  let [held, independent, widths, errors] = [0, 0, 0, 0];
  const tries = 100;
  for (let seed = 1; seed <= tries; seed++) {
    const { points, known } = sample('plane', seed, 150);
    const random = seededRandom(seed);
    // Streaks: waves over the face in four random directions, a sixth to a half of it long.
    const waves = Array.from({ length: 4 }, () => {
      const direction = unit([random() - 0.5, random() - 0.5, random() - 0.5]);
      return { vector: scale(direction, (2 + 4 * random()) / known.radius), phase: 2 * Math.PI * random() };
    });
    const streaked = points.map((point) => {
      const height = waves.reduce(
        (sum, { vector, phase }) => sum + Math.sin(Math.PI * dot(vector, minus(point, known.center)) + phase),
        0,
      );
      return add(point, scale(known.axis, 0.001 * known.radius * height));
    });
    const fit = fitFeature('plane', streaked);
    // In one direction, as for the angle to another plane.
    const [across] = spanPlane(known.axis);
    const error = Math.abs(dot(across, fit.feature.direction as Vector3));
    const { directionRad } = estimateFeatureUncertainty(fit, streaked, null) as FeatureUncertainty;
    if (error <= 2 * directionRad) held++;
    if (error <= (2 * directionRad) / fit.alike) independent++;
    widths += 2 * directionRad;
    errors += error;
  }
  expect(held / tries).toBeGreaterThan(0.9);
  expect(independent / tries).toBeLessThan(0.88);
  expect(widths / errors).toBeLessThan(4);
});

test.each(kinds)('the RMS deviation of a %s never exceeds its form error', (kind) => {
  for (let seed = 1; seed <= 6; seed++)
    for (const [count, noise] of [
      [minPoints[kind], 0.05],
      [12, 0.3],
      [200, 0.02],
    ] as const) {
      const { points, known } = sample(kind, seed, count, noise);
      const { rmsMm, formErrorMm } = fitFeature(kind, points);
      const message = `seed ${seed}, ${count} points`;
      expect(rmsMm - formErrorMm, message).toBeLessThanOrEqual(1e-6 * known.radius);
      // The widest range of numbers with this RMS and a mean of zero: one at each end.
      if (kind !== 'line')
        expect(formErrorMm, message).toBeLessThanOrEqual(rmsMm * Math.sqrt(2 * count) + 1e-6);
    }
});

/** Points at regular places on a body along z around (3, −2, 5), with a deviation normal to the surface. */
function wave(kind: FeatureKind, deviate: (angle: number) => number): Vector3[] {
  const slope = 0.5;
  return Array.from({ length: 7 * 48 }, (_, i): Vector3 => {
    const [angle, row] = [(2 * Math.PI * (i % 48)) / 48, Math.floor(i / 48) - 3];
    const off = deviate(angle);
    const around = (radius: number, z: number): Vector3 => [
      3 + radius * Math.cos(angle),
      radius * Math.sin(angle) - 2,
      5 + z,
    ];
    switch (kind) {
      case 'line':
        return [3 + Math.abs(off) * Math.cos(angle), Math.abs(off) * Math.sin(angle) - 2, 5 + 4 * row];
      case 'plane':
        return around(4 + row, off);
      case 'circle':
        return around(10 + off, 0.2 * (-1) ** row);
      case 'sphere': {
        const polar = (row * Math.PI) / 9;
        return around((10 + off) * Math.cos(polar), (10 + off) * Math.sin(polar));
      }
      case 'cylinder':
        return around(10 + off, row);
      default: {
        const normal = Math.hypot(1, slope);
        return around(10 + slope * row + off / normal, row - (slope * off) / normal);
      }
    }
  });
}

test.each(kinds)('a wave of known height on a %s has this form error, and its RMS deviation', (kind) => {
  const height = 0.02;
  const { rmsMm, formErrorMm, feature } = fitFeature(
    kind,
    // Four lobes deform no fitted feature; a line is surrounded by a tube.
    wave(kind, (angle) => height * (kind === 'line' ? 1 : Math.cos(4 * angle))),
  );
  expect(formErrorMm, 'form error').toBeCloseTo(2 * height, 5);
  expect(rmsMm, 'RMS deviation').toBeCloseTo(kind === 'line' ? height : height / Math.SQRT2, 5);
  if (kind === 'circle') expect(feature.radiusMm).toBeCloseTo(10, 6);
});

const refused: [string, FeatureKind, Vector3[], RegExp][] = [
  [
    'too few points',
    'sphere',
    [
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
    ],
    /needs at least 4 points; there are 3/,
  ],
  [
    'one place',
    'line',
    [
      [1, 1, 1],
      [1, 1, 1],
    ],
    /same place/,
  ],
  [
    'points on a line',
    'circle',
    [
      [0, 0, 0],
      [1, 1, 1],
      [2, 2, 2],
    ],
    /on one line/,
  ],
  [
    'points in a plane',
    'sphere',
    [
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
      [1, 1.5, 0],
    ],
    /in one plane/,
  ],
  [
    'no number',
    'plane',
    [
      [0, 0, 0],
      [1, 0, 0],
      [0, Number.NaN, 0],
    ],
    /Point 3 has a coordinate/,
  ],
  [
    'nearly a line',
    'circle',
    [
      [0, 0, 0],
      [1, 1e-5, 0],
      [2, 0, 0],
    ],
    /so small a part of the circle/,
  ],
];
test.each(refused)('refuses %s in a sentence', (_, kind, points, sentence) => {
  expect(() => fitFeature(kind, points)).toThrow(sentence);
});

test('refuses a cylinder from the points of one section', () => {
  const ring = Array.from({ length: 12 }, (_, i): Vector3 => [Math.cos(i), Math.sin(i), 5]);
  expect(() => fitFeature('cylinder', ring)).toThrow(/in one plane/);
});
