/**
 * The life cycle of work in the database: requested, started, cancelled, ended, retried. Each transition is one transaction
 * with the queue, related changes, events and notifications. Rows are locked in the order project, work, queue.
 */
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { discardWorkBlobs, keepWorkBlobs } from '../blobs/sweep.ts';
import type { Executor, Transaction } from '../db/connection.ts';
import { notify } from '../db/events.ts';
import { projects } from '../db/schema-projects.ts';
import type { WorkError, WorkStatus } from '../db/schema-work.ts';
import { makeStorable } from '../db/storable.ts';
import { writeNotification } from '../db/write-notification.ts';
import {
  type ProjectRow,
  type WorkKind,
  type WorkName,
  type WorkRow,
  workKinds,
  workTables,
} from './kinds.ts';
import { type Claim, dequeue, enqueue, stopHolder } from './queue.ts';

/** Thrown when a worker no longer holds the work it wants to change: another worker has it, or it has ended. */
export class WorkLost extends Error {
  override name = 'WorkLost';
}

const unfinished = ['pending', 'processing', 'cancelling'] as const;
const underWay = ['processing', 'cancelling'] as const;

/** A row of any kind of work; all have the common columns. */
type AnyRow = WorkRow;
const findKind = (name: WorkName): WorkKind => workKinds[name] as unknown as WorkKind;

async function readRow(tx: Executor, name: WorkName, id: string): Promise<AnyRow | undefined> {
  const table = workTables[name];
  const [row] = await tx.select().from(table).where(eq(table.id, id));
  return row as AnyRow | undefined;
}

/** Work with its project; undefined when it does not exist. */
export async function readWork(
  tx: Executor,
  name: WorkName,
  id: string,
): Promise<{ row: AnyRow; project: ProjectRow | undefined } | undefined> {
  const row = await readRow(tx, name, id);
  return row && { row, project: await findKind(name).findProject?.(tx, row) };
}

/** Locks and returns the row and its project, in the common lock order; undefined when it does not exist. */
async function lockWork(
  tx: Transaction,
  name: WorkName,
  id: string,
): Promise<{ row: AnyRow; project: ProjectRow | undefined } | undefined> {
  const found = await readWork(tx, name, id);
  if (found?.project) {
    const { project } = found;
    await tx.select({ id: projects.id }).from(projects).where(eq(projects.id, project.id)).for('update');
  }
  const table = workTables[name];
  const [row] = await tx.select().from(table).where(eq(table.id, id)).for('update');
  return row && { row: row as AnyRow, project: found?.project };
}

type Values = Record<string, unknown>;

async function updateWork(tx: Executor, name: WorkName, id: string, values: Values, from: readonly string[]) {
  const table = workTables[name];
  const [row] = await tx
    .update(table)
    .set(values as PgUpdateSetSource<typeof table>)
    .where(and(eq(table.id, id), inArray(table.status, [...from] as (typeof unfinished)[number][])))
    .returning();
  return row as AnyRow | undefined;
}

/** Sends the event for all pages that show it. */
export async function announceWork(
  tx: Executor,
  name: WorkName,
  row: AnyRow,
  project: Pick<ProjectRow, 'id' | 'organizationId' | 'workspaceId'> | undefined,
  type: 'created' | 'updated' | 'progressed' = 'updated',
): Promise<void> {
  const subject = findKind(name).subject(row);
  if (project) {
    const { id: projectId, organizationId, workspaceId } = project;
    await notify(tx, { type, ...subject, projectId, organizationId, workspaceId });
  } else if (row.createdBy !== null) {
    const organizationId = 'organizationId' in row ? (row.organizationId ?? '') : '';
    await notify(tx, { type, ...subject, organizationId, userId: row.createdBy });
  }
}

/** Queues another turn when `tx` commits; does nothing for finished work. */
export async function wakeWork(tx: Executor, name: WorkName, id: string): Promise<void> {
  const row = await readRow(tx, name, id);
  if (row && row.finishedAt === null) await enqueue(tx, name, id, await findKind(name).findDemand(tx, row));
}

