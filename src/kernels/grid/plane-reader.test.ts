import { expect, it } from 'vitest';
import { Arena } from '../arena.ts';
import { inlinePool } from '../pool.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { eachPlanes } from './plane-reader.ts';
import { type BoxSource, makeSlabs, type SlabSource, type Vector3, type Volume } from './volume.ts';

const dimensions: Vector3 = [21, 18, 13];
const [nx, ny, nz] = dimensions;
const volume: Volume = {
  dimensions,
  voxelSizeMm: [1, 1, 1],
  originMm: [0, 0, 0],
  directions: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  dataType: 'uint16',
  data: Uint16Array.from({ length: nx * ny * nz }, (_, i) => i),
};

/** The volume in boxes of 8³ cells, filled with 65535 beyond its end. */
function makeBoxes({ data }: Volume): BoxSource {
  const edge = 8;
  return {
    size: [edge, edge, edge],
    atOnce: 3,
    async read(min, max, take) {
      const first = min.map((cell) => Math.floor(cell / edge) * edge);
      let waiting: Promise<void>[] = [];
      for (let z = first[2]; z < max[2]; z += edge) {
        const [zFrom, zTo] = [Math.max(z, min[2]), Math.min(z + edge, max[2])];
        for (let y = first[1]; y < max[1]; y += edge) {
          for (let x = first[0]; x < max[0]; x += edge) {
            const values = new Uint16Array(edge * edge * (zTo - zFrom)).fill(65_535);
            for (let k = zFrom; k < zTo; k++) {
              for (let j = y; j < Math.min(ny, y + edge); j++) {
                const from = (k * ny + j) * nx;
                const row = data.subarray(from + x, from + Math.min(nx, x + edge));
                values.set(row, ((k - zFrom) * edge + j - y) * edge);
              }
            }
            const load = async (target: Uint8Array) => target.set(new Uint8Array(values.buffer));
            waiting.push(take({ from: [x, y, zFrom], size: [edge, edge, zTo - zFrom], load }));
            if (waiting.length < 3) continue;
            await Promise.all(waiting);
            waiting = [];
          }
        }
      }
      await Promise.all(waiting);
    },
  };
}

it('planes of a region have the same cells when read from whole planes and from stored boxes', async () => {
  const pool = inlinePool(await kernelModule(), 2);
  const whole = makeSlabs(volume);
  const inBoxes: SlabSource = { ...whole, boxes: makeBoxes(volume) };
  const cells = { from: [3, 9, 2] as Vector3, to: [20, 18, 12] as Vector3 };
  const expected: number[] = [];
  for (let z = 2; z < 12; z++) {
    for (let y = 9; y < 18; y++) for (let x = 3; x < 20; x++) expected.push((z * ny + y) * nx + x);
  }
  for (const source of [whole, inBoxes]) {
    const arena = new Arena(pool);
    const found = new Map<number, number[]>();
    const range = { from: 2, to: 12, size: 3, before: 2, after: 1, purpose: 'A test' };
    await eachPlanes(source, cells, arena, range, async (zFrom, zTo, { address, first, last }) => {
      expect([first, last]).toEqual([Math.max(2, zFrom - 2), Math.min(12, zTo + 1)]);
      const values = new Uint16Array(arena.memory.buffer, address, (last - first) * nx * ny);
      for (let z = first; z < last; z++) {
        const plane: number[] = [];
        for (let y = 9; y < 18; y++) {
          const row = ((z - first) * ny + y) * nx;
          plane.push(...values.subarray(row + 3, row + 20));
        }
        // A plane that is read with several pieces is the same in each.
        expect(found.get(z) ?? plane).toEqual(plane);
        found.set(z, plane);
      }
    });
    expect([...found.keys()].sort((a, b) => a - b).flatMap((z) => found.get(z))).toEqual(expected);
  }
});
