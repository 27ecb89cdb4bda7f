import { and, eq, inArray, isNull, lte, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fillDefaults, pipeline } from '#contract/analyses/pipeline.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { collect } from '#formats/testing/collect.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { sphere } from '#kernels/testing/bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { type BulkRow, createBulkRequest, retryBulk } from '#storage/bulk/requests.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { users, workspaceMembers, workspaces } from '#storage/db/schema-accounts.ts';
import { notifications } from '#storage/db/schema-collaboration.ts';
import {
  bulkItems,
  bulkRequests,
  operations,
  recipeInvocations,
  recipes,
  recipeVersions,
} from '#storage/db/schema-work.ts';
import { copyProjects } from '#storage/projects/copy-projects.ts';
import { cancelWork } from '#storage/work/life.ts';
import { openWorkerHarness, type WorkerHarness } from '../testing/worker-harness.ts';

let harness: WorkerHarness;
let workspaceId: string;
let version: typeof recipeVersions.$inferSelect;
let second: { userId: string; email: string };

beforeAll(async () => {
  harness = await openWorkerHarness();
  const { db, organizationId, userId } = harness;
  [{ id: workspaceId }] = await db.select().from(workspaces);
  const [other] = await db.insert(users).values({ email: 'second@example.com', name: 'Second' }).returning();
  second = { userId: other.id, email: other.email };
  for (const id of [userId, other.id])
    await db.insert(workspaceMembers).values({ workspaceId, userId: id, role: 'editor' });
  const { steps } = pipeline.parameters.parse({ steps: [{ key: 'mesh', operation: 'createMesh' }] });
  const [{ id: recipeId }] = await db.insert(recipes).values({ organizationId, name: 'Mesh' }).returning();
  [version] = await db
    .insert(recipeVersions)
    .values({
      recipeId,
      organizationId,
      version: 1,
      name: 'Mesh',
      status: 'released',
      steps: fillDefaults(steps),
    })
    .returning();
  await harness.startWorker();
  const ball = renderBody(sphere(0.8), { dimensions: [24, 24, 24], voxelSizeMm: [0.1, 0.1, 0.1] });
  await harness.ended(await harness.upload('ball.nrrd', await collect(writeNrrd(makeSlabs(ball)))));
});
afterAll(() => harness.close());

const me = () => ({ userId: harness.userId, email: 'engineer@example.com' });

/** Projects with the data of the first, each time as many as there are already. */
async function parts(count: number): Promise<string[]> {
  const { db, organizationId, projectId } = harness;
  const destination = { id: workspaceId, organizationId };
  const copy = async (ids: string[]) => {
    const copies = await inTransaction(db, (tx) => copyProjects(tx, me(), ids, destination));
    return [...copies.values()].map(({ id }) => id);
  };
  const made = await copy([projectId]);
  while (made.length < count) made.push(...(await copy(made.slice(0, count - made.length))));
  return made;
}

const ask = (projectIds: string[], actor = me()) =>
  inTransaction(harness.db, (tx) =>
    createBulkRequest(tx, actor, {
      type: 'runRecipe',
      parameters: { recipePk: version.recipeId, recipeVersionId: version.id, recipeName: version.name },
      projectIds,
    }),
  );
const read = async ({ id }: { id: string }): Promise<BulkRow> =>
  (await harness.db.select().from(bulkRequests).where(eq(bulkRequests.id, id)))[0];
async function ended(row: { id: string }): Promise<BulkRow> {
  await harness.until(async () => (await read(row)).finishedAt !== null);
  return read(row);
}
const items = ({ id }: { id: string }) =>
  harness.db.select().from(bulkItems).where(eq(bulkItems.bulkRequestId, id)).orderBy(bulkItems.position);