/** Queues the work of a newly inserted row. */
export async function requestWork(tx: Executor, name: WorkName, row: AnyRow): Promise<void> {
  await enqueue(tx, name, row.id, await findKind(name).findDemand(tx, row));
  await announceWork(tx, name, row, await findKind(name).findProject?.(tx, row), 'created');
}

/** Work started by a worker, with data for its messages and events. */
export interface Begun {
  name: WorkName;
  row: AnyRow;
  project: ProjectRow | undefined;
  /** name of the file or resource it works on */
  label: string;
}

/**
 * Marks claimed work as started. Returns undefined when there is nothing to do: it has ended, was deleted with its project, or
 * was cancelled before, which is then written.
 */
export async function beginWork(tx: Transaction, { id, kind, claim }: Claim): Promise<Begun | undefined> {
  const name = kind as WorkName;
  const { changed, mirror, findLabel, isComposite: findComposite, goesOn } = findKind(name);
  const locked = await lockWork(tx, name, id);
  if (!locked || locked.row.finishedAt !== null) {
    await dequeue(tx, id, claim);
    return undefined;
  }
  const isComposite = findComposite?.(locked.row) ?? false;
  if (locked.row.cancelRequestedAt !== null && !isComposite) {
    await endWork(tx, name, id, { status: 'cancelled' }, claim);
    return undefined;
  }
  const { startedAt } = workTables[name];
  const isCancelled = locked.row.cancelRequestedAt !== null;
  const row = await updateWork(
    tx,
    name,
    id,
    {
      status: isCancelled ? 'cancelling' : 'processing',
      ...(isComposite || goesOn?.(locked.row)
        ? { startedAt: sql`coalesce(${startedAt}, now())` }
        : { progress: 0, stage: null, error: null, startedAt: sql`now()` }),
    },
    unfinished,
  );
  if (!row) return undefined;
  await discardWorkBlobs(tx, id);
  await mirror?.(tx, row);
  await changed?.(tx, row);
  await announceWork(tx, name, row, locked.project);
  return { name, row, project: locked.project, label: await findLabel(tx, row) };
}

/**
 * Writes the progress; does nothing for finished work. The progress of a part also updates that of the whole.
 *
 * @param type event type: `updated` when more than the progress changes
 */
export async function writeProgress(
  tx: Transaction,
  { name, row: { id }, project }: Pick<Begun, 'name' | 'project'> & { row: { id: string } },
  values: { progress: number; stage: string | null; [column: string]: unknown },
  type: 'updated' | 'progressed' = 'progressed',
): Promise<void> {
  const row = await updateWork(tx, name, id, values, underWay);
  if (!row) return;
  await findKind(name).mirror?.(tx, row);
  await announceWork(tx, name, row, project, type);
  if (type === 'updated') return;
  const waiting = await findKind(name).findWaiting?.(tx, row);
  const whole = waiting && (await readRow(tx, waiting.kind, waiting.id));
  if (whole) await announceWork(tx, waiting.kind, whole, project, type);
}

export interface WorkEnd {
  status: 'completed' | 'failed' | 'cancelled';
  error?: WorkError | null;
  /** whether its blobs are kept; default: only those of completed work */
  keepsBlobs?: boolean;
  /** additional columns of the row */
  values?: Values;
}

/**
 * Ends the work, in one transaction with the caller's writes. A cancellation requested while the last result was being written
 * is too late: the work is `completed`.
 *
 * @param claim claim of the worker that runs it
 * @returns the row; undefined when it had already ended
 * @throws WorkLost when the claim is no longer valid
 */
