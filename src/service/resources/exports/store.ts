/** Exports in the database and the queue. */

import { randomUUID } from 'node:crypto';
import { and, desc, eq, inArray, ne, sql } from 'drizzle-orm';
import type { ProjectAccess } from '#storage/access/access.ts';
import { among } from '#storage/db/among.ts';
import type { Executor, Transaction } from '#storage/db/connection.ts';
import { hasStatus } from '#storage/db/has-status.ts';
import { byCreation, type Page, type PageRequest, readPage } from '#storage/db/page.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { type ExportConfig, exports } from '#storage/db/schema-work.ts';
import { cancelWork, requestWork, retryWork } from '#storage/work/life.ts';
import { notFound, Problem } from '../../http/problem.ts';
import type { Caller } from '../../http/session.ts';
import { writeAudit } from '../../http/write-audit.ts';
import type { ExportRow } from '../../shapes/export-shape.ts';

type Place = Pick<ProjectAccess, 'id' | 'organizationId' | 'workspaceId'>;

/** Returns a pending or running export with the same configuration, or creates one. */
export async function requestExport(
  tx: Transaction,
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
    throw new Problem('UNAVAILABLE', 'an identical export has just ended; try again', {
      headers: { 'retry-after': '1' },
    });
  }
  await requestWork(tx, 'export', made);
  const { organizationId } = place;
  const event = { organizationId, action: 'export', resource: 'export', resourceId: id, projectId: place.id };
  await writeAudit(tx, caller, { ...event, detail: { ...config } });
  return made;
}

/** The newest export, not counting reports. */
export async function newestExport(db: Executor, projectId: string): Promise<ExportRow> {
  const [row] = await db
    .select()
    .from(exports)
    .where(and(eq(exports.projectId, projectId), sql`not ${exports.config} ? 'report'`))
    .orderBy(desc(exports.createdAt), desc(exports.id))
    .limit(1);
  if (!row) throw new Problem('NOT_FOUND', 'no export of this project was requested yet');
  return row;
}

export function listExports(
  db: Executor,
  workspaceIds: string[],
  filter: { project?: string; status?: string[] },
  page: PageRequest,
): Promise<Page<{ row: ExportRow; projectName: string }>> {
  return readPage(db, page, {
    rows: () =>
      db
        .select({ row: exports, projectName: projects.name })
        .from(exports)
        .innerJoin(projects, eq(projects.id, exports.projectId))
        .$dynamic(),
    where: and(
      among(projects.workspaceId, workspaceIds),
      ne(projects.state, 'deleted'),
      filter.project === undefined ? undefined : eq(exports.projectId, filter.project),
      hasStatus(exports.status, filter.status),
    ),
    order: byCreation(exports),
    keyed: ({ row }) => row,
  });
}

/** @throws Problem ALREADY_FINISHED */
export async function cancelExport(tx: Transaction, id: string): Promise<ExportRow> {
  const [before] = await tx.select().from(exports).where(eq(exports.id, id));
  if (!before) throw notFound('export');
  if (before.finishedAt !== null)
    throw new Problem('ALREADY_FINISHED', `the export is already ${before.status}`);
  return ((await cancelWork(tx, 'export', id)) as ExportRow | undefined) ?? before;
}

/** @throws Problem CONFLICT */
export async function retryExport(tx: Transaction, id: string): Promise<ExportRow> {
  const [before] = await tx.select().from(exports).where(eq(exports.id, id));
  if (!before) throw notFound('export');
  const again = (await retryWork(tx, 'export', id)) as ExportRow | undefined;
  if (again) return again;
  throw new Problem(
    'CONFLICT',
    `only a failed or cancelled export can be made again; this one is ${before.status}`,
  );
}
