import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { inlinePool, type KernelPool } from '../pool.ts';
import { beyondBounds, meshCases, meshErrors, wallCases, wallErrors } from './accuracy-cases.ts';
import { kernelModule } from './kernel-module.ts';

let pool: KernelPool;
let page: string;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
  page = await readFile(new URL('../../../docs/accuracy.md', import.meta.url), 'utf8');
});

const number = (cell: string) => Number(cell.replace('−', '-'));
/** Cells of the page's table rows, below the heading. */
function rowsUnder(heading: string): string[][] {
  const section = page.split(`## ${heading}\n`)[1].split('\n## ')[0];
  return section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| ---') && !line.startsWith('| Body'))
    .map((line) => line.slice(2, -2).split(' | '));
}
const placeOf = (each: { name: string; pose: string; voxels: string; noise: boolean }) =>
  [each.name, each.pose, each.voxels, each.noise ? 'noise' : 'clean'] as string[];
/** A row written from other kernels than today's differs in more than the last digit. */
const written = 0.002;

describe('the page on accuracy', () => {
  it('has every case, with the bound that is held, and no figure beyond it', () => {
    const mesh = rowsUnder('Mesh');
    expect(mesh.map((cells) => cells.slice(0, 4))).toEqual(meshCases.map(placeOf));
    for (const [i, cells] of mesh.entries()) {
      const [volume, volumeBound, area, areaBound] = cells.slice(4).map(number);
      expect({ volume: volumeBound, area: areaBound }).toEqual(meshCases[i].bounds);
      expect(beyondBounds({ volume, area }, meshCases[i].bounds), cells.join(', ')).toEqual([]);
    }
    const walls = rowsUnder('Wall thickness');
    expect(walls.map((cells) => cells.slice(0, 5))).toEqual(
      wallCases.flatMap((each) => [
        [...placeOf(each), 'sphere'],
        [...placeOf(each), 'ray'],
      ]),
    );
    for (const [i, cells] of walls.entries()) {
      const bounds = wallCases[Math.floor(i / 2)].bounds[i % 2 === 0 ? 'sphere' : 'ray'];
      const [, mean, meanBound, sd, sdBound, largest, largestBound] = cells.slice(5).map(number);
      expect({ mean: meanBound, sd: sdBound, largest: largestBound }).toEqual(bounds);
      expect(beyondBounds({ mean, sd, largest }, bounds), cells.join(', ')).toEqual([]);
    }
  });

  it('says what a ball in anisotropic voxels gives today', async () => {
    const index = meshCases.findIndex(({ name, voxels }) => name.startsWith('ball') && voxels !== 'cubic');
    const errors = await meshErrors(meshCases[index], pool);
    expect(beyondBounds(errors, meshCases[index].bounds)).toEqual([]);
    const [volume, , area] = rowsUnder('Mesh')[index].slice(4).map(number);
    expect(Math.abs(errors.volume - volume)).toBeLessThan(written);
    expect(Math.abs(errors.area - area)).toBeLessThan(written);
  });

  it.each([
    ['sphere', 0],
    ['ray', 1],
  ] as const)('says what walls of a tilted, noisy plate give today by %s', async (method, offset) => {
    const index = wallCases.findIndex(
      ({ name, pose, noise }) => name.startsWith('plate') && pose === 'tilted' && noise,
    );
    const errors = await wallErrors(wallCases[index], method, pool);
    expect(beyondBounds(errors, { ...wallCases[index].bounds[method], count: errors.count })).toEqual([]);
    const [count, mean, , sd, , largest] = rowsUnder('Wall thickness')
      [2 * index + offset].slice(5)
      .map(number);
    expect(errors.count).toBe(count);
    for (const [value, cell] of [
      [errors.mean, mean],
      [errors.sd, sd],
      [errors.largest, largest],
    ]) {
      expect(Math.abs(value - cell)).toBeLessThan(written);
    }
  });

  it('would notice a figure beyond its bound, and one that is no number', () => {
    const bounds = { volume: 0.5, area: 0.5 };
    expect(beyondBounds({ volume: -0.6, area: 0.4 }, bounds)).toEqual(['volume -0.6, bound 0.5']);
    expect(beyondBounds({ volume: 0.5, area: Number.NaN }, bounds)).toEqual(['area NaN, bound 0.5']);
  });
});
