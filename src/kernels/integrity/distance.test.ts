import { beforeAll, describe, expect, it } from 'vitest';
import { Arena } from '../arena.ts';
import type { Vector3 } from '../grid/volume.ts';
import { inlinePool } from '../pool.ts';
import { seededRandom } from '../random.ts';
import type { WasmModule } from '../simd/webassembly.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import {
  allocateBits,
  ballRows,
  countBytes,
  dilateBits,
  findSquaredRadius,
  makeBitGrid,
} from './bit-grid.ts';
import type { BitGrid } from './bit-layout.ts';
import { beyondReach, squaredDistances } from './distance.ts';

let kernels: WasmModule;
beforeAll(async () => {
  kernels = await kernelModule();
});

const seed = Number(process.env['SCANWRIGHT_SEED']);
console.info(`distances: SCANWRIGHT_SEED=${seed}`);

/** Random cells of a grid, and their positions. */
function randomBits(arena: Arena, grid: BitGrid, count: number) {
  const random = seededRandom(seed);
  const bits = allocateBits(arena, grid);
  const bytes = arena.bytes(bits, countBytes(grid)).fill(0);
  const places: Vector3[] = [];
  for (let i = 0; i < count; i++) {
    const [x, y, z] = [grid.words * 64, grid.rows, grid.planes].map((n) => Math.floor(random() * n));
    bytes[(z * grid.rows + y) * grid.words * 8 + (x >> 3)] |= 1 << (x & 7);
    places.push([x, y, z]);
  }
  return { bits, places };
}

async function allDistances(grid: BitGrid, bits: number, reach: number, slabPlanes?: number, lanes = 2) {
  const arena = holding;
  const found = new Uint16Array(grid.words * 64 * grid.rows * grid.planes);
  const plane = grid.words * 64 * grid.rows;
  arena.pool = inlinePool(kernels, lanes);
  const stage = { grid, arena, slabPlanes };
  await squaredDistances({ bits, reach }, stage, async (squared, zFrom, zTo) => {
    const values = new Uint16Array(arena.memory.buffer, squared, plane * (zTo - zFrom));
    found.set(values, zFrom * plane);
  });
  return found;
}
let holding: Arena;

describe('squared distances', () => {
  it.each([
    [[50, 1, 1], 2, 60],
    [[130, 23, 9], 30, 200],
    [[64, 40, 41], 3, 254],
    [[200, 12, 50], 8, 13],
  ] as [Vector3, number, number][])(
    'of %j cells to %d random ones are exact up to %d cells',
    async (cells, count, reach) => {
      holding = new Arena(inlinePool(kernels));
      const grid = makeBitGrid(holding, cells, [0, 0, 0]);
      const { bits, places } = randomBits(holding, grid, count);
      const found = await allDistances(grid, bits, reach);
      const nx = grid.words * 64;
      let wrong = 0;
      for (let i = 0; i < found.length; i++) {
        const [x, y, z] = [i % nx, Math.floor(i / nx) % grid.rows, Math.floor(i / (nx * grid.rows))];
        const least = Math.min(...places.map((p) => (p[0] - x) ** 2 + (p[1] - y) ** 2 + (p[2] - z) ** 2));
        if (found[i] !== (least > reach * reach ? beyondReach : least)) wrong++;
      }
      expect(wrong, `seed ${seed}`).toBe(0);
    },
  );

  it('do not depend on slabs and threads', async () => {
    holding = new Arena(inlinePool(kernels));
    const grid = makeBitGrid(holding, [100, 30, 37], [0, 0, 0]);
    const { bits } = randomBits(holding, grid, 12);
    const whole = await allDistances(grid, bits, 40);
    for (const planes of [1, 5, 16]) expect(await allDistances(grid, bits, 40, planes, 3)).toEqual(whole);
  });

  it('are beyond reach when no cell is set, and 0 when all are', async () => {
    holding = new Arena(inlinePool(kernels));
    const grid = makeBitGrid(holding, [70, 5, 4], [0, 0, 0]);
    const bits = allocateBits(holding, grid);
    holding.bytes(bits, countBytes(grid)).fill(0);
    expect(new Set(await allDistances(grid, bits, 254))).toEqual(new Set([beyondReach]));
    holding.bytes(bits, countBytes(grid)).fill(255);
    expect(new Set(await allDistances(grid, bits, 254))).toEqual(new Set([0]));
  });
});

describe('a ball that is round in cells', () => {
  it('is recognized by its squared radius, and no other is', () => {
    expect(findSquaredRadius(ballRows(5, [1, 1, 1]))).toBe(25);
    expect(findSquaredRadius(ballRows(2.6, [0.5, 0.5, 0.5]))).toBe(27);
    expect(findSquaredRadius(ballRows(5, [1, 1, 0.9]))).toBeNull();
    expect(findSquaredRadius(ballRows(300, [1, 1, 1]))).toBeNull();
  });

  it.each([
    ['dilation', false],
    ['rest', true],
    ['otherWithout', false],
    ['otherWithin', true],
  ] as const)('gives the same result by distances as cell by cell: %s', async (make, invert) => {
    const arena = new Arena(inlinePool(kernels, 2));
    const grid = makeBitGrid(arena, [90, 60, 56], [0, 0, 0]);
    const { bits } = randomBits(arena, grid, 20);
    const other = randomBits(arena, grid, 3000).bits;
    const [far, near] = [allocateBits(arena, grid), allocateBits(arena, grid)];
    if (invert)
      for (const [i, byte] of arena.bytes(bits, countBytes(grid)).entries())
        arena.bytes(bits, countBytes(grid))[i] = ~byte;
    const ball = ballRows(24.6, [1, 1, 1]);
    const stage = { grid, arena };
    await dilateBits({ bits, invert, ball, make, other, target: far }, stage);
    // One row fewer: the ball is no longer round and is therefore applied cell by cell; the missing row is applied
    // together with the middle one.
    const [first, ...rest] = ball.rows;
    const middle = rest.filter(([dy, dz]) => dy === 0 && dz === 0);
    const parts = [rest, [first, ...middle]].map((rows) => ({ rows, reach: ball.reach }));
    const made = [near, allocateBits(arena, grid)];
    for (const [i, part] of parts.entries()) {
      expect(findSquaredRadius(part)).toBeNull();
      await dilateBits({ bits, invert, ball: part, make, other, target: made[i] }, stage);
    }
    const [a, b, c] = [far, ...made].map((at) => Buffer.from(arena.bytes(at, countBytes(grid))));
    const joins =
      make === 'rest' || make === 'otherWithout'
        ? (x: number, y: number) => x & y
        : (x: number, y: number) => x | y;
    expect(
      Buffer.compare(
        a,
        b.map((byte, i) => joins(byte, c[i])),
      ),
    ).toBe(0);
  });
});
