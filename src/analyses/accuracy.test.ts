import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { KernelPool } from '#kernels/arena.ts';
import { inlinePool } from '#kernels/pool.ts';
import { type AccuracySection, holds, listCells, listRows } from '#kernels/testing/accuracy/section.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { accuracySections } from './testing/accuracy-sections.ts';

let pool: KernelPool;
let page: string;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
  page = await readFile(new URL('../../docs/accuracy.md', import.meta.url), 'utf8');
});

/** Rows that are quick to measure, by how their places begin. */
const measuredAnew: Record<string, string[]> = {
  Mesh: [
    'ball of 40 voxels, tilted, anisotropic, noise',
    'ball of 40 voxels, along the axes, cubic, blur',
    'box of 40 voxels, along the axes, anisotropic, blur and noise',
    'torus of 40 voxels over all, its tube 14, tilted, anisotropic, blur and noise',
  ],
  'Mesh behind the median filter': ['ball of 40 voxels, along the axes, cubic, noise'],
  'Wall thickness': [
    'torus, 1.6 mm, along the axes, anisotropic, blur and noise, sphere',
    'plate, 0.45 mm, tilted, cubic, noise, sphere',
    'plate, 0.45 mm, tilted, anisotropic, noise, ray',
  ],
  'Pores by radius': ['5 to 8, anisotropic'],
  '300 pores in a block': ['300 balls of 2 to 6 voxels radius, cubic, blur and noise'],
  Alignment: ['bracket, 25.4 times'],
  Deviation: ['torus with an offset field, along the axes, anisotropic, noise'],
  Reconstruction: ['parallel, full turn, none'],
};

describe('docs/accuracy.md', () => {
  it.each(accuracySections)('has every case of “$title”, each within its bounds', (section) => {
    const rows = listRows(page, section);
    expect(rows.map(({ place }) => place)).toEqual(section.cases.map(({ place }) => place));
    for (const [i, { values, bounds }] of rows.entries()) {
      // The page shows no bound for values that it marks as out of bounds.
      expect(bounds).toEqual(section.cases[i].bounds);
      for (const figure of section.figures) {
        expect(holds(figure, values[figure.name], bounds[figure.name]), figure.name).toBe(true);
      }
    }
  });

  const chosen = accuracySections.flatMap((section) =>
    (measuredAnew[section.title] ?? []).map((start) => ({ title: section.title, start, section })),
  );
  it.each(chosen)('says what $title of “$start” gives today', async ({ start, section }) => {
    const index = section.cases.findIndex(({ place }) => place.join(', ').startsWith(start));
    const measured = await section.cases[index].measure(pool);
    const { values } = listRows(page, section)[index];
    for (const { name, digits } of section.figures) {
      // A row written from other kernels than today's differs in more than the last digit.
      expect(Math.abs(measured[name] - values[name]), name).toBeLessThan(2.1 * 10 ** -digits);
    }
  });

  it('detects a figure beyond its bound, and one that is not a number', () => {
    const section: AccuracySection = {
      title: 'T',
      text: '',
      places: ['P'],
      figures: [
        { name: 'Most', digits: 1, signed: true },
        { name: 'Least', digits: 0, bound: 'at least' },
        { name: 'Count', digits: 0, bound: 'none' },
      ],
      cases: [],
    };
    const bounds = { Most: 0.5, Least: 95 };
    const each = { place: ['here'], bounds, measure: async () => ({}) };
    const cells = listCells(section, each, { Most: -0.6, Least: 94, Count: 3 });
    expect(cells).toEqual(['here', '−0.6', '0.5 **not met**', '94', '95 **not met**', '3']);
    const text = `## T\n\n| a |\n| - |\n| ${cells.join(' | ')} |\n`;
    expect(listRows(text, section)).toEqual([
      { place: ['here'], values: { Most: -0.6, Least: 94, Count: 3 }, bounds: { Most: NaN, Least: NaN } },
    ]);
    expect(holds(section.figures[0], Number.NaN, 0.5)).toBe(false);
    expect(holds(section.figures[1], 95, 95)).toBe(true);
    expect(holds({ name: 'E', digits: 0, bound: 'exactly' }, 299, 300)).toBe(false);
  });
});
