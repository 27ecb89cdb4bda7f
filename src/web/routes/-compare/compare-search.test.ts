import { expect, it } from 'vitest';
import { CompareSearch, listCompared, parseCompared } from './compare-search.ts';

const one = '0190c3de-0000-7000-8000-000000000001';
const other = '0190c3de-0000-7000-8000-000000000002';

it('keeps the scans of a link with one truncated id, and reports that id', () => {
  const cut = other.slice(0, 30);
  const { projects } = CompareSearch.parse({ projects: [one, cut, `${other}~${one}`] });
  expect(projects).toEqual([one, cut, `${other}~${one}`]);
  expect(parseCompared(`${other}~${one}`)).toEqual({ projectId: other, volumeId: one });
  expect(() => parseCompared(cut)).toThrow(`“${cut}” in the link names no scan.`);
  expect(CompareSearch.parse({ projects: 12 }).projects).toEqual(['12']);
  expect(CompareSearch.parse({}).projects).toEqual([]);
});

it('opens the two newest scans of a project that was scanned more than once', () => {
  const volume = (id: string, status = 'completed') => ({ id, kind: 'volume', status });
  const mesh = { id: 'm', kind: 'mesh', status: 'completed' };
  expect(listCompared(one, [mesh, volume('a')])).toEqual([one]);
  const scanned = [volume('d', 'processing'), volume('c'), mesh, volume('b'), volume('a')];
  expect(listCompared(one, scanned)).toEqual([`${one}~c`, `${one}~b`]);
});
