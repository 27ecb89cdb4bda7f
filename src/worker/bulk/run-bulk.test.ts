import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type BulkRow,
  type BulkType,
  createBulkRequest,
  retryBulk,
  undoBulk,
} from '#storage/bulk/requests.ts';
import { among } from '#storage/db/among.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { type ChangeEvent, subscribe } from '#storage/db/events.ts';
import { workspaceMembers, workspaces } from '#storage/db/schema-accounts.ts';
import { auditLog, notifications } from '#storage/db/schema-collaboration.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { bulkItems, bulkRequests, workQueue } from '#storage/db/schema-work.ts';
import { projectTexts } from '#storage/db/search-text.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { cancelWork } from '#storage/work/life.ts';
import { openWorkerHarness, type WorkerHarness } from '../testing/worker-harness.ts';
import { WorkBlobs } from '../work/work-blobs.ts';
import { WorkRun } from '../work/work-run.ts';
import { runBulk } from './run-bulk.ts';

let harness: WorkerHarness;
let workspaceId: string;
let otherWorkspaceId: string;
let actor: { userId: string; email: string };

beforeAll(async () => {
  harness = await openWorkerHarness();
  const { db, organizationId, userId } = harness;
  actor = { userId, email: 'engineer@example.com' };
  [{ id: workspaceId }] = await db.select().from(workspaces);
  [{ id: otherWorkspaceId }] = await db
    .insert(workspaces)
    .values({ organizationId, name: 'Other' })
    .returning();
  for (const id of [workspaceId, otherWorkspaceId])
    await db.insert(workspaceMembers).values({ workspaceId: id, userId, role: 'editor' });
  await harness.startWorker();
});
afterAll(() => harness.close());
beforeEach(async () => {
  if (!harness.worker) await harness.startWorker();
});

async function newProjects(
  count: number,
  values: Partial<typeof projects.$inferInsert> = {},
): Promise<string[]> {
  const { organizationId } = harness;
  const rows = await harness.db
    .insert(projects)
    .values(
      Array.from({ length: count }, (_, i) => ({
        organizationId,
        workspaceId,
        ...projectTexts({ name: `Part ${i}` }),
        ...values,
      })),
    )
    .returning({ id: projects.id });
  return rows.map(({ id }) => id);
}

const ask = (type: BulkType, projectIds: string[], parameters: Record<string, unknown> = {}) =>
  inTransaction(harness.db, (tx) => createBulkRequest(tx, actor, { type, parameters, projectIds }));

async function ended(row: BulkRow | undefined): Promise<BulkRow> {
  const read = async () =>
    (
      await harness.db
        .select()
        .from(bulkRequests)
        .where(eq(bulkRequests.id, row?.id ?? ''))
    )[0];
  await harness.until(async () => (await read()).finishedAt !== null);
  return read();
}

const undo = async (row: BulkRow) =>
  ended(await inTransaction(harness.db, (tx) => undoBulk(tx, actor, row.id)));
const retry = async (row: BulkRow) => ended(await inTransaction(harness.db, (tx) => retryBulk(tx, row.id)));
const items = (row: BulkRow) =>
  harness.db.select().from(bulkItems).where(eq(bulkItems.bulkRequestId, row.id)).orderBy(bulkItems.position);
const project = async (id: string) =>
  (await harness.db.select().from(projects).where(eq(projects.id, id)))[0];
const states = async (ids: string[]) => Promise.all(ids.map(async (id) => (await project(id)).state));

