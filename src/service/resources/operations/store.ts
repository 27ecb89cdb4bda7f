/** Operations in the database and the queue; the row and its job are one transaction. */

import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { and, count, desc, eq, inArray, ne, type SQL, sql } from 'drizzle-orm';
import { fillUnits } from '#contract/analyses/gates.ts';
import { fillDefaults, type PipelineParameters } from '#contract/analyses/pipeline.ts';
import { type AnalysisKind, isComposite, operationKinds } from '#contract/analyses/registry.ts';
import { among } from '#storage/db/among.ts';
import type { Executor, Transaction } from '#storage/db/connection.ts';
import { hasStatus } from '#storage/db/has-status.ts';
import {
  byCreation,
  mapPage,
  type Page,
  type PageRequest,
  type RowOrder,
  readPage,
} from '#storage/db/page.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { exports, operations, recipeInvocations } from '#storage/db/schema-work.ts';
import { insertRow, takeRow } from '#storage/db/take-row.ts';
import {
  cancelInvocation,
  createInvocation,
  type ProjectPlace,
  retryInvocation,
} from '#storage/recipes/invocations.ts';
import { announceWork, cancelWork, requestWork, retryWork } from '#storage/work/life.ts';
import { lockActive } from '../../access/lock-project.ts';
import { notFound, Problem } from '../../http/problem.ts';
import type { Caller } from '../../http/session.ts';
import { writeAudit } from '../../http/write-audit.ts';
import type { ExportRow } from '../../shapes/export-shape.ts';
import type { InvocationRow } from '../../shapes/invocation-shape.ts';
import type { OperationRow } from '../../shapes/operation-shape.ts';

const SHOWN_IN_STATUS = 10;

export interface Analysis {
  kind: AnalysisKind;
  parameters: Record<string, unknown>;
  inputs: string[];
}

/** Returns a pending or running operation with the same parameters, or creates one. */
export async function runAnalysis(
  tx: Transaction,
  caller: Caller,
  projectId: string,
  { kind, parameters, inputs }: Analysis,
): Promise<OperationRow> {
  const place = await lockActive(tx, projectId);
  const underWay = await tx
    .select()
    .from(operations)
    .where(
      and(
        eq(operations.projectId, projectId),
        eq(operations.operation, kind),
        inArray(operations.status, ['pending', 'processing']),
      ),
    );
  const wanted: unknown = JSON.parse(JSON.stringify(parameters));
  const same = underWay.find(
    (row) => isDeepStrictEqual(row.parameters, wanted) && isDeepStrictEqual(row.inputDataObjectIds, inputs),
  );
  if (same) return same;
  const id = randomUUID();
  const { organizationId } = place;
  const values = {
    id,
    projectId,
    organizationId,
    operation: kind,
    parameters,
    inputDataObjectIds: inputs,
    exclusive: !underWay.some(({ exclusive }) => exclusive),
    createdBy: caller.userId,
  };
  const isPipeline = isComposite(kind);
  const invocationId = isPipeline ? await insertPipeline(tx, caller, place, values) : null;
  const row = await insertRow(tx, operations, { ...values, invocationId });
  if (isPipeline) await announceWork(tx, 'operation', row, place, 'created');
  else await requestWork(tx, 'operation', row);
  await tx.update(projects).set({ latestOperationId: id }).where(eq(projects.id, projectId));
  const event = { organizationId, action: kind, resource: 'operation', resourceId: id, projectId };
  await writeAudit(tx, caller, event);
  return row;
}

/** Creates the invocation that runs a pipeline; its operation only represents it. */
async function insertPipeline(
  tx: Transaction,
  caller: Caller,
  project: ProjectPlace,
  operation: { id: string; parameters: Record<string, unknown> },
): Promise<string> {
  const { steps, gates } = operation.parameters as unknown as PipelineParameters;
  const invocation = await createInvocation(tx, {
    project,
    steps: fillDefaults(steps),
    gates: fillUnits(gates, steps),
    recipe: null,
    createdBy: caller.userId,
    operationId: operation.id,
  });
  return invocation.id;
}

export async function readOperation(db: Executor, id: string): Promise<OperationRow> {
  const [row] = await db.select().from(operations).where(eq(operations.id, id));
  if (!row) throw notFound('operation');
  return row;
}

/** @throws Problem ALREADY_FINISHED */
export async function cancelOperation(
  tx: Transaction,
  caller: Caller,
  place: ProjectPlace,
  id: string,
): Promise<OperationRow> {
  const before = await readOperation(tx, id);
  if (before.finishedAt !== null)
    throw new Problem(
      'ALREADY_FINISHED',
      `the operation is ${before.status} already; there is nothing to stop`,
    );
  if (before.status === 'cancelling') return before;
  if (isComposite(before.operation) && before.invocationId !== null) {
    await cancelInvocation(tx, before.invocationId);
  } else {
    await cancelWork(tx, 'operation', id);
  }
  const { organizationId, id: projectId } = place;
  const event = {
    organizationId,
    action: 'cancelOperation',
    resource: 'operation',
    resourceId: id,
    projectId,
  };
  await writeAudit(tx, caller, { ...event, detail: { operation: before.operation } });
  return readOperation(tx, id);
}