it('runs the recipe once per project, a few at a time, and reports the projects where it could not run', async () => {
  const good = await parts(9);
  const [empty, archived] = [await harness.newProject('Empty'), await harness.newProject('Archived')];
  await harness.db.execute(`update projects set state = 'archived' where id = '${archived}'`);
  let most = 0;
  const row = await ask([...good, empty, archived]);
  await harness.until(async () => {
    const open = await harness.db.$count(recipeInvocations, isNull(recipeInvocations.finishedAt));
    most = Math.max(most, open);
    return (await read(row)).finishedAt !== null;
  });
  expect(most).toBeLessThanOrEqual(8);
  expect(await read(row)).toMatchObject({ status: 'completed', completedCount: 9, failedCount: 2 });
  const outcomes = await items(row);
  expect(outcomes.slice(-2).map(({ error }) => error?.code)).toEqual(['MISSING_INPUT', 'PROJECT_ARCHIVED']);
  const runs = await harness.db
    .select()
    .from(recipeInvocations)
    .where(inArray(recipeInvocations.projectId, good));
  expect(runs.map(({ status }) => status)).toEqual(good.map(() => 'completed'));
  expect(new Set(runs.map(({ id }) => id))).toEqual(
    new Set(outcomes.slice(0, 9).map(({ result }) => result?.['invocationId'])),
  );
  const [told] = await harness.db
    .select({ title: notifications.title })
    .from(notifications)
    .where(sql`${notifications.subject} ->> 'id' = ${row.id}`);
  expect(told.title).toBe(`Recipe ${version.name}: 11 projects, 9 without a verdict, 2 could not run`);
});

it('does not delay another user’s run or a single analysis behind a run of 200', async () => {
  const [many, few, single] = [await parts(200), await parts(2), await parts(1)];
  const large = await ask(many);
  await harness.until(async () => (await read(large)).completedCount > 0);
  const stepsTakenBy = async (moment: Date) => {
    const ofMany = and(inArray(operations.projectId, many), lte(operations.startedAt, moment));
    return harness.db.$count(operations, ofMany);
  };
  const operationId = await harness.request('createMesh', {}, single[0]);
  const { createdAt, startedAt } = await harness.ended(operationId);
  // It has its own slot: in that time at most two batches of the large run were claimed.
  const taken = (await stepsTakenBy(startedAt ?? new Date(0))) - (await stepsTakenBy(createdAt));
  expect(taken).toBeLessThanOrEqual(16);
  expect((await harness.ended(operationId)).error).toBeNull();
  const small = await ended(await ask(few, second));
  expect(small.completedCount).toBe(2);
  const now = await read(large);
  expect([now.finishedAt, now.completedCount < 100]).toEqual([null, true]);
  await inTransaction(harness.db, (tx) => cancelWork(tx, 'bulk', large.id));
  const stopped = await ended(large);
  expect(stopped.completedCount + stopped.cancelledCount).toBe(200);
});

it('cancels its running recipes when cancelled half-way, and resumes where it stopped', async () => {
  const ids = await parts(10);
  const row = await ask(ids);
  await harness.until(async () => (await read(row)).completedCount > 0);
  await inTransaction(harness.db, (tx) => cancelWork(tx, 'bulk', row.id));
  const stopped = await ended(row);
  expect(stopped.status).toBe('cancelled');
  expect(stopped.completedCount + stopped.cancelledCount).toBe(10);
  expect(stopped.cancelledCount).toBeGreaterThan(0);
  const open = and(inArray(operations.projectId, ids), isNull(operations.finishedAt));
  expect(await harness.db.$count(operations, open)).toBe(0);
  await inTransaction(harness.db, (tx) => retryBulk(tx, row.id));
  expect(await ended(row)).toMatchObject({ status: 'completed', completedCount: 10, cancelledCount: 0 });
  const runs = await harness.db
    .select({ projectId: recipeInvocations.projectId })
    .from(recipeInvocations)
    .where(inArray(recipeInvocations.projectId, ids));
  expect(new Set(runs.map(({ projectId }) => projectId)).size).toBe(runs.length);
});