export async function endWork(
  tx: Transaction,
  name: WorkName,
  id: string,
  end: WorkEnd,
  claim?: number,
): Promise<AnyRow | undefined> {
  const kind = findKind(name);
  const locked = await lockWork(tx, name, id);
  if (!locked) return undefined;
  const ended = await updateWork(
    tx,
    name,
    id,
    {
      status: end.status,
      error: makeStorable(end.error ?? null),
      stage: null,
      finishedAt: sql`now()`,
      ...(end.status === 'completed' ? { progress: 1 } : {}),
      ...end.values,
    },
    unfinished,
  );
  if (!ended) return undefined;
  if (!(await dequeue(tx, id, claim)) && claim !== undefined) {
    throw new WorkLost(`${name} ${id} is held by another worker`);
  }
  if (end.keepsBlobs ?? end.status === 'completed') await keepWorkBlobs(tx, id);
  else await discardWorkBlobs(tx, id);
  const row = (await kind.endParts?.(tx, ended)) ?? ended;
  await kind.mirror?.(tx, row);
  await kind.changed?.(tx, row);
  await announceWork(tx, name, row, locked.project);
  await notifyRequester(tx, name, row, locked.project);
  const waiting = await kind.findWaiting?.(tx, row);
  if (waiting) await wakeWork(tx, waiting.kind, waiting.id);
  return row;
}

async function notifyRequester(
  tx: Transaction,
  name: WorkName,
  row: AnyRow,
  project: ProjectRow | undefined,
): Promise<void> {
  if (row.createdBy === null) return;
  const notice = await findKind(name).describeEnd?.(tx, row, project);
  if (!notice) return;
  const subject = findKind(name).subject(row);
  await writeNotification(tx, {
    ...notice,
    userId: row.createdBy,
    organizationId: project?.organizationId ?? ('organizationId' in row ? (row.organizationId ?? '') : ''),
    kind: `${name === 'render' ? 'render' : subject.resource}.${row.status}`,
    subject: { ...subject, ...(project ? { projectId: project.id } : {}) },
  });
}

/**
 * Cancels work. Pending work is cancelled immediately; running work becomes `cancelling`, and its worker is notified with the
 * commit. Finished work is not changed.
 *
 * @returns the updated row; undefined when it does not exist
 */
export async function cancelWork(tx: Transaction, name: WorkName, id: string): Promise<AnyRow | undefined> {
  const kind = findKind(name);
  const locked = await lockWork(tx, name, id);
  if (!locked || locked.row.finishedAt !== null) return locked?.row;
  const values = { cancelRequestedAt: locked.row.cancelRequestedAt ?? sql`now()` };
  const isHeld = await stopHolder(tx, id);
  if (locked.row.status === 'pending' || !(isHeld || kind.isComposite?.(locked.row))) {
    return endWork(tx, name, id, { status: 'cancelled', values });
  }
  const row = await updateWork(tx, name, id, { ...values, status: 'cancelling' }, unfinished);
  if (!row) return undefined;
  // Work waiting for other work has no worker to notify.
  if (!isHeld) await wakeWork(tx, name, id);
  await kind.mirror?.(tx, row);
  await announceWork(tx, name, row, locked.project);
  return row;
}

/** Retries failed or cancelled work, or work in one of these states; undefined when it is in another state. */
export async function retryWork(
  tx: Transaction,
  name: WorkName,
  id: string,
  values: Values = {},
  from: readonly WorkStatus[] = ['failed', 'cancelled'],
): Promise<AnyRow | undefined> {
  const kind = findKind(name);
  const locked = await lockWork(tx, name, id);
  if (!locked) return undefined;
  const row = await updateWork(
    tx,
    name,
    id,
    {
      status: 'pending',
      progress: 0,
      stage: null,
      error: null,
      cancelRequestedAt: null,
      startedAt: null,
      finishedAt: null,
      ...values,
    },
    from,
  );
  if (!row) return undefined;
  await enqueue(tx, name, id, await kind.findDemand(tx, row));
  await kind.mirror?.(tx, row);
  await kind.changed?.(tx, row);
  await announceWork(tx, name, row, locked.project);
  return row;
}
