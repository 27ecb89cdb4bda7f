import { expect, it } from 'vitest';
import type { SurfaceData } from '../data/surface-data.ts';
import { loadCompared } from './load-compared.ts';

const { signal } = new AbortController();
const bytes = (length: number) => new ArrayBuffer(length);

it('draws the simplified surface of a compared scan without loading the original, and the original if there is none', async () => {
  const asked: string[] = [];
  const read = async (data: ArrayBuffer) => {
    asked.push(`read ${data.byteLength}`);
    return {} as SurfaceData;
  };
  const source = (wholeTriangles: number | null) => ({
    id: 'a',
    load: async () => {
      asked.push('whole');
      return bytes(90);
    },
    loadSimplified: async () => (wholeTriangles === null ? null : { bytes: bytes(7), wholeTriangles }),
  });
  await loadCompared(source(1e6), signal, read);
  expect(asked).toEqual(['read 7']);
  await loadCompared(source(null), signal, read);
  expect(asked).toEqual(['read 7', 'whole', 'read 90']);
});
