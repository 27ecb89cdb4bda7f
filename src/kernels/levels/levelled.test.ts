import { beforeAll, expect, it } from 'vitest';
import type { KernelPool } from '../arena.ts';
import { betweenNodes, levelled } from '../grid/level-field.ts';
import { identityDirections, type LevelField, makeSlabs, type Vector3, type Volume } from '../grid/volume.ts';
import { inlinePool } from '../pool.ts';
import { seededRandom } from '../random.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { fitLevels } from './fit-levels.ts';
import { levelledSource } from './levelled.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule(), 2);
});

const renderScan = (dimensions: Vector3, data: Volume['data'], dataType: Volume['dataType']): Volume => ({
  ...{ dimensions, data, dataType, voxelSizeMm: [1, 1, 1], originMm: [0, 0, 0] },
  directions: identityDirections(),
});

it.each([
  { dimensions: [37, 21, 19] as Vector3, brickCells: 4, dataType: 'uint16' as const },
  { dimensions: [61, 9, 30] as Vector3, brickCells: 12, dataType: 'float32' as const },
  { dimensions: [5, 4, 3] as Vector3, brickCells: 8, dataType: 'float32' as const },
])('cells are scaled by the nodes around them: $dimensions, $dataType', async (each) => {
  const { dimensions, brickCells, dataType } = each;
  const random = seededRandom(7);
  const [nx, ny, nz] = dimensions;
  const nodes = dimensions.map((n) => Math.ceil(n / brickCells)) as Vector3;
  const count = nodes[0] * nodes[1] * nodes[2];
  const field: LevelField = {
    ...{ nodes, brickCells },
    base: Float32Array.from({ length: count }, () => 4000 * random()),
    gain: Float32Array.from({ length: count }, () => 0.5 + random()),
  };
  const values = Array.from({ length: nx * ny * nz }, () => Math.floor(50_000 * random()));
  const data = dataType === 'uint16' ? Uint16Array.from(values) : Float32Array.from(values);
  if (dataType === 'float32') data[3] = Number.NaN;
  const source = levelledSource(makeSlabs(renderScan(dimensions, data, dataType)), field, pool);
  const found = await source.readSlab(0, nz);
  let most = 0;
  for (let i = 0; i < found.length; i++) {
    const at = [i % nx, Math.floor(i / nx) % ny, Math.floor(i / (nx * ny))];
    const [x, y, z] = at.map((cell, k) => betweenNodes(cell, brickCells, nodes[k]));
    let wanted = 0;
    for (const [zNode, zShare] of [[z[0], 1 - z[2]] as const, [z[1], z[2]] as const])
      for (const [yNode, yShare] of [[y[0], 1 - y[2]] as const, [y[1], y[2]] as const])
        for (const [xNode, xShare] of [[x[0], 1 - x[2]] as const, [x[1], x[2]] as const]) {
          const node = (zNode * nodes[1] + yNode) * nodes[0] + xNode;
          wanted += zShare * yShare * xShare * (field.base[node] + field.gain[node] * data[i]);
        }
    const clamped = Number.isNaN(wanted) ? levelled.air : Math.min(65_535, wanted);
    most = Math.max(most, Math.abs(found[i] - clamped));
  }
  expect(most).toBeLessThan(0.6);
});

it('air and material of a ramp are found at each of its places, for any size of the scan', async () => {
  for (const n of [40, 172]) {
    const data = new Uint16Array(n ** 3);
    const [air, material] = [(x: number) => 8000 + (9000 * x) / n, (x: number) => 26_000 + (12_000 * x) / n];
    for (let i = 0; i < data.length; i++) {
      const [x, y, z] = [i % n, Math.floor(i / n) % n, Math.floor(i / n ** 2)];
      const isIn = [x, y, z].every((cell) => cell > 0.22 * n && cell < 0.78 * n);
      data[i] = Math.round(isIn ? material(x) : air(x));
    }
    const source = makeSlabs(renderScan([n, n, n], data, 'uint16'));
    const local = await fitLevels(source, pool, { range: [8000, 38_000] });
    if (!local) throw new Error('no levels were told');
    // Linear fits follow a plane, so nothing is curved.
    expect(local.airSpread).toBeGreaterThan(0.2);
    expect(local.bend).toBeLessThan(0.1 * Math.hypot(local.airSpread, local.contrastSpread));
    const { nodes, base, gain, brickCells } = local.field;
    for (const share of [0.35, 0.65]) {
      const cell = Math.round(share * n);
      const at = [cell, n >> 1, n >> 1].map((c, k) => Math.min(nodes[k] - 1, Math.floor(c / brickCells)));
      const node = (at[2] * nodes[1] + at[1]) * nodes[0] + at[0];
      const x = (at[0] + 0.5) * brickCells - 0.5;
      expect(Math.abs(base[node] + gain[node] * air(x) - levelled.air)).toBeLessThan(
        0.01 * levelled.contrast,
      );
      const height = base[node] + gain[node] * material(x) - levelled.air;
      expect(Math.abs(height / levelled.contrast - 1)).toBeLessThan(0.01);
    }
    if (n < 100) continue;
    // With a coarser stored level the volume itself is not read, and the levels agree up to integer rounding.
    const half = renderScan([n / 2, n / 2, n / 2], halveMeans(data, n), 'uint16');
    const stored = {
      ...source,
      readSlab: () => Promise.reject(new Error('read')),
      coarser: [makeSlabs(half)],
    };
    const again = await fitLevels(stored, pool, { range: [8000, 38_000] });
    expect(again?.field.brickCells).toBe(brickCells);
    for (const [i, height] of local.bricks.contrast.entries())
      expect(Math.abs((again?.bricks.contrast[i] ?? 0) / height - 1)).toBeLessThan(1e-4);
  }
});

function halveMeans(data: Uint16Array, n: number): Uint16Array {
  const half = n / 2;
  return Uint16Array.from({ length: half ** 3 }, (_, i) => {
    const first =
      2 * (i % half) + 2 * n * (Math.floor(i / half) % half) + 2 * n * n * Math.floor(i / half ** 2);
    let sum = 0;
    for (const at of [0, 1, n, n + 1]) sum += data[first + at] + data[first + n * n + at];
    return Math.round(sum / 8);
  });
}
