import { expect, it } from 'vitest';
import { listFewer } from './list-fewer.ts';

// Place 1 has its own triangles; 2, 3 and 4, in order of decreasing size, are represented by bodies of three vertices
// each. Vertices and triangles are unordered, because surfaces are packed for transfer.
const ids = Float32Array.of(4, 4, 4, 2, 2, 2, 1, 1, 1, 3, 3, 3);
const standIn = Float32Array.from(ids, (id) => (id > 1 ? 1 : 0));
const triangles = { 4: [0, 1, 2], 2: [3, 4, 5], 1: [6, 7, 8], 3: [11, 9, 10] };
const indices = Uint32Array.of(...triangles[4], ...triangles[2], ...triangles[1], ...triangles[3]);
const list = (most: number, shown: number[] | null = null) => [
  ...listFewer({ indices, ids, standIn, shown: shown && Uint8Array.from(shown) }, most),
];

it('keeps places with their own triangles, and the largest of the represented ones', () => {
  expect(list(3)).toEqual([...indices]);
  expect(list(2)).toEqual([...triangles[2], ...triangles[1], ...triangles[3]]);
  expect(list(1)).toEqual([...triangles[2], ...triangles[1]]);
  expect(list(0)).toEqual(triangles[1]);
});

it('keeps the largest of the visible ones', () => {
  const only = [0, 0, 0, 1, 1];
  expect(list(1, only)).toEqual(triangles[3]);
  expect(list(2, only)).toEqual([...triangles[4], ...triangles[3]]);
});
