import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { inTransaction } from '../db/connection.ts';
import { type ChangeEvent, subscribe } from '../db/events.ts';
import { organizations, users, workspaces } from '../db/schema-accounts.ts';
import { bookmarkRenders, bookmarks, notifications } from '../db/schema-collaboration.ts';
import { dataObjects, dataViews } from '../db/schema-data.ts';
import { blobDeletions, blobs, projects } from '../db/schema-projects.ts';
import {
  bulkItems,
  bulkRequests,
  exports,
  operations,
  recipeInvocations,
  workQueue,
} from '../db/schema-work.ts';
import { projectTexts } from '../db/search-text.ts';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { exampleContent } from '../testing/example-content.ts';
import type { WorkName, WorkRow } from './kinds.ts';
import {
  beginWork,
  cancelWork,
  endWork,
  requestWork,
  retryWork,
  WorkLost,
  wakeWork,
  writeProgress,
} from './life.ts';
import { enqueue, LOST_AFTER_SECONDS, type Place, priorities, WorkerQueue } from './queue.ts';

let database: TestDatabase;
let place: { projectId: string; organizationId: string };
let userId: string;
const all: Place[] = ['compute', 'import', 'export', 'pack', 'report', 'picture', 'turn'];

beforeAll(async () => {
  database = await testDatabase();
  const { db } = database;
  [{ id: userId }] = await db.insert(users).values({ email: 'a@example.com', name: 'A' }).returning();
  const [organization] = await db.insert(organizations).values({ name: 'Lab', slug: 'lab' }).returning();
  const organizationId = organization.id;
  const [workspace] = await db.insert(workspaces).values({ organizationId, name: 'All' }).returning();
  const values = { organizationId, workspaceId: workspace.id, ...projectTexts({ name: 'Part' }) };
  const [project] = await db.insert(projects).values(values).returning();
  place = { projectId: project.id, organizationId };
});
beforeEach(async () => {
  await database.db.delete(workQueue);
});
afterAll(() => database.close());

/** Inserts one row of each kind, requested by the user. */
const rows: { [Name in WorkName]: () => Promise<WorkRow<Name>> } = {
  async operation() {
    const values = { ...place, operation: 'createMesh', createdBy: userId };
    return (await database.db.insert(operations).values(values).returning())[0];
  },
  async export() {
    await database.db.delete(exports);
    const config = { exportMeshes: true, exportVolumes: false, exportRadiographs: false };
    const values = { projectId: place.projectId, config, createdBy: userId };
    return (await database.db.insert(exports).values(values).returning())[0];
  },
  async view() {
    const object = { projectId: place.projectId, ...exampleContent('volume'), name: 'Scan' };
    const [{ id: dataObjectId }] = await database.db.insert(dataObjects).values(object).returning();
    const values = { dataObjectId, parametersHash: 'a', parameters: {}, version: 1, createdBy: userId };
    return (await database.db.insert(dataViews).values(values).returning())[0];
  },
  async render() {
    const bookmark = { projectId: place.projectId, name: 'A view', viewState: {} };
    const [{ id: bookmarkId }] = await database.db.insert(bookmarks).values(bookmark).returning();
    const values = { bookmarkId, width: 640, height: 480, createdBy: userId };
    return (await database.db.insert(bookmarkRenders).values(values).returning())[0];
  },
  async invocation() {
    const steps = [{ key: 'mesh', operationId: null, status: 'pending' }];
    const values = { ...place, definition: { steps: [], gates: [] }, steps, createdBy: userId };
    return (await database.db.insert(recipeInvocations).values(values).returning())[0];
  },
  async bulk() {
    const values = { operationType: 'archive', totalCount: 1, createdBy: userId };
    const [row] = await database.db.insert(bulkRequests).values(values).returning();
    const item = { bulkRequestId: row.id, projectId: place.projectId, position: 0 };
    await database.db.insert(bulkItems).values(item);
    return row;
  },
};
const names = Object.keys(rows) as WorkName[];