describe('a bulk request', () => {
  it('changes the projects it can, and reports the reason for each of the others', async () => {
    const [good, archived] = [await newProjects(2), await newProjects(1, { state: 'archived' })];
    const [trashed] = await newProjects(1, { state: 'deleted' });
    const [{ id: closed }] = await harness.db
      .insert(workspaces)
      .values({ organizationId: harness.organizationId, name: `Closed ${crypto.randomUUID()}` })
      .returning();
    const [hidden] = await newProjects(1, { workspaceId: closed });
    const unknown = crypto.randomUUID();
    const [{ id: shown }] = await harness.db
      .insert(workspaces)
      .values({ organizationId: harness.organizationId, name: `Shown ${crypto.randomUUID()}` })
      .returning();
    await harness.db
      .insert(workspaceMembers)
      .values({ workspaceId: shown, userId: harness.userId, role: 'viewer' });
    const [seen] = await newProjects(1, { workspaceId: shown });
    const row = await ended(
      await ask('addTags', [...good, ...archived, trashed, hidden, unknown, seen], { tags: ['lot 7'] }),
    );
    expect(row).toMatchObject({ status: 'completed', completedCount: 2, failedCount: 5, progress: 1 });
    expect((await items(row)).map(({ status, error }) => [status, error?.code])).toEqual([
      ['completed', undefined],
      ['completed', undefined],
      ['failed', 'PROJECT_ARCHIVED'],
      ['failed', 'NOT_FOUND'],
      ['failed', 'NOT_FOUND'],
      ['failed', 'NOT_FOUND'],
      ['failed', 'PERMISSION_DENIED'],
    ]);
    expect((await project(good[0])).tags).toEqual(['lot 7']);
    expect((await project(hidden)).tags).toEqual([]);
    const [told] = await harness.db
      .select()
      .from(notifications)
      .where(sql`${notifications.subject} ->> 'id' = ${row.id}`);
    expect([told.title, told.body]).toEqual(['2 projects tagged', '5 failed']);
  });

  it('fails if nothing succeeded, and can be retried once the cause is fixed', async () => {
    const ids = await newProjects(3, { state: 'archived' });
    const row = await ended(await ask('addTags', ids, { tags: ['x'] }));
    expect([row.status, row.failedCount]).toEqual(['failed', 3]);
    await harness.db.update(projects).set({ state: 'active' }).where(eq(projects.id, ids[1]));
    expect(await retry(row)).toMatchObject({ status: 'completed', completedCount: 1, failedCount: 2 });
    expect((await project(ids[1])).tags).toEqual(['x']);
  });

  it('announces changes to many projects in few events, and logs every project in the audit log', async () => {
    const ids = await newProjects(450);
    const heard: ChangeEvent[] = [];
    const subscription = await subscribe(harness.database.url, { onEvent: (event) => heard.push(event) });
    const row = await ended(await ask('archive', ids));
    await subscription.close();
    expect(row.completedCount).toBe(450);
    expect(heard.filter(({ resource }) => resource === 'project')).toEqual([]);
    expect(heard.filter(({ resource }) => resource === 'projects').length).toBeLessThanOrEqual(5);
    expect(heard.length).toBeLessThan(20);
    const entries = await harness.db
      .select({ id: auditLog.resourceId })
      .from(auditLog)
      .where(
        sql`${auditLog.detail} ->> 'bulkRequestId' = ${row.id} and ${auditLog.action} = 'archiveProject'`,
      );
    expect(new Set(entries.map(({ id }) => id))).toEqual(new Set(ids));
  });

  it('copies each project once, with its data, to the destination', async () => {
    const ids = await newProjects(45);
    await harness.db
      .insert(dataObjects)
      .values(ids.map((projectId) => ({ projectId, ...exampleContent('mesh'), name: 'm' })));
    const row = await ended(await ask('copy', ids, { destinationWorkspaceId: otherWorkspaceId }));
    expect([row.status, row.completedCount]).toEqual(['completed', 45]);
    for (const { projectId, result } of await items(row)) {
      const copies = await harness.db
        .select()
        .from(projects)
        .where(eq(projects.copiedFromProjectId, projectId));
      expect(
        copies.map(({ id, workspaceId: where, dataObjectCount }) => [id, where, dataObjectCount]),
      ).toEqual([[result?.['copyId'], otherWorkspaceId, 1]]);
    }
  });
});

describe('an undo', () => {
  it('restores archived, deleted, moved and tagged projects', async () => {
    const [plain, archived] = await newProjects(2, { tags: ['b', 'a'] });
    await harness.db
      .update(projects)
      .set({ state: 'archived', archivedAt: new Date('2026-01-02T03:04:05Z') })
      .where(eq(projects.id, archived));
    const look = async () =>
      (await Promise.all([plain, archived].map(project))).map(
        ({ state, archivedAt, deletedAt, stateBeforeDelete, workspaceId: at, tags, searchText }) => ({
          state,
          archivedAt,
          deletedAt,
          stateBeforeDelete,
          at,
          tags,
          searchText,
        }),
      );
    const before = await look();
    for (const [type, parameters] of [
      ['archive', {}],
      ['delete', {}],
      ['move', { destinationWorkspaceId: otherWorkspaceId }],
      ['addTags', { tags: ['a', 'c'] }],
      ['removeTags', { tags: ['a'] }],
    ] as const) {
      const row = await ended(await ask(type, [plain, archived], parameters));
      expect([type, await look()]).not.toEqual([type, before]);
      const back = await undo(row);
      expect([type, back.failedCount, await look()]).toEqual([type, 0, before]);
      await expect(undo(row)).rejects.toThrow('it has already been undone');
      await expect(undo(back)).rejects.toThrow('it is an undo itself');
    }
  });

  it('leaves projects that somebody has changed since, and reports them', async () => {
    const ids = await newProjects(3);
    const row = await ended(await ask('archive', ids));
    await harness.db
      .update(projects)
      .set({ state: 'active', archivedAt: null })
      .where(eq(projects.id, ids[0]));
    await harness.db.delete(projects).where(eq(projects.id, ids[1]));
    const back = await undo(row);
    expect((await items(back)).map(({ status, error }) => [status, error?.code])).toEqual([
      ['failed', 'CONFLICT'],
      ['failed', 'NOT_FOUND'],
      ['completed', undefined],
    ]);
    expect((await project(ids[2])).state).toBe('active');
  });

  it('does not change projects that already were as requested', async () => {
    const [active] = await newProjects(1);
    const [archived] = await newProjects(1, { state: 'archived', archivedAt: new Date() });
    const row = await ended(await ask('archive', [active, archived]));
    expect((await undo(row)).totalCount).toBe(1);
    expect(await states([active, archived])).toEqual(['active', 'archived']);
  });

  it('is refused for actions that can’t be undone', async () => {
    const ids = await newProjects(1);
    const copied = await ended(await ask('copy', ids, { destinationWorkspaceId: workspaceId }));
    await expect(undo(copied)).rejects.toThrow('copy can’t be undone');
  });
});

