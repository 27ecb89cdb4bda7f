import { expect, it } from 'vitest';
import { findBall, hasTriangles } from './place-ball.ts';
import { PlaceReader } from './read-places.ts';

const read = (text: string) => {
  const reader = new PlaceReader();
  reader.push(text);
  return reader.finish((title) => ({ title, unit: '', isMinor: true }));
};
const box = 'minXMm,minYMm,minZMm,maxXMm,maxYMm,maxZMm';

it('a place has a sphere at its centre, as large as its box; without a box it has none', () => {
  const table = read(`id,centerXMm,centerYMm,centerZMm,${box}\n7,1,2,3,0,1,1,2,3,5\n`);
  const ball = findBall(table, 0);
  expect(ball?.centre).toEqual([1, 2, 3]);
  expect(ball?.radiusMm).toBeCloseTo(Math.cbrt(2 * 2 * 4) / 2, 12);
  expect(findBall(read('id,centerXMm,centerYMm,centerZMm\n7,1,2,3\n'), 0)).toBeNull();
});

it('a surface has triangles only of the places at its vertices', () => {
  const ids = Float32Array.of(1, 1, 1, 3, 3, 3);
  expect([1, 2, 3].map((id) => hasTriangles(ids, id))).toEqual([true, false, true]);
});