const request = async (name: WorkName): Promise<string> => {
  const row = await rows[name]();
  await inTransaction(database.db, (tx) => requestWork(tx, name, row));
  return row.id;
};
/** Collects all events about work from now on. */
const hear = async () => {
  const told: ChangeEvent[] = [];
  const onEvent = (event: ChangeEvent) => void (event.resource !== 'notification' && told.push(event));
  const listening = await subscribe(database.url, { onEvent });
  return { told, end: () => listening.close() };
};
const worker = () => new WorkerQueue(database.db);
const begin = async (queue: WorkerQueue) => {
  const claim = await queue.claim(all, []);
  if (!claim) throw new Error('nothing waits');
  return { claim, begun: await inTransaction(database.db, (tx) => beginWork(tx, claim)) };
};
const cancel = (name: WorkName, id: string) => inTransaction(database.db, (tx) => cancelWork(tx, name, id));
const queued = async (id: string) =>
  (await database.db.select().from(workQueue).where(eq(workQueue.id, id)))[0];
const silence = (seconds: number) =>
  database.db.execute(sql`update work_queue set beat_at = beat_at - make_interval(secs => ${seconds})`);

describe.each(names)('work of the kind %s', (name) => {
  it('starts, ends, and then leaves the queue', async () => {
    const id = await request(name);
    const { claim, begun } = await begin(worker());
    expect(begun?.row).toMatchObject({ id, status: 'processing', startedAt: expect.any(Date) });
    const end = { status: 'completed' as const };
    const row = await inTransaction(database.db, (tx) => endWork(tx, name, id, end, claim.claim));
    expect(row).toMatchObject({ status: 'completed', progress: 1, finishedAt: expect.any(Date) });
    expect(await queued(id)).toBeUndefined();
  });

  it('sends separate event types for progress and for start and end', async () => {
    const { told, end } = await hear();
    const id = await request(name);
    const { claim, begun } = await begin(worker());
    if (!begun) throw new Error('nothing to do');
    const progress = { progress: 0.5, stage: null };
    await inTransaction(database.db, (tx) => writeProgress(tx, begun, progress));
    await inTransaction(database.db, (tx) => endWork(tx, name, id, { status: 'completed' }, claim.claim));
    const types = () => told.map(({ type }) => type);
    await expect.poll(types).toEqual(['created', 'updated', 'progressed', 'updated']);
    await end();
  });

  it('is cancelled immediately while pending, and can be retried', async () => {
    const id = await request(name);
    const row = await cancel(name, id);
    expect([row?.status, await queued(id)]).toEqual(['cancelled', undefined]);
    const again = await inTransaction(database.db, (tx) => retryWork(tx, name, id));
    expect(again).toMatchObject({ status: 'pending', finishedAt: null, cancelRequestedAt: null });
    expect(await queued(id)).toMatchObject({ workerId: null });
  });

  it('is stopped by its worker while running', async () => {
    const id = await request(name);
    const queue = worker();
    const { claim } = await begin(queue);
    expect((await cancel(name, id))?.status).toBe('cancelling');
    expect((await queue.beat([id])).get(id)).toEqual({ claim: claim.claim, isCancelled: true });
    const end = { status: 'cancelled' as const };
    await inTransaction(database.db, (tx) => endWork(tx, name, id, end, claim.claim));
    expect((await cancel(name, id))?.status).toBe('cancelled');
  });

  it('is taken by another worker when its own stops responding, and ends once', async () => {
    const id = await request(name);
    const first = await begin(worker());
    expect(await worker().claim(all, [])).toBeUndefined();
    await silence(LOST_AFTER_SECONDS + 1);
    const second = await begin(worker());
    expect(second.claim).toMatchObject({ id, claim: first.claim.claim + 1, losses: 1, deaths: 0 });
    const end = (claim: number) =>
      inTransaction(database.db, (tx) => endWork(tx, name, id, { status: 'completed' }, claim));
    await expect(end(first.claim.claim)).rejects.toBeInstanceOf(WorkLost);
    expect((await end(second.claim.claim))?.status).toBe('completed');
    expect(await end(second.claim.claim)).toBeUndefined();
  });
});

