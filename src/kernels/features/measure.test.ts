import { expect, test } from 'vitest';
import { computeErf } from '../error-function.ts';
import { findCrossing, type GreyPlane, readGrey } from '../grid/grey-plane.ts';
import type { Vector3, Volume } from '../grid/volume.ts';
import { blurVolume } from '../testing/blur.ts';
import { type Body, box, movedBody, sphere } from '../testing/bodies.ts';
import { renderBody } from '../testing/render-body.ts';
import { fitFeature } from './fit-feature.ts';
import { estimateFeatureUncertainty, measurePoints, measureRelation } from './measure.ts';
import { estimatePointUncertainty } from './point-uncertainty.ts';

const level = 24_000;
/** A scan with 0.1 mm voxels, a blur of 0.7 voxels, and, if any, noise of 1 / 40 of the contrast. */
function scan(body: Body, edge: number, noise: number, seed = 1): Volume {
  const options = { dimensions: [edge, edge, 5] as Vector3, voxelSizeMm: [0.1, 0.1, 0.1] as Vector3 };
  const volume = renderBody(body, { ...options, dataType: 'float32', seed });
  blurVolume(volume, 0.07);
  if (noise > 0) {
    const { data } = renderBody(body, { ...options, dataType: 'float32', air: 0, material: 0, noise, seed });
    for (let i = 0; i < data.length; i++) volume.data[i] += data[i];
  }
  return volume;
}
const takePlane = ({ dimensions, data, originMm, voxelSizeMm }: Volume): GreyPlane => {
  const [width, height] = dimensions;
  const values = data.slice(2 * width * height, 3 * width * height);
  return {
    width,
    height,
    values,
    originMm: [originMm[0], originMm[1]],
    spacingMm: [voxelSizeMm[0], voxelSizeMm[1]],
  };
};
const quality = { contrastToNoise: 40, blurVoxels: 0.7, unevenness: null, gradient: null, rings: null };
const frame = {
  voxelSizeMm: [0.1, 0.1, 0.1],
  originMm: [0, 0, 0] as Vector3,
  directions: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  placement: 'edge' as const,
};
const uncertainty = estimatePointUncertainty({ ...frame, quality });

/** Points that snap to the edge of a tall cylinder from clicks up to three voxels off. */
function pickRing(plane: GreyPlane, [x, y]: readonly [number, number], radius: number): Vector3[] {
  return Array.from({ length: 24 }, (_, i): Vector3 => {
    const beside = radius + 0.3 * Math.sin(7 * i);
    const angle = (2 * Math.PI * i) / 24;
    const at = findCrossing(
      plane,
      [x + beside * Math.cos(angle), y + beside * Math.sin(angle)],
      [level],
      0.6,
    );
    if (!at) throw new Error('not snapped');
    return [at[0], at[1], 0];
  });
}
/** A cylinder so tall that its five planes are identical. */
const tall = (radius: number): Body => ({
  ...box([2 * radius, 2 * radius, 100]),
  distanceMm: (x, y) => Math.hypot(x, y) - radius,
});

test('a bore picked in a slice has its diameter within 0.1 %, and the interval contains it', () => {
  let held = 0;
  for (let seed = 1; seed <= 4; seed++) {
    const center = [0.013 * seed, -0.021 * seed] as const;
    const plane = takePlane(scan(movedBody(tall(3), [...center, 0]), 80, 800, seed));
    const { values } = measurePoints('circle', pickRing(plane, center, 3), uncertainty);
    expect(Math.abs(values[0].value / 6 - 1), `seed ${seed}`).toBeLessThan(1e-3);
    if (Math.abs(values[0].value - 6) <= 2 * (values[0].standard as number)) held++;
  }
  expect(held).toBe(4);
});

test('the interval of a pin of ten voxels holds what blur takes from its diameter', () => {
  const radius = 0.5;
  const plane = takePlane(scan(movedBody(tall(radius), [0.013, -0.021, 0]), 40, 0));
  const points = pickRing(plane, [0.013, -0.021], radius);
  const [diameter] = measurePoints('circle', points, uncertainty).values;
  const off = 2 * radius - diameter.value;
  expect(off).toBeGreaterThan(0.01);
  expect(2 * (diameter.standard ?? 0)).toBeGreaterThan(off);
  expect(2 * (diameter.standard ?? 0)).toBeLessThan(2 * off);
  const ofMesh = estimatePointUncertainty({ ...frame, placement: 'surface', quality });
  expect(ofMesh.roundingMm2).toBeLessThan(0.2 * uncertainty.roundingMm2);
});

