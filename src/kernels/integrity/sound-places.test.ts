import { expect, it } from 'vitest';
import type { Vector3 } from '../grid/volume.ts';
import { seededRandom } from '../random.ts';
import { compareWith, type MeasuredPlace } from './sound-places.ts';

const place = (volume: number, center: Vector3 = [0, 0, 0]): MeasuredPlace => ({
  volume,
  deviation: 1,
  cells: 500,
  center,
});
const shells = (...patchiness: number[]) => patchiness.map((each) => ({ patchiness: each }));

it('sound places tell what volumes scatter by, and the shells of the voids where there are too few of them', () => {
  const random = seededRandom(3);
  const places = Array.from({ length: 400 }, () => {
    const volume = 3 * (Array.from({ length: 12 }, random).reduce((sum, each) => sum + each, 0) - 6);
    return place(volume, [20 * random(), 20 * random(), 20 * random()]);
  });
  expect(compareWith(places, shells(1))(place(0)).excess).toBeGreaterThan(2.6);
  expect(compareWith(places, shells(1))(place(0)).excess).toBeLessThan(3.4);
  // What a handful shows below that of independent cells is chance.
  const calm = places.map((each) => ({ ...each, volume: 0.1 * each.volume }));
  expect(compareWith(calm, shells(1))(place(0)).excess).toBe(1);
  const few = places.slice(0, 5);
  // The mean of a shell's numbers, of four each, and its standard error.
  expect(compareWith(few, shells(9, 7, Number.NaN))(place(0)).excess).toBeCloseTo(
    Math.sqrt(8 * (1 + Math.sqrt(2 / 8))),
    9,
  );
  expect(compareWith(few, shells(0.2, 0.3, 0.1))(place(0)).excess).toBe(1);
  // Where neither tells, twice what single cells say.
  expect(compareWith(few, shells(Number.NaN))(place(0))).toEqual({ mean: 0, excess: 2 });
});
