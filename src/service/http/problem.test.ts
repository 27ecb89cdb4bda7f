import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '#storage/testing/database.ts';
import { invalidField, toProblem } from './problem.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

/** The error of requesting one connection more than the pool has. */
async function oneTooMany(url: string, held: number): Promise<unknown> {
  const pool = new pg.Pool({ connectionString: url, max: Math.max(1, held) });
  const clients = await Promise.all(Array.from({ length: held }, () => pool.connect()));
  // Set only now, because connecting may take longer on a busy machine.
  pool.options.connectionTimeoutMillis = 50;
  try {
    return await pool.connect().catch((error: unknown) => error);
  } finally {
    for (const client of clients) client.release();
    await pool.end();
  }
}

test('reports a busy service when all connections are in use, and an unavailable database', async () => {
  const busy = toProblem(await oneTooMany(database.url, 1));
  expect([busy?.code, busy?.message]).toEqual([
    'UNAVAILABLE',
    'the service is busy; try again in a few seconds',
  ]);
  const away = toProblem(await oneTooMany('postgres://nobody@127.0.0.1:9/none', 0));
  expect([away?.code, away?.message]).toEqual([
    'UNAVAILABLE',
    'the database can’t be reached just now; try again',
  ]);
  expect(toProblem(new Error('something else'))).toBeUndefined();
});

test('a database killed during a transaction is reported as unavailable, not as an internal error', async () => {
  const client = await database.connection.pool.connect();
  const broken = Promise.withResolvers<void>();
  client.on('error', () => undefined);
  client.once('end', () => broken.resolve());
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  await database.connection.pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
  await broken.promise;
  const error = await client.query('select 1').catch((failure: unknown) => failure);
  client.release(true);
  expect(toProblem(error)?.code).toBe('UNAVAILABLE');
});

test.each(['ENOSPC', '53100'])('a full disk is reported by file system and database alike: %s', (code) => {
  const cause = Object.assign(new Error('no space left on device'), { code });
  const problem = toProblem(new Error('a query failed', { cause }));
  expect([problem?.code, problem?.message]).toEqual([
    'UNAVAILABLE',
    'the storage of this installation is full; make room, then try again',
  ]);
});

test.each([
  ['uMm', 'has no length', 'uMm has no length'],
  ['width', 'and height together are more than 9 pixels', 'width and height together are more than 9 pixels'],
  ['points', 'the points lie on one line', 'points: the points lie on one line'],
])('a field and its problem form a sentence: %s, %s', (field, detail, message) => {
  expect(invalidField(field, detail)).toMatchObject({
    message,
    extras: { field, errors: [{ field, detail }] },
  });
});