describe('the queue', () => {
  it('returns lost work first, then interactive work, then the oldest', async () => {
    const [bulk, first, second, lost] = Array.from({ length: 4 }, () => crypto.randomUUID());
    const put = (id: string, priority: number) =>
      enqueue(database.db, 'operation', id, { place: 'compute', priority });
    await put(lost, priorities.bulk);
    await worker().claim(all, []);
    await silence(LOST_AFTER_SECONDS + 1);
    for (const [id, priority] of [
      [bulk, priorities.bulk],
      [first, priorities.interactive],
      [second, priorities.interactive],
    ] as const) {
      await database.db.execute(sql`update work_queue set created_at = created_at - interval '1 second'`);
      await put(id, priority);
    }
    const queue = worker();
    const order: (string | undefined)[] = [];
    for (let i = 0; i < 5; i++) order.push((await queue.claim(all, []))?.id);
    expect(order).toEqual([lost, first, second, bulk, undefined]);
  });

  it('returns work of one transaction in the order in which it was queued', async () => {
    const ids = Array.from({ length: 8 }, () => crypto.randomUUID());
    await inTransaction(database.db, async (tx) => {
      for (const id of ids)
        await enqueue(tx, 'operation', id, { place: 'compute', priority: priorities.bulk });
    });
    const queue = worker();
    const order: (string | undefined)[] = [];
    for (const _ of ids) order.push((await queue.claim(all, []))?.id);
    expect(order).toEqual(ids);
  });

  it('gives a worker only work for its free slots, and the rest to others', async () => {
    const ids = [await request('operation'), await request('operation')];
    const [one, other] = [worker(), worker()];
    expect((await one.claim(all, []))?.id).toBe(ids[0]);
    expect(await one.claim(['export', 'turn'], [])).toBeUndefined();
    expect((await other.claim(all, []))?.id).toBe(ids[1]);
  });

  it('never gives a worker the work it is already running, however long the database was unavailable', async () => {
    const id = await request('export');
    const queue = worker();
    await begin(queue);
    await silence(60);
    expect(await queue.claim(all, [id])).toBeUndefined();
    expect((await queue.beat([id])).has(id)).toBe(true);
    expect(await worker().claim(all, [])).toBeUndefined();
  });

  it('ends without waiting for another slot when it is cancelled while it moves there', async () => {
    const id = await request('operation');
    const queue = worker();
    const { claim } = await begin(queue);
    await cancel('operation', id);
    await queue.release(claim, { place: 'judge' });
    const again = await worker().claim([claim.place], []);
    expect(again?.id).toBe(id);
    if (again) expect(await inTransaction(database.db, (tx) => beginWork(tx, again))).toBeUndefined();
    expect((await cancel('operation', id))?.status).toBe('cancelled');
  });

  it('is unchanged when the requesting transaction is rolled back', async () => {
    const row = await rows.operation();
    const asking = inTransaction(database.db, async (tx) => {
      await requestWork(tx, 'operation', row);
      throw new Error('changed my mind');
    });
    await expect(asking).rejects.toThrow('changed my mind');
    expect(await queued(row.id)).toBeUndefined();
  });

  it('keeps a turn requested during another one', async () => {
    const id = await request('bulk');
    const queue = worker();
    const { claim } = await begin(queue);
    await inTransaction(database.db, (tx) => wakeWork(tx, 'bulk', id));
    await queue.endTurn(claim);
    expect(await queued(id)).toMatchObject({ workerId: null });
    const next = await begin(queue);
    await queue.endTurn(next.claim);
    expect(await queued(id)).toBeUndefined();
  });
});

