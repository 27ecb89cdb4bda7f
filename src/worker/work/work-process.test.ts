import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '#storage/db/connection.ts';
import { blobs } from '#storage/db/schema-projects.ts';
import { operations, workQueue } from '#storage/db/schema-work.ts';
import { cancelWork } from '#storage/work/life.ts';
import { contention, expectWithin, startStopwatch } from '../testing/contention.ts';
import { openWorkerHarness, type WorkerHarness } from '../testing/worker-harness.ts';
import { findLimits } from './limits.ts';

/** Short limits for tests; everything else is as in production. */
const patient = { memoryBytes: 500 * 1024 ** 2, seconds: 600, stallSeconds: 600 };
const hasty = { ...patient, seconds: 6, stallSeconds: 3 };
let harness: WorkerHarness;

beforeAll(async () => {
  harness = await openWorkerHarness();
  const script = new URL('../testing/misbehave.ts', import.meta.url);
  await harness.startWorker({
    script,
    limits: ({ row }) => ('parameters' in row && row.parameters['isHasty'] ? hasty : patient),
  });
});
afterAll(() => harness.close());

const request = (what: string, more: Record<string, unknown> = {}, operation = 'createMesh') =>
  harness.request(operation, { do: what, ...more });
const read = async (id: string) =>
  (await harness.db.select().from(operations).where(eq(operations.id, id)))[0];
const begun = (id: string) => harness.until(async () => (await read(id)).status === 'processing');
/** The worker itself still responds within a second. */
const works = async () => {
  const row = await harness.ended(await request('nothing'));
  expect(row.status).toBe('completed');
};

describe.each([
  'spin',
  'spin on a thread',
  'wait for ever',
  'fill the heap',
  'fill buffers',
  'fill WebAssembly memory',
  'fill a thread',
])('work that would %s', (what) => {
  it('is cancelled within a second', async () => {
    await expectWithin(1000, async () => {
      const id = await request(what);
      await begun(id);
      const elapsedMs = startStopwatch();
      await inTransaction(harness.db, (tx) => cancelWork(tx, 'operation', id));
      const row = await harness.ended(id);
      expect(row.status === 'cancelled' || row.error?.code === 'LIMIT_EXCEEDED').toBe(true);
      return elapsedMs();
    });
    await works();
  });
});

describe('work beyond its limits', () => {
  it.each(['fill the heap', 'fill buffers', 'fill WebAssembly memory', 'fill a thread'])(
    'of memory is ended with a sentence that says so: %s',
    async (what) => {
      const row = await harness.ended(await request(what));
      expect(row.error).toEqual({
        code: 'LIMIT_EXCEEDED',
        detail:
          'Work on Mesh took more than 0.5 GiB of memory, which is the limit on this machine, so it was stopped. Choose a smaller region.',
      });
      await works();
    },
  );

  it.each([
    ['spin', 'made no progress for 3 s'],
    ['wait for ever', 'made no progress for 3 s'],
    ['go on for ever', 'took longer than 6 s'],
  ])('of time is stopped with a clear message: %s', async (what, sentence) => {
    const row = await harness.ended(await request(what, { isHasty: true }));
    expect(row.error).toMatchObject({ code: 'LIMIT_EXCEEDED', detail: expect.stringContaining(sentence) });
    await works();
  });
});

describe('work that ends its process', () => {
  it.each(['exit', 'abort', 'fail beside'])('twice is set aside: %s', async (what) => {
    const row = await harness.ended(await request(what));
    expect(row.error).toMatchObject({
      code: 'SET_ASIDE',
      detail: expect.stringContaining('Mesh ended the process that worked on it 2 times'),
    });
    await works();
  });

  it('leaves nothing that it wrote, nor does work cancelled in an endless loop', async () => {
    const before = await harness.db.select().from(blobs);
    await harness.ended(await request('write half a file', { next: 'exit' }));
    const id = await request('write half a file', { next: 'spin' }, 'ingest');
    await expect.poll(() => harness.db.$count(blobs), { timeout: 30_000 }).toBe(before.length + 2);
    await inTransaction(harness.db, (tx) => cancelWork(tx, 'operation', id));
    expect((await harness.ended(id)).status).toBe('cancelled');
    expect(await harness.db.select().from(blobs)).toEqual(before);
  });

  it('costs concurrent work none of its retries', async () => {
    const beside = await request('wait for ever', {}, 'ingest');
    await begun(beside);
    expect((await harness.ended(await request('exit'))).error?.code).toBe('SET_ASIDE');
    const [queued] = await harness.db.select().from(workQueue).where(eq(workQueue.id, beside));
    expect([queued.deaths, queued.losses, queued.claim]).toEqual([0, 0, 1]);
    await inTransaction(harness.db, (tx) => cancelWork(tx, 'operation', beside));
    await harness.ended(beside);
  });
});

it('imports continue while any number of others wait for the follow-up step', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) ids.push(await request('wait at another place', {}, 'ingest'));
  expect((await harness.ended(await request('nothing', {}, 'ingest'))).status).toBe('completed');
  for (const id of ids) {
    await inTransaction(harness.db, (tx) => cancelWork(tx, 'operation', id));
    expect((await harness.ended(id)).status).toBe('cancelled');
  }
});

it('follow-up steps such as a mail are done even if no worker holds the work any more', async () => {
  const row = await harness.ended(await request('nothing', { thenForMs: 3000 }));
  expect(row.status).toBe('completed');
  const stage = async () => (await read(row.id)).stage;
  await expect.poll(stage, { timeout: 10_000 * contention() }).toBe('what follows is done');
});

it('an endless recursion fails as a program error, and its process continues', async () => {
  const [before, row] = [
    await harness.ended(await request('nothing')),
    await harness.ended(await request('recurse')),
  ];
  const after = await harness.ended(await request('nothing'));
  expect(row.error?.code).toBe('INTERNAL');
  expect(after.provenance).toEqual(before.provenance);
});

it('a process exits within seconds after its worker, even in an endless loop', async () => {
  const script = fileURLToPath(new URL('../testing/spin-for-ever.ts', import.meta.url));
  const parent = spawn('sh', ['-c', `"${process.execPath}" "${script}" & wait`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [pid] = await once(parent.stdout, 'data');
  parent.kill('SIGKILL');
  await expect.poll(() => existsSync(`/proc/${Number(pid)}`), { timeout: 10_000 }).toBe(false);
});

it('work of a worker that is asked to stop is released to be taken again, whatever it does', async () => {
  const id = await request('spin');
  await begun(id);
  await harness.stopWorker();
  const [queued] = await harness.db.select().from(workQueue).where(eq(workQueue.id, id));
  expect([queued.workerId, queued.deaths, queued.losses]).toEqual([null, 0, 0]);
});

it('limits depend on the size of the file and the machine', () => {
  const row = { operation: 'ingest', parameters: { sizeBytes: 5e9 } };
  const large = findLimits({ name: 'operation', row, project: undefined, label: '' } as never, 'import');
  expect(large.seconds).toBe(5600);
});
