import { expect, it } from 'vitest';
import { integrity } from '#contract/analyses/integrity.ts';
import { describeColumn } from '#contract/analyses/place-columns.ts';
import type { DataObject } from '#web/api/generated/types.gen.ts';
import { listPlaces } from './place-source.ts';

it('labels the declared columns of a table, and others by their own name', () => {
  const show = (name: string) => describeColumn(integrity.places ?? { columns: [] }, name);
  expect(show('volumeMm3')).toMatchObject({ title: 'Volume', unit: 'mm³', rank: 0 });
  expect(show('kind').words).toMatchObject({ crack: 'Crack' });
  expect(show('enclosingDiameterMm')).toMatchObject({ title: 'Enclosing diameter', unit: 'mm' });
  expect(show('ofALaterVersion')).toMatchObject({ title: 'Of a later version', unit: '', isMinor: false });
  expect(show('minXMm').isMinor).toBe(true);
  expect(show('centerYMm')).toEqual({ title: 'Y', unit: 'mm', rank: integrity.places?.columns.length });
});

it('finds the locations of a data object with a file that lists them all', () => {
  const dataObject = (...fileNames: string[]) =>
    ({
      kind: integrity.makes,
      metadata: {},
      files: fileNames.map((fileName) => ({ fileName })),
    }) as unknown as DataObject;
  expect(listPlaces(dataObject('defects.csv'))).toMatchObject({ noun: 'Defect', attribute: 'defectId' });
  expect(listPlaces(dataObject('defects.json'))).toBeNull();
});