it('discards the blobs of failed work and keeps those of completed work', async () => {
  const { db } = database;
  const blob = (writtenBy: string) => ({
    key: `files/${crypto.randomUUID()}`,
    kind: 'object' as const,
    writtenBy,
  });
  const [kept, lost] = [await request('export'), await request('operation')];
  const [good, vain] = [blob(kept), blob(lost)];
  await db.insert(blobs).values([good, vain]);
  await inTransaction(db, (tx) => endWork(tx, 'export', kept, { status: 'completed' }));
  await inTransaction(db, (tx) => endWork(tx, 'operation', lost, { status: 'cancelled' }));
  expect((await db.select().from(blobs)).map(({ key, writtenBy }) => [key, writtenBy])).toEqual([
    [good.key, null],
  ]);
  expect((await db.select().from(blobDeletions)).map(({ key }) => key)).toEqual([vain.key]);
});

it('the progress of a step updates that of its run', async () => {
  const { db } = database;
  const run = await rows.invocation();
  const values = { ...place, operation: 'createMesh', invocationId: run.id, status: 'processing' as const };
  const [step] = await db.insert(operations).values(values).returning();
  const [project] = await db.select().from(projects).where(eq(projects.id, place.projectId));
  const { told, end } = await hear();
  const begun = { name: 'operation' as const, row: step, project };
  await inTransaction(db, (tx) => writeProgress(tx, begun, { progress: 0.5, stage: null }));
  await expect
    .poll(() => told)
    .toMatchObject([
      { type: 'progressed', resource: 'operation', id: step.id },
      { type: 'progressed', resource: 'recipeInvocation', id: run.id, projectId: place.projectId },
    ]);
  await end();
});

it('the end of a step wakes its run, and the requester is notified only of the run', async () => {
  const { db } = database;
  const run = await rows.invocation();
  await db.update(recipeInvocations).set({ status: 'processing' }).where(eq(recipeInvocations.id, run.id));
  const values = { ...place, operation: 'createMesh', invocationId: run.id, createdBy: userId };
  const [step] = await db.insert(operations).values(values).returning();
  await inTransaction(db, (tx) => requestWork(tx, 'operation', step));
  expect(await queued(step.id)).toMatchObject({ priority: priorities.recipe });
  const before = await db.$count(notifications);
  await inTransaction(db, (tx) => endWork(tx, 'operation', step.id, { status: 'completed' }));
  expect(await queued(run.id)).toMatchObject({ kind: 'invocation', place: 'turn' });
  expect(await db.$count(notifications)).toBe(before);
  await inTransaction(db, (tx) => endWork(tx, 'invocation', run.id, { status: 'completed' }));
  expect(await db.$count(notifications)).toBe(before + 1);
});

/** Runs `act` as on a host whose clock is wrong by so many hours. */
async function withWrongClock<T>(hours: number, act: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 });
  try {
    return await act();
  } finally {
    vi.useRealTimers();
  }
}

describe('the time of the queue', () => {
  it('makes new work available immediately, at any fraction of a millisecond', async () => {
    // `now()` is constant within a transaction; stored with milliseconds, it was rounded up every other time.
    for (let i = 0; i < 30; i++) {
      const id = crypto.randomUUID();
      const claim = await inTransaction(database.db, async (tx) => {
        await enqueue(tx, 'operation', id, { place: 'compute', priority: priorities.interactive });
        return new WorkerQueue(tx).claim(all, []);
      });
      expect(claim?.id).toBe(id);
    }
  });

  it.each([-1, 1])('is that of the database when a worker’s clock is wrong by %i h', async (hours) => {
    const id = await request('export');
    const queue = worker();
    const claim = await withWrongClock(hours, async () => {
      const claim = await queue.claim(all, []);
      if (!claim) throw new Error('nothing waits');
      await queue.release(claim, { pauseSeconds: 60 });
      return claim;
    });
    expect(claim.id).toBe(id);
    expect(await queue.claim(all, [])).toBeUndefined();
    // A minute later, without waiting.
    await database.db.execute(sql`update work_queue set run_at = run_at - interval '1 minute'`);
    expect((await queue.claim(all, []))?.id).toBe(id);
  });
});
