/** Exports in the database and the queue. */
import { randomUUID } from 'node:crypto';
import { and, count, desc, eq, inArray, ne, sql } from 'drizzle-orm';
import type { ExportConfig } from '#contract/shapes/export.ts';
import { workStatuses } from '#contract/shapes/primitives.ts';
import type { ProjectAccess } from '#storage/access/access.ts';
import type { Executor, Transaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { exports } from '#storage/db/schema-work.ts';
import { requestCancel } from '#storage/queue/cancel.ts';
import type { JobQueue } from '#storage/queue/queue.ts';
import { offsetOf, type PageRequest } from '../../http/page.ts';
import { notFound, Problem } from '../../http/problem.ts';
import type { Caller } from '../../http/session.ts';
import { writeAudit } from '../../http/write-audit.ts';
import type { ExportRow } from '../../shapes/export-shape.ts';

type Place = Pick<ProjectAccess, 'id' | 'organizationId' | 'workspaceId'>;

async function tell(tx: Transaction, type: 'created' | 'updated', place: Place, id: string): Promise<void> {
  const { id: projectId, organizationId, workspaceId } = place;
  await notify(tx, { type, resource: 'export', id, projectId, organizationId, workspaceId });
}

/** The export that does this: one that waits or runs already, or a new one. */
export async function requestExport(
  tx: Transaction,
  queue: JobQueue,
  caller: Caller,
  place: Place,
  config: ExportConfig,
  sendToRequester: boolean,
): Promise<ExportRow> {
  const id = randomUUID();
  const [made] = await tx
    .insert(exports)
    .values({ id, projectId: place.id, config, sendToRequester, createdBy: caller.userId })
    .onConflictDoNothing()
    .returning();
  if (!made) {
    const [underWay] = await tx
      .select()
      .from(exports)
      .where(
        and(
          eq(exports.projectId, place.id),
          sql`${exports.config} = ${JSON.stringify(config)}::jsonb`,
          inArray(exports.status, ['pending', 'processing']),
        ),
      );
    if (underWay) return underWay;
    throw new Problem('UNAVAILABLE', 'an equal export ended just now; ask again', {
      headers: { 'retry-after': '1' },
    });
  }
  await queue.send(tx, 'export', { exportId: id });
  const { organizationId } = place;
  const event = { organizationId, action: 'export', resource: 'export', resourceId: id, projectId: place.id };
  await writeAudit(tx, caller, { ...event, detail: { ...config } });
  await tell(tx, 'created', place, id);
  return made;
}

export async function newestExport(db: Executor, projectId: string): Promise<ExportRow> {
  const [row] = await db
    .select()
    .from(exports)
    .where(eq(exports.projectId, projectId))
    .orderBy(desc(exports.createdAt), desc(exports.id))
    .limit(1);
  if (!row) throw new Problem('NOT_FOUND', 'no export of this project was requested yet');
  return row;
}

export async function listExports(
  db: Executor,
  workspaceIds: string[],
  filter: { project?: string; status?: string },
  page: PageRequest,
): Promise<{ count: number; results: ExportRow[] }> {
  const status = workStatuses.find((known) => known === filter.status);
  if (workspaceIds.length === 0 || (filter.status !== undefined && status === undefined))
    return { count: 0, results: [] };
  const condition = and(
    inArray(projects.workspaceId, workspaceIds),
    ne(projects.state, 'deleted'),
    filter.project === undefined ? undefined : eq(exports.projectId, filter.project),
    status === undefined ? undefined : eq(exports.status, status),
  );
  const joined = eq(projects.id, exports.projectId);
  const [{ total }] = await db
    .select({ total: count() })
    .from(exports)
    .innerJoin(projects, joined)
    .where(condition);
  const rows = await db
    .select({ row: exports })
    .from(exports)
    .innerJoin(projects, joined)
    .where(condition)
    .orderBy(desc(exports.createdAt), desc(exports.id))
    .limit(page.page_size)
    .offset(offsetOf(page));
  return { count: total, results: rows.map(({ row }) => row) };
}

/** @throws Problem ALREADY_FINISHED */
export async function cancelExport(tx: Transaction, id: string): Promise<ExportRow> {
  const [before] = await tx.select().from(exports).where(eq(exports.id, id)).for('update');
  if (!before) throw notFound('export');
  if (before.finishedAt !== null)
    throw new Problem('ALREADY_FINISHED', `the export is ${before.status} already`);
  await requestCancel(tx, 'export', id);
  const [place] = await tx
    .select({ id: projects.id, organizationId: projects.organizationId, workspaceId: projects.workspaceId })
    .from(projects)
    .where(eq(projects.id, before.projectId));
  await tell(tx, 'updated', place, id);
  const [row] = await tx.select().from(exports).where(eq(exports.id, id));
  return row;
}
