/** Properties of each kind of work; queueing, claiming, cancelling and ending are the same for all. */
import { and, eq, inArray, ne, sql } from 'drizzle-orm';
import { findTitle } from '#contract/analyses/registry.ts';
import { SurfaceViewQuery } from '#contract/shapes/data-object.ts';
import type { Executor, Transaction } from '../db/connection.ts';
import { bookmarkRenders, bookmarks } from '../db/schema-collaboration.ts';
import { dataObjects, dataViews } from '../db/schema-data.ts';
import { projects } from '../db/schema-projects.ts';
import {
  bulkItems,
  bulkRequests,
  exports,
  operations,
  recipeInvocations,
  recipeVersions,
  uploads,
} from '../db/schema-work.ts';
import type { NewNotification } from '../db/write-notification.ts';
import { recomputeVerdicts } from '../verdicts/recompute-verdicts.ts';
import { countItems, describeBulkEnd, endItems } from './bulk-items.ts';
import { type Demand, priorities } from './queue.ts';

export const workTables = {
  operation: operations,
  export: exports,
  view: dataViews,
  render: bookmarkRenders,
  invocation: recipeInvocations,
  bulk: bulkRequests,
} as const;

export type WorkName = keyof typeof workTables;
export type WorkRow<Name extends WorkName = WorkName> = (typeof workTables)[Name]['$inferSelect'];
export type ProjectRow = typeof projects.$inferSelect;

type Notice = Pick<NewNotification, 'title' | 'body'>;

export interface WorkKind<Name extends WorkName = WorkName> {
  /** Resource of the events sent when it changes. */
  subject(row: WorkRow<Name>): { resource: string; id: string };
  /** The project that it belongs to; none for work on many projects. */
  findProject?(tx: Executor, row: WorkRow<Name>): Promise<ProjectRow | undefined>;
  /** The worker slot it needs, and its priority. */
  findDemand(tx: Executor, row: WorkRow<Name>): Promise<Demand> | Demand;
  /** Name of the file or resource it works on, for messages. */
  findLabel(tx: Executor, row: WorkRow<Name>): Promise<string>;
  /** True when it only starts other work and waits for it; it resumes after a restart, and cancels the other work. */
  isComposite?(row: WorkRow<Name>): boolean;
  /** True when part of it is done permanently, so that it resumes from there after a restart. */
  goesOn?(row: WorkRow<Name>): boolean;
  /** Further writes whenever its row changes. */
  mirror?(tx: Transaction, row: WorkRow<Name>): Promise<void>;
  /** Further writes when it starts or ends. */
  changed?(tx: Transaction, row: WorkRow<Name>): Promise<void>;
  /** Ends its unfinished parts when it ends. @returns the updated row */
  endParts?(tx: Transaction, row: WorkRow<Name>): Promise<WorkRow<Name>>;
  /** Notification for the requester at the end; none when that would be superfluous. */
  describeEnd?(
    tx: Executor,
    row: WorkRow<Name>,
    project: ProjectRow | undefined,
  ): Promise<Notice | undefined>;
  /** Work that waits for this work to end. */
  findWaiting?(tx: Executor, row: WorkRow<Name>): Promise<{ kind: WorkName; id: string } | undefined>;
}

async function readProject(tx: Executor, id: string): Promise<ProjectRow | undefined> {
  const [row] = await tx.select().from(projects).where(eq(projects.id, id));
  return row;
}

const findProject = (tx: Executor, row: { projectId: string }) => readProject(tx, row.projectId);
const interactive = priorities.interactive;

/** Priority of a run's steps: individual requests before bulk requests. */
const invocationPriority = ({ bulkItemId }: { bulkItemId: string | null }): number =>
  bulkItemId === null ? priorities.recipe : priorities.bulk;