test('the width of a box picked in a slice is accurate to 0.1 %', () => {
  // Its faces are at thirds of voxels, where the simulated scan is exact.
  const plane = takePlane(scan(movedBody(box([5, 4, 20]), [0.1 / 3, 0.02, 0]), 80, 0));
  const pick = (u: number, v: number): Vector3 => {
    const at = findCrossing(plane, [u, v], [level], 0.5);
    return [at?.[0] ?? 0, at?.[1] ?? 0, 0];
  };
  const points = [pick(-2.7, 0.1), pick(2.4, 0.1)];
  const { values } = measurePoints('distance', points, uncertainty);
  expect(Math.abs(values[0].value / 5 - 1)).toBeLessThan(1e-3);
  expect(2 * (values[0].standard as number)).toBeGreaterThan(Math.abs(values[0].value - 5));
});

test('points do not snap if the level is not crossed within reach', () => {
  const plane = takePlane(scan(sphere(2), 80, 0));
  expect(findCrossing(plane, [0, 0], [level], 1)).toBeNull();
  expect(readGrey(plane, [100, 0])).toBeNull();
});

test('points snap to the nearest of several materials', () => {
  // Air up to x = 1, a light material up to x = 2, a dense one beyond: 0, 100 and 400, with edges of one voxel.
  const values = Float32Array.from({ length: 5 * 31 }, (_, i) => {
    const x = (i % 31) / 10;
    return x < 0.96 ? 0 : x < 1.96 ? 100 : 400;
  });
  const plane: GreyPlane = { width: 31, height: 5, values, originMm: [0, 0], spacingMm: [0.1, 0.1] };
  const snap = (x: number) => findCrossing(plane, [x, 0.2], [50, 250], 0.4)?.[0] ?? null;
  expect([0.8, 1.2, 1.8, 2.2, 1.45].map(snap)).toEqual([
    ...[0.95, 0.95, 1.95, 1.95].map((x) => expect.closeTo(x, 3)),
    null,
  ]);
});

test('without a known blur, the uncertainty of a point is that of its voxel', () => {
  const { randomMm, method } = estimatePointUncertainty({
    ...frame,
    voxelSizeMm: [0.1, 0.1, 0.2],
    quality: null,
  });
  expect([randomMm, method]).toEqual([0.2 / Math.sqrt(12), 'voxelSize']);
});

test('a grey curve and removed rings shift all points alike', () => {
  const find = (more: object) => {
    const { systematicMm } = estimatePointUncertainty({ ...frame, quality: { ...quality, ...more } });
    return Math.sqrt(systematicMm ** 2 - uncertainty.systematicMm ** 2);
  };
  // 0.1 mm voxels; an edge of blur 0.7 moves by 0.7 √(2π) voxels per contrast, and 0.3 of the curve counts.
  expect(find({ curveShift: 0.1 })).toBeCloseTo(0.1 * 0.3 * 0.7 * Math.sqrt(2 * Math.PI) * 0.1, 9);
  expect(find({ areRingsRemoved: true })).toBeCloseTo(0.003, 9);
});

test('the error of the grid is that of linear interpolation across a blurred face along the grid', () => {
  for (const blur of [0.3, 0.6, 1]) {
    const readVoxel = (x: number) =>
      Array.from(
        { length: 21 },
        (_, i) => (1 + computeErf((x + (i - 10) / 21) / blur / Math.SQRT2)) / 2,
      ).reduce((a, b) => a + b) / 21;
    const squares = Array.from({ length: 40 }, (_, i) => {
      // The face lies this far beyond the voxel at which the edge starts to be above half.
      const face = i / 40;
      const voxels = [-1, 0, 1, 2].map((x) => readVoxel(x - face));
      const at = voxels.findIndex((grey, k) => grey <= 0.5 && (voxels[k + 1] ?? 0) > 0.5);
      const [below = 0, above = 1] = voxels.slice(at, at + 2);
      return (at - 1 + (0.5 - below) / (above - below) - face) ** 2;
    });
    const rms = Math.sqrt(squares.reduce((a, b) => a + b) / 40);
    const blurVoxels = blur / 0.7;
    const { grid } = estimatePointUncertainty({ ...frame, quality: { ...quality, blurVoxels } });
    expect((grid?.standardMm ?? 0) / 0.1 / rms, `blur ${blur}`).toBeGreaterThan(0.9);
    expect((grid?.standardMm ?? 0) / 0.1 / rms, `blur ${blur}`).toBeLessThan(1.1);
  }
});

