import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { organizations, workspaces } from '../db/schema-accounts.ts';
import { projects } from '../db/schema-projects.ts';
import { operations } from '../db/schema-work.ts';
import { projectTexts } from '../db/search-text.ts';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { CancelRequested, requestCancel, WorkerStopping } from './cancel.ts';
import { type JobQueue, openQueue } from './queue.ts';
import { priorities } from './queues.ts';
import { type JobContext, type JobWorker, openWorker } from './worker.ts';

let database: TestDatabase;
let queue: JobQueue;
let worker: JobWorker;
let project: { projectId: string; organizationId: string };
let children: ChildProcess[] = [];

beforeAll(async () => {
  database = await testDatabase();
  queue = await openQueue(database.url);
  const { db } = database;
  const [{ id: organizationId }] = await db
    .insert(organizations)
    .values({ name: 'Lab', slug: 'lab' })
    .returning();
  const [{ id: workspaceId }] = await db
    .insert(workspaces)
    .values({ organizationId, name: 'All' })
    .returning();
  const values = { organizationId, workspaceId, ...projectTexts({ name: 'Part' }) };
  project = { organizationId, projectId: (await db.insert(projects).values(values).returning())[0].id };
});
afterAll(async () => {
  await queue.close();
  await database.close();
});
beforeEach(async () => {
  worker = await openWorker(database.url);
});
afterEach(async () => {
  await worker.stop();
  for (const child of children) child.kill('SIGKILL');
  children = [];
  await database.connection.pool.query('delete from pgboss.job');
});

async function operation(status: 'pending' | 'processing' = 'pending'): Promise<string> {
  const values = { ...project, operation: 'createMesh', status };
  return (await database.db.insert(operations).values(values).returning())[0].id;
}

const send = (operationId: string, priority?: number) =>
  database.db.transaction((tx) => queue.send(tx, 'operation', { operationId }, { priority }));

/** Registers a handler and resolves with what it was called with first; the handler ends when told to. */
async function takeOne(taker: JobWorker): Promise<{ taken: Promise<[string, JobContext]>; finish(): void }> {
  const called = Promise.withResolvers<[string, JobContext]>();
  const finished = Promise.withResolvers<void>();
  await taker.work('operation', {}, async ({ operationId }, context) => {
    called.resolve([operationId, context]);
    const aborted = new Promise<void>((_, reject) => {
      context.signal.addEventListener('abort', () => reject(context.signal.reason));
    });
    await Promise.race([finished.promise, aborted]);
  });
  return { taken: called.promise, finish: finished.resolve };
}

