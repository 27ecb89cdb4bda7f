import { expect, test } from 'vitest';
import { findNewerSurface } from './newer-surface.ts';

const made = (id: string, kind: 'mesh' | 'volume', createdByOperation: string | null = `of ${id}`) => ({
  ...{ id, kind, createdByOperation },
  name: kind as string,
  status: 'completed' as const,
});
const scan = made('scan', 'volume', null);

test('a measurement lies on an older surface once the mesh of its scan was made again', () => {
  const surfaces = [made('second', 'mesh'), made('first', 'mesh'), scan];
  const sources = new Map(['first', 'second', 'third', 'material'].map((id) => [`of ${id}`, 'scan']));
  const find = (surfaceId: string | null, objects = surfaces) =>
    findNewerSurface({ surfaceId }, objects, sources)?.id ?? null;
  expect(find('first')).toBe('second');
  expect(find('second')).toBeNull();
  expect(find(null)).toBeNull();
  // Neither an uploaded mesh nor an unfinished one replaces a surface.
  expect(find('second', [made('upload', 'mesh', null), ...surfaces])).toBeNull();
  expect(find('second', [{ ...made('third', 'mesh'), status: 'running' as never }, ...surfaces])).toBeNull();
  // Those of materials are made together with the surface of the part.
  expect(find('second', [{ ...made('material', 'mesh'), name: 'Material 1' }, ...surfaces])).toBeNull();
  // The newest one belongs to another scan.
  const two = [made('other', 'mesh'), ...surfaces, made('rescan', 'volume', null)];
  sources.set('of other', 'rescan');
  expect(find('first', two)).toBe('second');
  expect(find('second', two)).toBeNull();
  // The operations are still loading.
  expect(findNewerSurface({ surfaceId: 'first' }, surfaces, new Map())).toBeNull();
});
