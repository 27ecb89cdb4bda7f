import { describe, expect, it } from 'vitest';
import { seededRandom } from '../random.ts';
import { brickEdge, countOpaque, isSeen, mapBricks, mapDistances } from './brick-map.ts';
import type { Vector3 } from './volume.ts';

describe('the bricks of a volume', () => {
  it.each([[[8, 8, 8]], [[17, 24, 9]], [[1, 30, 16]], [[33, 7, 41]]] as [Vector3][])(
    'have the lowest and highest value that interpolation can reach, %s',
    (dimensions) => {
      const random = seededRandom(dimensions[0] * 7 + 1);
      const [nx, ny, nz] = dimensions;
      const voxels = Uint16Array.from({ length: nx * ny * nz }, () => Math.floor(random() * 65536));
      const { size, lowest, highest } = mapBricks(voxels, dimensions);
      for (let brick = 0; brick < lowest.length; brick++) {
        const at = [
          brick % size[0],
          Math.floor(brick / size[0]) % size[1],
          Math.floor(brick / size[0] / size[1]),
        ];
        const [from, to] = [
          at.map((b) => Math.max(0, b * brickEdge - 1)),
          at.map((b, k) => Math.min(dimensions[k], (b + 1) * brickEdge + 1)),
        ];
        let [low, high] = [65535, 0];
        for (let z = from[2]; z < to[2]; z++)
          for (let y = from[1]; y < to[1]; y++)
            for (let x = from[0]; x < to[0]; x++) {
              const value = voxels[x + nx * (y + ny * z)];
              [low, high] = [Math.min(low, value), Math.max(high, value)];
            }
        expect([lowest[brick], highest[brick]]).toEqual([low, high]);
      }
    },
  );
});

describe('the distance that a ray may skip', () => {
  it('is the distance to the nearest visible brick, as found by brute force', () => {
    for (const seed of [1, 2, 3]) {
      const random = seededRandom(seed);
      const size: Vector3 = [7, 5, 6];
      const shown = Array.from({ length: 210 }, () => random() < 0.03 * seed);
      const places = shown.map((_, b): Vector3 => [b % 7, Math.floor(b / 7) % 5, Math.floor(b / 35)]);
      const distances = mapDistances(size, (brick) => shown[brick]);
      for (const [brick, place] of places.entries()) {
        const all = places.filter((_, other) => shown[other]);
        const nearest = Math.min(
          255,
          ...all.map((other) => Math.max(...other.map((each, k) => Math.abs(each - place[k])))),
        );
        expect(distances[brick]).toBe(nearest);
      }
    }
  });
});

describe('the visibility of a brick', () => {
  const table = new Uint8Array(256);
  table.fill(9, 100, 120);
  const counts = countOpaque(table);
  const value = (entry: number) => (entry / 255) * 65535;

  it('is true when the curve is above zero anywhere between its lowest and highest value', () => {
    expect(isSeen(counts, value(10), value(90))).toBe(false);
    expect(isSeen(counts, value(10), value(105))).toBe(true);
    expect(isSeen(counts, value(10), value(200))).toBe(true);
    expect(isSeen(counts, value(130), value(255))).toBe(false);
    expect(isSeen(counts, value(110), value(110))).toBe(true);
  });

  it('includes the neighbouring table entry, because interpolation mixes it in', () => {
    expect(isSeen(counts, value(0), value(99.5))).toBe(true);
    expect(isSeen(countOpaque(new Uint8Array(256)), 0, 65535)).toBe(false);
  });
});
