import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../testing/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase(1);
});
afterAll(() => database.close());

test('a transaction that fails to begin releases its connection', async () => {
  const { db } = database;
  const beginWrongly = () =>
    db.transaction(async () => 'begun', { isolationLevel: 'as it comes' as 'serializable' });
  await expect(beginWrongly()).rejects.toThrow('begin');
  const { rows } = await db.execute(sql`select 1 as one`);
  expect(rows).toEqual([{ one: 1 }]);
});

test('a failed transaction is rolled back; a nested one to its savepoint', async () => {
  const { db } = database;
  await db.execute(sql`create table kept (word text)`);
  await db.transaction(async (tx) => {
    await tx.execute(sql`insert into kept values ('outer')`);
    await tx
      .transaction(async (inner) => {
        await inner.execute(sql`insert into kept values ('inner')`);
        throw new Error('not this');
      })
      .catch(() => undefined);
  });
  await expect(
    db.transaction(async (tx) => {
      await tx.execute(sql`insert into kept values ('whole')`);
      throw new Error('nor this');
    }),
  ).rejects.toThrow('nor this');
  expect((await db.execute(sql`select word from kept`)).rows).toEqual([{ word: 'outer' }]);
});
