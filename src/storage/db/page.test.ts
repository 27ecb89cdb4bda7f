import { count, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { inOneSnapshot } from './connection.ts';
import { byCreation, InvalidCursor, type PageRequest, readPage } from './page.ts';
import { prepared } from './prepared.ts';
import { organizations } from './schema-accounts.ts';
import { auditLog } from './schema-collaboration.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  const [made] = await database.db.insert(organizations).values({ name: 'A', slug: 'a' }).returning();
  // Three entries each have the same time.
  await database.db.execute(sql`
    insert into audit_log (organization_id, action, resource, created_at)
    select ${made?.id}, case when i <= 12000 then 'many' when i <= 12010 then 'few' else 'rest' end, 'x',
      to_timestamp(1700000000 + i / 3)
    from generate_series(1, 30000) i`);
});
afterAll(() => database.close());

const read = (action: string, request: Partial<PageRequest>) =>
  readPage(
    database.db,
    { page: 1, page_size: 4, ...request },
    {
      rows: () => database.db.select().from(auditLog).$dynamic(),
      where: sql`${auditLog.action} = ${action}`,
      order: byCreation(auditLog),
      keyed: (row) => row,
    },
  );

describe('a page of a list', () => {
  it('has the exact count of few rows, on each page and beyond the last', async () => {
    for (const [page, length] of [
      [1, 4],
      [2, 4],
      [3, 2],
      [4, 0],
    ] as const) {
      const { results, count, isEstimate } = await read('few', { page });
      expect([results.length, count, isEstimate]).toEqual([length, 10, false]);
    }
    expect(await read('none', {})).toEqual({
      count: 0,
      isEstimate: false,
      results: [],
      nextCursor: null,
      previousCursor: null,
    });
  });

  it('marks a count above 10,000 as an estimate, except at the end of the list', async () => {
    await database.db.execute(sql`analyze audit_log`);
    const { count, isEstimate } = await read('many', {});
    expect(isEstimate).toBe(true);
    expect(Math.abs(count - 12_000)).toBeLessThan(2400);
    expect(await read('many', { page: 3000 })).toMatchObject({ count: 12_000, isEstimate: false });
  });

  it('continues from the cursor of the previous page, whatever was added meanwhile', async () => {
    const whole = await read('few', { page_size: 10 });
    const first = await read('few', {});
    await database.db.execute(sql`
      insert into audit_log (organization_id, action, resource)
      select organization_id, 'few', 'x' from audit_log limit 3`);
    const second = await read('few', { cursor: first.nextCursor ?? '' });
    const third = await read('few', { cursor: second.nextCursor ?? '' });
    const all = [first, second, third].flatMap(({ results }) => results);
    expect(all).toEqual(whole.results);
    expect([third.nextCursor, third.count]).toEqual([null, 13]);
    const back = await read('few', { cursor: third.previousCursor ?? '' });
    expect(back.results).toEqual(second.results);
  });

  it.each([
    ['nothing of ours', 'abc'],
    [
      'another order',
      Buffer.from('{"order":"name","keys":["a","b"],"isBackwards":false}').toString('base64url'),
    ],
    [
      'other values',
      Buffer.from('{"order":"-createdAt","keys":["a","b"],"isBackwards":false}').toString('base64url'),
    ],
  ])('refuses a cursor of %s', async (_, cursor) => {
    await expect(read('few', { cursor })).rejects.toThrow(InvalidCursor);
  });
});

describe('a snapshot', () => {
  it('does not see later commits, and cannot write', async () => {
    const { db } = database;
    const entries = () => db.$count(auditLog);
    await inOneSnapshot(db, async () => {
      const before = await entries();
      await database.connection.pool.query(
        `insert into audit_log (organization_id, action, resource) select organization_id, 'x', 'x' from audit_log limit 1`,
      );
      expect(await entries()).toBe(before);
    });
    await expect(inOneSnapshot(db, () => db.delete(auditLog))).rejects.toThrow();
  });

  it('does not cache queries prepared in it', async () => {
    const { db } = database;
    const counted = prepared((on) => on.select({ n: count() }).from(auditLog).prepare(''));
    const read = async () => (await counted(db).execute({}))[0]?.n;
    await inOneSnapshot(db, read);
    const before = await read();
    const open = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const later = inOneSnapshot(db, async () => {
      await db.execute(sql`select 1`);
      begun.resolve();
      await open.promise;
    });
    await begun.promise;
    await db.execute(
      sql`insert into audit_log (organization_id, action, resource) select organization_id, 'x', 'x' from audit_log limit 1`,
    );
    const after = await read();
    open.resolve();
    await later;
    expect(after).toBe((before ?? 0) + 1);
  });
});