const operation: WorkKind<'operation'> = {
  subject: ({ id }) => ({ resource: 'operation', id }),
  findProject,
  async findDemand(tx, { operation: name, invocationId }) {
    const place = name === 'ingest' ? 'import' : 'compute';
    if (invocationId === null) return { place, priority: interactive };
    const [run] = await tx
      .select({ bulkItemId: recipeInvocations.bulkItemId })
      .from(recipeInvocations)
      .where(eq(recipeInvocations.id, invocationId));
    return { place, priority: invocationPriority(run ?? { bulkItemId: null }) };
  },
  goesOn: ({ outputDataObjectIds }) => outputDataObjectIds.length > 0,
  async findLabel(tx, { uploadId, parameters, inputDataObjectIds, operation: name }) {
    const sourceId = parameters['sourceDataObjectId'] ?? inputDataObjectIds[0];
    const [found] = uploadId
      ? await tx.select({ name: uploads.fileName }).from(uploads).where(eq(uploads.id, uploadId))
      : typeof sourceId === 'string'
        ? await tx.select({ name: dataObjects.name }).from(dataObjects).where(eq(dataObjects.id, sourceId))
        : [];
    return found?.name ?? findTitle(name) ?? name;
  },
  async changed(tx, row) {
    await tx
      .update(projects)
      .set({ latestOperationId: row.id, updatedAt: sql`now()` })
      .where(eq(projects.id, row.projectId));
    if (row.status === 'completed') await recomputeVerdicts(tx, [row.projectId]);
  },
  async describeEnd(_tx, row, project) {
    // No notification after cancelling, which the user sees anyway, or for a recipe step, which its recipe reports.
    if (row.status === 'cancelled' || row.invocationId !== null) return undefined;
    const outcome = row.status === 'completed' ? 'is ready' : 'failed';
    const title = `${findTitle(row.operation) ?? row.operation} ${outcome}: ${project?.name}`;
    return { title, body: row.error?.detail ?? '' };
  },
  async findWaiting(_tx, { invocationId }) {
    return invocationId === null ? undefined : { kind: 'invocation', id: invocationId };
  },
};

const projectExport: WorkKind<'export'> = {
  subject: ({ id }) => ({ resource: 'export', id }),
  findProject,
  findDemand: () => ({ place: 'export', priority: interactive }),
  findLabel: async (tx, row) => (await findProject(tx, row))?.name ?? 'The export',
  async describeEnd(_tx, row, project) {
    if (row.status === 'cancelled') return undefined;
    const isDone = row.status === 'completed';
    const title = `Export ${isDone ? 'is ready' : 'failed'}: ${project?.name}`;
    return { title, body: (isDone ? row.fileName : row.error?.detail) ?? '' };
  },
};

const view: WorkKind<'view'> = {
  subject: ({ dataObjectId }) => ({ resource: 'dataObject', id: dataObjectId }),
  async findProject(tx, { dataObjectId }) {
    const [object] = await tx.select().from(dataObjects).where(eq(dataObjects.id, dataObjectId));
    return object && readProject(tx, object.projectId);
  },
  findDemand: (_tx, { parameters }) =>
    // A large surface takes too long for the picture slot; until it is ready, it is drawn from its original file.
    SurfaceViewQuery.safeParse({ detail: parameters['detail'] }).success
      ? { place: 'pack', priority: interactive }
      : { place: 'picture', priority: interactive },
  async findLabel(tx, { dataObjectId }) {
    const [object] = await tx.select().from(dataObjects).where(eq(dataObjects.id, dataObjectId));
    return object?.name ?? 'The view';
  },
};

const readBookmark = async (tx: Executor, { bookmarkId }: { bookmarkId: string }) =>
  (await tx.select().from(bookmarks).where(eq(bookmarks.id, bookmarkId)))[0];

const render: WorkKind<'render'> = {
  subject: ({ bookmarkId }) => ({ resource: 'bookmark', id: bookmarkId }),
  async findProject(tx, row) {
    const bookmark = await readBookmark(tx, row);
    return bookmark && readProject(tx, bookmark.projectId);
  },
  findDemand: () => ({ place: 'picture', priority: interactive }),
  findLabel: async (tx, row) => (await readBookmark(tx, row))?.name ?? 'The picture',
  async describeEnd(tx, row, project) {
    if (row.status === 'cancelled') return undefined;
    const isDone = row.status === 'completed';
    const title = `Picture ${isDone ? 'is ready' : 'failed'}: ${(await readBookmark(tx, row))?.name}`;
    const body = isDone ? `${row.width} × ${row.height}, ${project?.name}` : (row.error?.detail ?? '');
    return { title, body };
  },
};

