import { describe, expect, it } from 'vitest';
import { listPlaceScalars, readWord } from './place-scalars.ts';
import {
  countPlaces,
  describeColumn,
  filterRows,
  findColumn,
  locatePoint,
  nearestRow,
  type PlaceColumn,
  sortRows,
} from './place-table.ts';
import { PlaceReader } from './read-places.ts';

const describeName = (name: string) => ({ title: name, unit: /Mm3$/.test(name) ? 'mm³' : '' });
const csv = [
  'id,kind,volumeMm3,sphericity,centerXMm,centerYMm,centerZMm,surfaceConnected,newColumn',
  '1,porosity,4,0.5,1,2,3,false,7',
  '2,crack,2,,4,5,6,true,',
  '3,porosity,1,0.9,7,8,9,false,8',
  '4,inclusion,0.5,0.5,-1,-2,-3,false,9',
].join('\r\n');

function read(text: string, chunk = text.length) {
  const reader = new PlaceReader();
  for (let at = 0; at < text.length; at += chunk) reader.push(text.slice(at, at + chunk));
  return reader.finish(describeName);
}
const table = read(csv);
const column = (name: string) => findColumn(table, name) as PlaceColumn;
const ids = (rows: Uint32Array) => [...rows].map((row) => table.ids[row]);
const all = filterRows(table, []);

describe('a table of places', () => {
  it('is read the same however its text is split', () => {
    for (const chunk of [1, 7, 50]) expect(read(csv, chunk)).toEqual(table);
    expect(read(`${csv}\r\n`)).toEqual(table);
    expect(table.count).toBe(4);
    expect(locatePoint(table, 1)).toEqual([4, 5, 6]);
    expect(table.rowOfId.get(3)).toBe(2);
  });

  it('keeps text and boolean columns, gaps, and unknown columns', () => {
    expect(column('kind').words).toEqual(['porosity', 'crack', 'inclusion']);
    expect([...column('surfaceConnected').values]).toEqual([0, 1, 0, 0]);
    expect([...column('sphericity').values]).toEqual([0.5, Number.NaN, 0.9, 0.5]);
    expect([...column('newColumn').values]).toEqual([7, Number.NaN, 8, 9]);
  });

  it('offers sizes for colouring directly and by logarithm, positions directly only', () => {
    const offered = listPlaceScalars(read('id,volumeMm3,centerXMm,centerYMm,centerZMm\n1,4,1,2,3'));
    expect(offered.map(({ name }) => name)).toEqual([
      ...['volumeMm3', 'log10 volumeMm3'],
      ...['centerXMm', 'centerYMm', 'centerZMm'],
    ]);
  });

  it('offers kinds for colouring by their names, even if there is one only', () => {
    const of = (rows: string) =>
      listPlaceScalars(read(`id,kind,centerXMm,centerYMm,centerZMm\n${rows}`)).find(
        ({ name }) => name === 'kind',
      );
    const one = of('1,porosity,1,2,3\n2,porosity,1,2,3');
    expect(one).toMatchObject({ words: ['porosity'], limits: [-0.5, 0.5] });
    const ticks = [-0.5, 0, 0.2, 0.5];
    expect(ticks.map((tick) => readWord(one?.words ?? [], tick))).toEqual(['', 'porosity', '', '']);
    expect(of('1,porosity,1,2,3\n2,crack,1,2,3')).toMatchObject({
      words: ['porosity', 'crack'],
      limits: [-0.5, 1.5],
    });
  });

  it('reports a truncated row, and a missing column', () => {
    expect(() => read(`${csv}\r\n5,porosity`)).toThrow('Row 5');
    expect(() => read('id,volumeMm3\r\n1,2')).toThrow('centerXMm');
  });

  it('is filtered by ranges on any columns; missing values are in no range', () => {
    expect(ids(filterRows(table, [{ column: 'volumeMm3', min: 1, max: 2 }]))).toEqual([2, 3]);
    const both = [
      { column: 'volumeMm3', min: 1, max: null },
      { column: 'sphericity', min: null, max: 1 },
    ];
    expect(ids(filterRows(table, both))).toEqual([1, 3]);
    expect(ids(filterRows(table, [{ column: 'kind', min: 1, max: 1 }]))).toEqual([2]);
    expect(ids(filterRows(table, [{ column: 'ofAnotherVersion', min: 1, max: 1 }]))).toEqual([1, 2, 3, 4]);
  });

  it('is sorted by numbers and by text, missing values last, stable', () => {
    const by = (name: string, descending: boolean) => ids(sortRows(table, all, { column: name, descending }));
    expect(by('volumeMm3', false)).toEqual([4, 3, 2, 1]);
    expect(by('sphericity', true)).toEqual([3, 1, 4, 2]);
    expect(by('sphericity', false)).toEqual([1, 4, 3, 2]);
    expect(by('kind', false)).toEqual([2, 4, 1, 3]);
  });

  it('has statistics of the rows with a value', () => {
    expect(describeColumn(column('volumeMm3'), all)).toMatchObject({
      count: 4,
      sum: 7.5,
      mean: 1.875,
      min: 0.5,
      median: 1.5,
      max: 4,
    });
    expect(describeColumn(column('sphericity'), all)?.count).toBe(3);
    expect(describeColumn(column('sphericity'), Uint32Array.of(1))).toBeNull();
  });

  it('is counted in steps of the value or of its logarithm, with none lost', () => {
    const volumes = column('volumeMm3');
    expect(countPlaces(volumes, all, all, false, 2)?.counts).toEqual([3, 1]);
    const log = countPlaces(volumes, all, all, true, 3);
    expect(log?.counts).toEqual([1, 1, 2]);
    expect(log?.edges.map((edge) => Number(edge.toFixed(6)))).toEqual([0.5, 1, 2, 4]);
    expect(countPlaces(volumes, Uint32Array.of(0), all, true, 3)?.counts).toEqual([0, 0, 1]);
  });

  it('finds the place at a point', () => {
    expect(nearestRow(table, [4.01, 5, 6], 0.1)).toBe(1);
    expect(nearestRow(table, [4.5, 5, 6], 0.1)).toBeNull();
  });
});