test('the error of the grid remains in faces along it, and averages out over tilted ones', () => {
  const find = (tilt: number) => {
    const points = Array.from({ length: 60 }, (_, i): Vector3 => {
      const y = 0.1 * (i % 20);
      return [1.03 + tilt * y, y, 0.1 * Math.floor(i / 20)];
    });
    return estimateFeatureUncertainty(fitFeature('plane', points), points, uncertainty)?.gridMm ?? Number.NaN;
  };
  const single = uncertainty.grid?.standardMm ?? 0;
  expect(find(0)).toBeCloseTo(single, 9);
  expect(find(0.2)).toBeLessThan(0.2 * single);
  // Around a bore the phase differs from point to point.
  const bore = ring(0.03);
  const { radiusMm = 0 } = estimateFeatureUncertainty(fitFeature('cylinder', bore), bore, uncertainty) ?? {};
  expect(radiusMm).toBeLessThan(single);
});

test('distance, angle and area follow from their points, with uncertainties as computed by hand', () => {
  const points = {
    randomMm: 0.01,
    systematicMm: 0.002,
    grid: null,
    roundingMm2: 0,
    method: 'quality' as const,
  };
  const first = (kind: 'distance' | 'angle' | 'area' | 'wall' | 'profile', at: Vector3[]) =>
    measurePoints(kind, at, points).values[0];
  const distance = first('distance', [
    [0, 0, 0],
    [3, 4, 0],
  ]);
  expect(distance.value).toBe(5);
  expect(distance.standard).toBeCloseTo(Math.hypot(0.01 * Math.SQRT2, 0.004), 9);
  const angle = first('angle', [
    [10, 0, 0],
    [0, 0, 0],
    [0, 10, 0],
  ]);
  expect(angle.value).toBeCloseTo(90, 12);
  // The end of each arm rotates it by 1/10, the vertex by √2/10 rad per mm.
  expect(angle.standard).toBeCloseTo(
    (180 / Math.PI) * Math.hypot(0.01 * 0.2, (0.002 * (2 + Math.SQRT2)) / 10),
    6,
  );
  expect(
    first('area', [
      [0, 0, 1],
      [2, 0, 1],
      [2, 3, 1],
      [0, 3, 1],
    ]).value,
  ).toBeCloseTo(6, 12);
  expect(
    measurePoints(
      'wall',
      [
        [0, 0, 0],
        [0, 0, 2],
      ],
      null,
    ).values[0],
  ).toMatchObject({ value: 2, standard: null });
});