/**
 * Queues a failed or cancelled operation again.
 *
 * @param additions information that a failed import lacked
 * @throws Problem CONFLICT when it is neither failed nor cancelled
 */
export async function retryOperation(
  tx: Transaction,
  caller: Caller,
  projectId: string,
  id: string,
  additions: Record<string, unknown>,
): Promise<OperationRow> {
  const place = await lockActive(tx, projectId);
  const [before] = await tx.select().from(operations).where(eq(operations.id, id)).for('update');
  if (!before) throw notFound('operation');
  if (before.status !== 'failed' && before.status !== 'cancelled')
    throw new Problem(
      'CONFLICT',
      `only a failed or cancelled operation can be run again; this one is ${before.status}`,
    );
  if (isComposite(before.operation) && before.invocationId !== null) {
    await retryInvocation(tx, before.invocationId);
  } else {
    await retryWork(tx, 'operation', id, {
      parameters: { ...before.parameters, ...additions },
      // Another operation of its kind may be running by now.
      exclusive: false,
    });
  }
  const { organizationId } = place;
  const event = {
    organizationId,
    action: 'retryOperation',
    resource: 'operation',
    resourceId: id,
    projectId,
  };
  await writeAudit(tx, caller, { ...event, detail: { operation: before.operation } });
  return readOperation(tx, id);
}

export interface OperationFilter {
  operation?: string;
  /** any of these */
  status?: string[];
  ordering: '-createdAt' | 'status';
}

/** Filter by kind and status; unknown values match nothing. */
function toFilter({ operation, status }: OperationFilter): SQL | undefined {
  if (operation !== undefined && !(operationKinds as readonly string[]).includes(operation))
    return sql`false`;
  return and(
    operation === undefined ? undefined : eq(operations.operation, operation),
    hasStatus(operations.status, status),
  );
}

/** Order of statuses; all finished ones follow. */
const urgency = ['processing', 'cancelling', 'pending'];
const byUrgency: RowOrder<OperationRow> = {
  name: 'status',
  keys: [
    {
      value: sql`coalesce(array_position(${sql.param(urgency)}::text[], ${operations.status}::text), 4)`,
      type: 'int',
    },
    ...byCreation(operations).keys,
  ],
  isDescending: false,
  readKeys: ({ status, createdAt, id }) => [
    String(urgency.indexOf(status) + 1 || 4),
    createdAt.toISOString(),
    id,
  ],
};

/** Operations of one project, or of all projects in these workspaces. */
export function listOperations(
  db: Executor,
  where: { projectId: string } | { workspaceIds: string[] },
  filter: OperationFilter,
  page: PageRequest,
): Promise<Page<OperationRow>> {
  const list = readPage(db, page, {
    rows: () =>
      db
        .select({ operation: operations })
        .from(operations)
        .innerJoin(projects, eq(projects.id, operations.projectId))
        .$dynamic(),
    where: and(
      'projectId' in where
        ? eq(operations.projectId, where.projectId)
        : and(among(projects.workspaceId, where.workspaceIds), ne(projects.state, 'deleted')),
      toFilter(filter),
    ),
    order: filter.ordering === 'status' ? byUrgency : byCreation(operations),
    keyed: ({ operation }) => operation,
  });
  return mapPage(list, (rows) => rows.map(({ operation }) => operation));
}

export interface StatusRows {
  newest: OperationRow[];
  isProcessing: boolean;
  exports: ExportRow[];
  invocations: InvocationRow[];
}

export async function statusRows(db: Executor, projectId: string): Promise<StatusRows> {
  const newest = await db
    .selectDistinctOn([operations.operation])
    .from(operations)
    .where(eq(operations.projectId, projectId))
    .orderBy(operations.operation, desc(operations.createdAt), desc(operations.id));
  const { unfinished } = takeRow(
    await db
      .select({ unfinished: count() })
      .from(operations)
      .where(
        and(
          eq(operations.projectId, projectId),
          inArray(operations.status, ['pending', 'processing', 'cancelling']),
        ),
      ),
  );
  const exportRows = await db
    .select()
    .from(exports)
    .where(eq(exports.projectId, projectId))
    .orderBy(desc(exports.createdAt), desc(exports.id))
    .limit(SHOWN_IN_STATUS);
  const invocations = await db
    .select()
    .from(recipeInvocations)
    .where(eq(recipeInvocations.projectId, projectId))
    .orderBy(desc(recipeInvocations.createdAt), desc(recipeInvocations.id))
    .limit(SHOWN_IN_STATUS);
  return { newest, isProcessing: unfinished > 0, exports: exportRows, invocations };
}