async function hangingWorker(): Promise<{ child: ChildProcess; took: Promise<string> }> {
  const script = path.join(import.meta.dirname, '..', 'testing', 'hanging-worker.ts');
  const child = spawn(process.execPath, [script, database.url], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const took = once(child.stdout as NodeJS.ReadableStream, 'data').then(([chunk]) => String(chunk).trim());
  return { child, took };
}

describe('a job', () => {
  it('that is sent before, while or after its worker begins to take jobs is taken without being given up first', async () => {
    const ids = [await operation(), await operation(), await operation()];
    const taken = new Set<string>();
    await send(ids[0]);
    const beginning = worker.work('operation', {}, async ({ operationId }) => void taken.add(operationId));
    await send(ids[1]);
    await beginning;
    await send(ids[2]);
    // A job that is taken and lost would come again after 10 s at the soonest.
    await expect.poll(() => taken, { timeout: 9_000 }).toEqual(new Set(ids));
  });

  it('is taken within a second of the commit that sent it', async () => {
    const { taken, finish } = await takeOne(worker);
    const id = await operation();
    const sentAt = performance.now();
    await send(id);
    const [operationId, { attempt }] = await taken;
    expect(performance.now() - sentAt).toBeLessThan(1000);
    expect([operationId, attempt]).toEqual([id, 1]);
    finish();
  });

  it('of many that wait follows the one before without a pause', async () => {
    const count = 20;
    for (let i = 0; i < count; i++) await send(crypto.randomUUID());
    let taken = 0;
    const all = Promise.withResolvers<void>();
    const startedAt = performance.now();
    await worker.work('operation', {}, async () => {
      taken += 1;
      if (taken === count) all.resolve();
    });
    await all.promise;
    expect(performance.now() - startedAt).toBeLessThan(count * 500);
  });

  it('is not sent when the transaction is rolled back', async () => {
    await database.db
      .transaction(async (tx) => {
        await queue.send(tx, 'operation', { operationId: crypto.randomUUID() });
        throw new Error('changed my mind');
      })
      .catch(() => undefined);
    expect((await queue.depth())['operation']).toEqual({ waiting: 0, active: 0 });
  });

  it('that somebody waits for is taken before those of a bulk request', async () => {
    const [bulk, interactive] = [crypto.randomUUID(), crypto.randomUUID()];
    await send(bulk, priorities.bulk);
    await send(interactive, priorities.interactive);
    const order: string[] = [];
    const both = Promise.withResolvers<void>();
    await worker.work('operation', {}, async ({ operationId }) => {
      order.push(operationId);
      if (order.length === 2) both.resolve();
    });
    await both.promise;
    expect(order).toEqual([interactive, bulk]);
  });

  it('with the key of one that waits is not sent twice', async () => {
    const view = { viewId: crypto.randomUUID() };
    const ids = [];
    for (let i = 0; i < 2; i += 1)
      ids.push(await queue.send(database.db, 'view', view, { singletonKey: view.viewId }));
    expect(ids).toEqual([expect.any(String), null]);
  });
});

describe('a worker that is killed with -9 in the middle of a job', () => {
  it('loses it to the next worker that starts, at once', async () => {
    await worker.stop();
    const id = await operation('processing');
    const { child, took } = await hangingWorker();
    await send(id);
    expect(await took).toBe(id);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const startedAt = performance.now();
    worker = await openWorker(database.url);
    const { taken, finish } = await takeOne(worker);
    const [operationId, { attempt }] = await taken;
    expect([operationId, attempt]).toEqual([id, 2]);
    expect(performance.now() - startedAt).toBeLessThan(8000);
    finish();
  });

  it('loses it to a worker that runs already, when its heartbeats stay out', async () => {
    const id = await operation('processing');
    const { child, took } = await hangingWorker();
    await send(id);
    expect(await took).toBe(id);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const { taken, finish } = await takeOne(worker);
    // As if the ten seconds had passed.
    await database.connection.pool.query("update pgboss.job set heartbeat_on = now() - interval '1 minute'");
    const [operationId] = await taken;
    expect(operationId).toBe(id);
    finish();
  });
});

describe('a job that was given up', () => {
  it('is handed to the one who marks its row as failed, with the reason', async () => {
    const id = await operation('processing');
    await send(id);
    await database.connection.pool.query('update pgboss.job set retry_limit = 0');
    const given = Promise.withResolvers<unknown>();
    await worker.onAbandoned(async (job) => given.resolve(job));
    await worker.work('operation', {}, async () => {
      throw new Error('no memory left');
    });
    expect(await given.promise).toEqual({
      queue: 'operation',
      payload: { operationId: id },
      reason: 'no memory left',
    });
  });
});

describe('a request to cancel', () => {
  it('aborts the running job within a second', async () => {
    const { taken, finish } = await takeOne(worker);
    const id = await operation('processing');
    await send(id);
    const [, { signal }] = await taken;
    const aborted = once(signal, 'abort');
    const askedAt = performance.now();
    expect(await requestCancel(database.db, 'operation', id)).toBe('cancelling');
    await aborted;
    expect(performance.now() - askedAt).toBeLessThan(1000);
    expect(signal.reason).toBeInstanceOf(CancelRequested);
    finish();
  });

  it('ends what only waits, and leaves what has ended as it is', async () => {
    const id = await operation();
    expect(await requestCancel(database.db, 'operation', id)).toBe('cancelled');
    const [row] = await database.db.select().from(operations).where(eq(operations.id, id));
    expect(row.finishedAt).toBeInstanceOf(Date);
    expect(await requestCancel(database.db, 'operation', id)).toBe('cancelled');
    expect(await requestCancel(database.db, 'operation', crypto.randomUUID())).toBeUndefined();
  });

  it('reaches a job that begins after it was made', async () => {
    const id = await operation('processing');
    await requestCancel(database.db, 'operation', id);
    await send(id);
    const reason = Promise.withResolvers<unknown>();
    await worker.work('operation', {}, async (_, { signal }) => reason.resolve(signal.reason));
    expect(await reason.promise).toBeInstanceOf(CancelRequested);
  });
});

describe('a worker that is stopped', () => {
  it('tells its jobs, waits for them, and leaves them to be taken again', async () => {
    const { taken } = await takeOne(worker);
    const id = await operation('processing');
    await send(id);
    const [, { signal }] = await taken;
    await worker.stop();
    expect(signal.reason).toBeInstanceOf(WorkerStopping);
    expect((await queue.depth())['operation']).toEqual({ waiting: 1, active: 0 });
  });
});
