import { expect, it } from 'vitest';
import { inTurn } from './in-turn.ts';

const makePlane = (z: number) => Uint8Array.of(z);

it('reads the next planes while the previous ones are passed on, and no further ahead', async () => {
  const asked = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const done: string[] = [];
  const read = inTurn(
    {
      readSlab: async (z) => {
        done.push(`read ${z}`);
        asked[z].resolve();
        return makePlane(z);
      },
    },
    async ([z]) => {
      // Were they read only afterwards, this would wait for ever.
      await asked[Math.min(3, z + 1)].promise;
      done.push(`passed ${z}`);
    },
  );
  const all = [0, 1, 2, 3].map((z) => read(z, z + 1));
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3].map(makePlane));
  expect(done.indexOf('read 2')).toBeGreaterThan(done.indexOf('passed 0'));
  expect(done.indexOf('read 3')).toBeGreaterThan(done.indexOf('passed 1'));
});

it('passes nothing on after a read or write failure', async () => {
  for (const failing of ['read', 'pass']) {
    const passed: number[] = [];
    const read = inTurn(
      {
        readSlab: async (z) => {
          if (failing === 'read' && z === 1) throw new Error('cut off');
          return makePlane(z);
        },
      },
      async ([z]) => {
        if (failing === 'pass' && z === 1) throw new Error('cut off');
        passed.push(z);
      },
    );
    const results = await Promise.allSettled([0, 1, 2].map((z) => read(z, z + 1)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(passed).toEqual([0]);
  }
});

it('rejects planes out of order', () => {
  const read = inTurn({ readSlab: async (z) => makePlane(z) }, async () => undefined);
  expect(() => read(1, 2)).toThrow('planes from 1 on were requested instead of 0');
});
