import { expect, it } from 'vitest';
import type { Vector3 } from '../grid/volume.ts';
import { seededRandom } from '../random.ts';
import { compareWith, type MeasuredPlace } from './sound-places.ts';

const place = (volume: number, center: Vector3 = [0, 0, 0], level = 1): MeasuredPlace => ({
  volume,
  deviation: 1,
  cells: 500,
  center,
  level: [level, 0, 0, 0],
});
const shells = (...patchiness: number[]) =>
  patchiness.map((each) => ({ patchiness: each, level: [1, 0, 0, 0] }));
const scatter = (random: () => number) =>
  Array.from({ length: 12 }, random).reduce((sum, each) => sum + each, 0) - 6;

it('the scatter of volumes comes from sound places, or from the voids’ shells when there are too few', () => {
  const random = seededRandom(3);
  const places = Array.from({ length: 400 }, () =>
    place(3 * scatter(random), [20 * random(), 20 * random(), 20 * random()]),
  );
  expect(compareWith(places, shells(1))(place(0)).excess).toBeGreaterThan(2.6);
  expect(compareWith(places, shells(1))(place(0)).excess).toBeLessThan(3.4);
  // With a handful of places, a scatter below that of independent cells is chance.
  const calm = places.map((each) => ({ ...each, volume: 0.1 * each.volume }));
  expect(compareWith(calm, shells(1))(place(0)).excess).toBe(1);
  const few = places.slice(0, 5);
  // The mean of the shells' values, of four numbers each, plus its standard error.
  expect(compareWith(few, shells(9, 7, Number.NaN))(place(0)).excess).toBeCloseTo(
    Math.sqrt(8 * (1 + Math.sqrt(2 / 8))),
    9,
  );
  expect(compareWith(few, shells(0.2, 0.3, 0.1))(place(0)).excess).toBe(1);
  // When neither is available, twice the noise of independent cells.
  expect(compareWith(few, shells(Number.NaN))(place(0))).toEqual({ mean: 0, excess: 2 });
});

it('places that contain grains of a denser material, or lie in one, are ignored', () => {
  const random = seededRandom(5);
  const sound = Array.from({ length: 60 }, () => place(scatter(random)));
  const grains = Array.from({ length: 25 }, (_, i) => place(-4 - i));
  const inMetal = [-3, -1, 2, 3, 5].flatMap((volume) => [
    place(volume, [0, 0, 0], 1.3),
    place(volume, [1, 0, 0], 1.2),
  ]);
  const { mean, excess } = compareWith([...sound, ...grains, ...inMetal], shells(1))(place(0));
  expect(Math.abs(mean)).toBeLessThan(0.5);
  expect(excess).toBeLessThan(1.3);
  // Rings make places darker as well as brighter.
  const ringed = Array.from({ length: 60 }, (_, i) => place(((i % 7) - 3) * 4 + scatter(random)));
  expect(compareWith(ringed, shells(1))(place(0)).excess).toBeGreaterThan(7);
  // When all are brighter, as with curved levels, none contains a grain.
  const bright = sound.map((each) => ({ ...each, volume: each.volume - 8 }));
  expect(compareWith(bright, shells(1))(place(0)).mean).toBeLessThan(-7);
});
