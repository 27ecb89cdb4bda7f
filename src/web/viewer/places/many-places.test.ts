import { describe, expect, it } from 'vitest';
import {
  describeColumn,
  filterRows,
  findColumn,
  type PlaceColumn,
  sortRows,
} from '#kernels/places/place-table.ts';
import { PlaceReader } from '#kernels/places/read-places.ts';
import { seededRandom } from '#kernels/random.ts';
import { countDrawn } from './count-drawn.ts';
import { findSeenRows, rowPx } from './seen-rows.ts';

const count = 120_000;
const random = seededRandom(5);
/** As in a foam: many small pores, and many of equal volume. */
const volumes = Array.from({ length: count }, () => Math.ceil(30 * random() ** 4) / 1000);
const kinds = Array.from({ length: count }, () => (random() < 0.1 ? 'inclusion' : 'porosity'));
const reader = new PlaceReader();
reader.push('id,kind,volumeMm3,centerXMm,centerYMm,centerZMm\n');
for (let i = 0; i < count; i++)
  reader.push(`${i + 1},${kinds[i]},${volumes[i]},${i % 100},${Math.floor(i / 100) % 100},${i / 10_000}\n`);
const table = reader.finish((name) => ({ title: name, unit: '' }));
const all = filterRows(table, []);

describe('A table of 120,000 places', () => {
  it('is sorted in both directions without losing a row, equal values in their original order', () => {
    for (const descending of [false, true]) {
      const rows = sortRows(table, all, { column: 'volumeMm3', descending });
      const sign = descending ? -1 : 1;
      const expected = volumes
        .map((volume, row) => ({ volume, row }))
        .sort((a, b) => sign * (a.volume - b.volume) || a.row - b.row);
      expect([...rows]).toEqual(expected.map(({ row }) => row));
    }
  });

  it('is filtered to all places within the limits, and described', () => {
    const inclusion = findColumn(table, 'kind')?.words?.indexOf('inclusion') ?? -1;
    const rows = filterRows(table, [
      { column: 'volumeMm3', min: 0.002, max: 0.01 },
      { column: 'kind', min: inclusion, max: inclusion },
    ]);
    const expected = volumes.flatMap((volume, row) =>
      volume >= 0.002 && volume <= 0.01 && kinds[row] === 'inclusion' ? [row] : [],
    );
    expect(expected.length).toBeGreaterThan(1000);
    expect([...rows]).toEqual(expected);
    const statistics = describeColumn(findColumn(table, 'volumeMm3') as PlaceColumn, rows);
    expect(statistics).toMatchObject({ count: expected.length, min: 0.002, max: 0.01 });
  });

  it('counts the places with triangles on the surface, whatever the filter', () => {
    // The first 1,482 places have three vertices each.
    const ids = Float32Array.from({ length: 3 * 1482 }, (_, vertex) => 1 + Math.floor(vertex / 3));
    expect(countDrawn(table, all, ids)).toBe(1482);
    expect(countDrawn(table, all.subarray(1000), ids)).toBe(482);
    expect(countDrawn(table, all.subarray(1482), ids)).toBe(0);
  });

  it('has a few dozen rows in the document at any scroll position, including the visible ones', () => {
    const height = 400;
    const most = count * rowPx - height;
    for (const top of [0, 1, 25.5, 26, most / 3, most - 1, most]) {
      const { first, last } = findSeenRows({ top, height }, count);
      expect(last - first).toBeLessThan(40);
      expect(first * rowPx).toBeLessThanOrEqual(top);
      expect(last * rowPx).toBeGreaterThanOrEqual(top + height);
    }
    // Still scrolled to a position in a longer list.
    expect(findSeenRows({ top: most, height }, 3)).toEqual({ first: 3, last: 3 });
    expect(findSeenRows({ top: 0, height }, 0)).toEqual({ first: 0, last: 0 });
  });
});
