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
  const find = (surfaceId: string | null, objects = surfaces) =>
    findNewerSurface({ surfaceId }, objects)?.id ?? null;
  expect(find('first')).toBe('second');
  expect(find('second')).toBeNull();
  expect(find(null)).toBeNull();
  // Neither an uploaded mesh nor an unfinished one replaces a surface.
  expect(find('second', [made('upload', 'mesh', null), ...surfaces])).toBeNull();
  expect(find('second', [{ ...made('third', 'mesh'), status: 'running' as never }, ...surfaces])).toBeNull();
  // Those of materials are made together with the surface of the part.
  expect(find('second', [{ ...made('material', 'mesh'), name: 'Material 1' }, ...surfaces])).toBeNull();
  // The newer one could belong to the other scan.
  expect(find('first', [...surfaces, made('rescan', 'volume', null)])).toBeNull();
});