const refused: ['distance' | 'angle' | 'area', Vector3[], RegExp][] = [
  [
    'distance',
    [
      [1, 2, 3],
      [1, 2, 3],
    ],
    /same place/,
  ],
  ['distance', [[1, 2, 3]], /takes 2 points; there are 1/],
  [
    'angle',
    [
      [1, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
    ],
    /vertex/,
  ],
  [
    'area',
    [
      [0, 0, 0],
      [1, 1, 1],
      [2, 2, 2],
    ],
    /one line/,
  ],
  [
    'distance',
    [
      [0, 0, 0],
      [Infinity, 0, 0],
    ],
    /Point 2/,
  ],
];
test.each(refused)('a %s of %j is refused in a sentence', (kind, points, sentence) => {
  expect(() => measurePoints(kind, points, null)).toThrow(sentence);
});

const square = (z: number, tilt = 0): Vector3[] =>
  [
    [-5, -5],
    [5, -5],
    [5, 5],
    [-5, 5],
    [0, 1],
  ].map(([x, y]) => [x, y, z + tilt * x] as Vector3);
const ring = (x: number): Vector3[] =>
  Array.from({ length: 24 }, (_, i) => [x + 2 * Math.cos(i), 2 * Math.sin(i), i % 4] as Vector3);
const relate = (kind: 'plane' | 'cylinder' | 'sphere', points: Vector3[]) => {
  const fit = fitFeature(kind, points);
  return { feature: fit.feature, uncertainty: estimateFeatureUncertainty(fit, points, uncertainty) };
};

test('features have distances and angles: parallel planes, bore axes, a plane and an axis', () => {
  const value = (...args: Parameters<typeof measureRelation>) => measureRelation(...args).values[0].value;
  expect(value('featureDistance', relate('plane', square(0)), relate('plane', square(7.5)))).toBeCloseTo(
    7.5,
    9,
  );
  expect(value('featureDistance', relate('cylinder', ring(0)), relate('cylinder', ring(12)))).toBeCloseTo(
    12,
    6,
  );
  expect(value('featureAngle', relate('plane', square(0)), relate('plane', square(0, 1)))).toBeCloseTo(45, 6);
  expect(value('featureAngle', relate('plane', square(0)), relate('cylinder', ring(0)))).toBeCloseTo(90, 5);
  const planes = measureRelation('featureDistance', relate('plane', square(0)), relate('plane', square(1)));
  expect(planes.values[0].standard).toBeGreaterThan(uncertainty.randomMm / 5);
});

test('what all points have in common shifts two faces by twice as much', () => {
  const find = (systematicMm: number) => {
    const [one, other] = [0, 1].map((z) => {
      const points = square(z);
      const fit = fitFeature('plane', points);
      return {
        feature: fit.feature,
        uncertainty: estimateFeatureUncertainty(fit, points, { ...uncertainty, systematicMm }),
      };
    }) as [ReturnType<typeof relate>, ReturnType<typeof relate>];
    return measureRelation('featureDistance', one, other).values[0].standard ?? 0;
  };
  expect(Math.sqrt(find(0.01) ** 2 - find(0) ** 2)).toBeCloseTo(0.02, 9);
});

test('nonparallel planes have no distance, and a sphere has no angle', () => {
  const [flat, tilted] = [relate('plane', square(0)), relate('plane', square(0, 0.5))];
  expect(() => measureRelation('featureDistance', flat, tilted)).toThrow(/not parallel \(26\.6°\)/);
  const ball = relate('sphere', [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [-1, 0, 0],
  ]);
  expect(() => measureRelation('featureAngle', flat, ball)).toThrow(/sphere has no direction/);
});

test('the tilt of an axis counts with the way from its points to where the other axis passes', () => {
  const axis = (centerMm: Vector3, direction: Vector3, directionRad: number) => ({
    feature: { kind: 'cylinder' as const, centerMm, direction, radiusMm: 2, apexAngleDeg: null },
    uncertainty: {
      centerMm: 0.001,
      shiftMm: 0,
      gridMm: 0,
      directionRad,
      radiusMm: 0,
      apexAngleRad: 0,
      pointMm: 0.01,
    },
  });
  const upright = axis([0, 0, 0], [0, 0, 1], 0);
  const find = (at: number, directionRad: number) =>
    measureRelation('featureDistance', upright, axis([10, at, 30], [0, 1, 0], directionRad)).values[0];
  expect(find(50, 0).value).toBeCloseTo(10, 9);
  expect(find(50, 0).standard).toBeCloseTo(0.001 * Math.SQRT2, 6);
  expect(find(50, 2e-4).standard).toBeCloseTo(Math.hypot(0.001 * Math.SQRT2, 50 * 2e-4), 6);
  expect(find(0, 2e-4).standard).toBeCloseTo(0.001 * Math.SQRT2, 6);
  // Crossing axes: their distance is 0 and can only grow.
  const crossing = measureRelation('featureDistance', upright, axis([0, 0, 5], [1, 0, 0], 0)).values[0];
  expect([crossing.value, crossing.standard]).toEqual([0, expect.closeTo(0.001 * Math.SQRT2, 6)]);
});