describe('a cancelled request', () => {
  it('ends at once if it has not started, and can be run again', async () => {
    await harness.stopWorker();
    const ids = await newProjects(3);
    const row = await ask('archive', ids);
    await inTransaction(harness.db, (tx) => cancelWork(tx, 'bulk', row.id));
    expect(await ended(row)).toMatchObject({ status: 'cancelled', cancelledCount: 3 });
    await harness.startWorker();
    expect(await retry(row)).toMatchObject({ status: 'completed', completedCount: 3, cancelledCount: 0 });
    expect(await states(ids)).toEqual(['archived', 'archived', 'archived']);
  });

  it('keeps finished changes and skips the rest if it was running', async () => {
    const ids = await newProjects(600);
    const row = await ask('archive', ids);
    await harness.until(async () => {
      const [now] = await harness.db.select().from(bulkRequests).where(eq(bulkRequests.id, row.id));
      return now.completedCount > 0;
    });
    await inTransaction(harness.db, (tx) => cancelWork(tx, 'bulk', row.id));
    const end = await ended(row);
    expect(end.completedCount + end.cancelledCount).toBe(600);
    expect((await states(ids)).filter((state) => state === 'archived')).toHaveLength(end.completedCount);
  });
});

it('changes nothing twice if two workers, or one after a crash, continue the same request', async () => {
  const context = harness.worker?.context;
  if (!context) throw new Error('the worker is not started');
  const ids = await newProjects(60);
  const row = await inTransaction(harness.db, async (tx) => {
    const parameters = { destinationWorkspaceId: workspaceId };
    const made = await createBulkRequest(tx, actor, { type: 'copy', parameters, projectIds: ids });
    // The two below take it, and nobody else.
    await tx.delete(workQueue).where(eq(workQueue.id, made.id));
    return made;
  });
  const { signal } = new AbortController();
  await Promise.all(
    [1, 2].map(async () => {
      const run = new WorkRun(signal, () => undefined);
      const blobs = new WorkBlobs(harness.db, harness.store, row.id, signal);
      const work = { row, project: undefined, place: 'turn' as const, context, run, blobs };
      while ((await runBulk(work)) === 'again');
      run.end();
    }),
  );
  const copies = await harness.db
    .select({ from: projects.copiedFromProjectId })
    .from(projects)
    .where(among(projects.copiedFromProjectId, ids));
  expect(copies).toHaveLength(60);
  expect(new Set(copies.map(({ from }) => from)).size).toBe(60);
});

it('continues after its worker was killed, and changes each project once', async () => {
  await harness.stopWorker();
  const ids = await newProjects(500);
  // The last project is locked, so the request stays half finished.
  const holder = await harness.database.connection.pool.connect();
  await holder.query('begin');
  await holder.query('select from projects where id = $1 for update', [ids.at(-1)]);
  const row = await ask('archive', ids);
  const child = harness.spawnWorker();
  await harness.until(async () => {
    const [now] = await harness.db.select().from(bulkRequests).where(eq(bulkRequests.id, row.id));
    return now.completedCount > 0;
  });
  await harness.killWorker(child);
  const [killed] = await harness.db.select().from(bulkRequests).where(eq(bulkRequests.id, row.id));
  expect([killed.finishedAt, killed.completedCount < ids.length]).toEqual([null, true]);
  await holder.query('rollback');
  holder.release();
  await harness.startWorker();
  expect(await ended(row)).toMatchObject({ status: 'completed', completedCount: 500, failedCount: 0 });
  const { rows } = await harness.db.execute<{
    state: string;
    version: number;
    entries: number;
    count: number;
  }>(sql`
    select state, version, entries, count(*)::int as count from (
      select ${projects.state} as state, ${projects.version} as version,
        (select count(*)::int from ${auditLog}
          where ${auditLog.projectId} = ${projects.id} and ${auditLog.action} = 'archiveProject') as entries
      from ${projects} where ${among(projects.id, ids)}
    ) one group by state, version, entries`);
  expect(rows).toEqual([{ state: 'archived', version: 2, entries: 1, count: 500 }]);
});