const outcomes = { pass: 'Pass', fail: 'Fail', indeterminate: 'Indeterminate' } as const;

const invocation: WorkKind<'invocation'> = {
  subject: ({ id }) => ({ resource: 'recipeInvocation', id }),
  findProject,
  findDemand: (_tx, row) => ({ place: 'turn', priority: invocationPriority(row) }),
  findLabel: async (tx, row) => (await findProject(tx, row))?.name ?? 'The run',
  isComposite: () => true,
  /** Updates the operation that represents a pipeline in the project's list. */
  async mirror(
    tx,
    { operationId, status, progress, stage, error, verdict, cancelRequestedAt, startedAt, finishedAt },
  ) {
    if (operationId === null) return;
    await tx
      .update(operations)
      .set({ status, progress, stage, error, verdict, cancelRequestedAt, startedAt, finishedAt })
      .where(eq(operations.id, operationId));
  },
  async changed(tx, { status, projectId }) {
    // While a failed run is being retried, the run before it counts.
    if (status !== 'processing' && status !== 'cancelling') await recomputeVerdicts(tx, [projectId]);
  },
  async endParts(tx, row) {
    if (row.status !== 'cancelled') return row;
    const steps = row.steps.map((step) =>
      step.status === 'pending' ? { ...step, status: 'cancelled' } : step,
    );
    await tx.update(recipeInvocations).set({ steps }).where(eq(recipeInvocations.id, row.id));
    return { ...row, steps };
  },
  async describeEnd(tx, row, project) {
    if (row.status === 'cancelled' || row.bulkItemId !== null) return undefined;
    const [version] = row.recipeVersionId
      ? await tx.select().from(recipeVersions).where(eq(recipeVersions.id, row.recipeVersionId))
      : [];
    const name = version?.name ?? 'Pipeline';
    const outcome =
      row.status === 'failed'
        ? `${name} failed`
        : row.verdict === null
          ? `${name} is ready`
          : `${outcomes[row.verdict]} by ${name}`;
    return {
      title: `${outcome}: ${project?.name}`,
      body: row.error?.detail ?? '',
    };
  },
  async findWaiting(tx, { bulkItemId }) {
    if (bulkItemId === null) return undefined;
    const [item] = await tx.select().from(bulkItems).where(eq(bulkItems.id, bulkItemId));
    return item && { kind: 'bulk', id: item.bulkRequestId };
  },
};

const bulk: WorkKind<'bulk'> = {
  subject: ({ id }) => ({ resource: 'bulkRequest', id }),
  isComposite: ({ operationType }) => operationType !== 'downloadResults',
  async findDemand(tx, { id, operationType, createdBy }) {
    if (operationType !== 'downloadResults') return { place: 'turn', priority: interactive };
    // Fairness among users: the more requests of a user are pending, the lower the priority of the next.
    const own = await tx.$count(
      bulkRequests,
      and(
        eq(bulkRequests.operationType, operationType),
        createdBy === null ? undefined : eq(bulkRequests.createdBy, createdBy),
        inArray(bulkRequests.status, ['pending', 'processing']),
        ne(bulkRequests.id, id),
      ),
    );
    return { place: 'pack', priority: priorities.bulk - own };
  },
  findLabel: async () => 'The download',
  async endParts(tx, row) {
    const isOver = row.completedCount + row.failedCount + row.cancelledCount === row.totalCount;
    if (isOver) return row;
    await endItems(tx, row.id, row.status === 'failed' ? { status: 'failed', error: row.error } : undefined);
    return countItems(tx, row.id);
  },
  describeEnd: describeBulkEnd,
};

export const workKinds: { [Name in WorkName]: WorkKind<Name> } = {
  operation,
  export: projectExport,
  view,
  render,
  invocation,
  bulk,
};
