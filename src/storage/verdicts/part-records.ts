/** Reads the data from which verdicts are computed, with the same few queries for any number of projects. */
import { and, eq, sql } from 'drizzle-orm';
import type { DataObjectKind } from '#contract/analyses/data-kinds.ts';
import { getStep, isStepKind } from '#contract/analyses/steps.ts';
import { among } from '../db/among.ts';
import type { Executor } from '../db/connection.ts';
import { dataObjects } from '../db/schema-data.ts';
import { operations, recipeInvocations, recipeVersions } from '../db/schema-work.ts';

export interface ObjectRecord {
  id: string;
  projectId: string;
  kind: DataObjectKind;
  name: string;
  createdByOperationId: string | null;
  createdAt: Date;
}

export interface OperationRecord {
  id: string;
  projectId: string;
  operation: string;
  /** the source first, then other inputs */
  inputDataObjectIds: string[];
  outputDataObjectIds: string[];
  referenceId: string | null;
  invocationId: string | null;
  createdAt: Date;
  finishedAt: Date | null;
}

export type RunRecord = Pick<
  typeof recipeInvocations.$inferSelect,
  | 'id'
  | 'projectId'
  | 'recipeId'
  | 'recipeVersionId'
  | 'definition'
  | 'status'
  | 'error'
  | 'steps'
  | 'verdict'
  | 'gates'
  | 'createdAt'
  | 'startedAt'
  | 'finishedAt'
> & { recipeName: string | null; version: number | null; isReleased: boolean };

export interface PartRecords {
  objects: ObjectRecord[];
  /** completed operations */
  operations: OperationRecord[];
  runs: RunRecord[];
}

export async function readPartRecords(
  db: Executor,
  projectIds: readonly string[],
): Promise<Map<string, PartRecords>> {
  const { id, projectId, kind, name, createdByOperationId, createdAt } = dataObjects;
  const objects = await db
    .select({ id, projectId, kind, name, createdByOperationId, createdAt })
    .from(dataObjects)
    .where(and(among(projectId, projectIds), eq(dataObjects.status, 'completed')));
  const done = await db
    .select({
      id: operations.id,
      projectId: operations.projectId,
      operation: operations.operation,
      inputDataObjectIds: operations.inputDataObjectIds,
      outputDataObjectIds: operations.outputDataObjectIds,
      referenceId: sql<string | null>`${operations.parameters} ->> 'referenceDataObjectId'`,
      invocationId: operations.invocationId,
      createdAt: operations.createdAt,
      finishedAt: operations.finishedAt,
    })
    .from(operations)
    .where(and(among(operations.projectId, projectIds), eq(operations.status, 'completed')));
  const found = await db
    .select({
      run: recipeInvocations,
      recipeName: recipeVersions.name,
      version: recipeVersions.version,
      status: recipeVersions.status,
    })
    .from(recipeInvocations)
    .leftJoin(recipeVersions, eq(recipeVersions.id, recipeInvocations.recipeVersionId))
    .where(among(recipeInvocations.projectId, projectIds));
  const parts = new Map<string, PartRecords>(
    projectIds.map((each) => [each, { objects: [], operations: [], runs: [] }]),
  );
  for (const row of objects) parts.get(row.projectId)?.objects.push(row);
  const kinds = new Map(objects.map((object) => [object.id, object.kind]));
  for (const row of done)
    parts.get(row.projectId)?.operations.push({ ...row, referenceId: findReferenceId(row, kinds) });
  for (const { run, recipeName, version, status } of found)
    parts.get(run.projectId)?.runs.push({ ...run, recipeName, version, isReleased: status === 'released' });
  return parts;
}

/**
 * Finds the reference of a comparison. In projects copied by earlier versions, parameters still name the reference of the
 * original project; its copy is among the inputs, beside others such as the surface determination.
 *
 * @param kinds kinds of the data objects of all projects being read
 */
function findReferenceId(
  { operation, referenceId, inputDataObjectIds }: OperationRecord,
  kinds: ReadonlyMap<string, DataObjectKind>,
): string | null {
  if (referenceId === null || kinds.has(referenceId) || !isStepKind(operation)) return referenceId;
  const referenceKinds: readonly string[] = getStep(operation).needs.reference;
  const isReference = (id: string) => referenceKinds.includes(kinds.get(id) ?? '');
  return inputDataObjectIds.slice(1).find(isReference) ?? referenceId;
}
