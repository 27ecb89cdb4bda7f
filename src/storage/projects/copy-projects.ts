/** Copies projects, with new rows and shared blobs. */

import { randomUUID } from 'node:crypto';
import { and, eq, inArray } from 'drizzle-orm';
import { among } from '../db/among.ts';
import type { Transaction } from '../db/connection.ts';
import { auditLog } from '../db/schema-collaboration.ts';
import { dataObjectFiles, dataObjects } from '../db/schema-data.ts';
import { projects } from '../db/schema-projects.ts';
import { operations, recipeInvocations } from '../db/schema-work.ts';
import { projectTexts } from '../db/search-text.ts';
import { recomputeVerdicts } from '../verdicts/recompute-verdicts.ts';
import { type Actor, announceChanges, lockProjects } from './change-projects.ts';
import type { ProjectRow, WorkspacePlace } from './decide.ts';

const BATCH = 500;

async function insertInBatches<Row>(rows: Row[], insert: (batch: Row[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < rows.length; from += BATCH) await insert(rows.slice(from, from + BATCH));
}

const newIds = (rows: readonly { id: string }[]): Map<string, string> =>
  new Map(rows.map(({ id }) => [id, randomUUID()]));
const mapped = (ids: readonly string[], map: ReadonlyMap<string, string>): string[] =>
  ids.map((id) => map.get(id)).filter((id) => id !== undefined);
/** Replaces ids of data objects in JSON by the ids of their copies. */
const renameIds = <T>(value: T, ids: ReadonlyMap<string, string>): T =>
  JSON.parse(JSON.stringify(value), (_, each) => (typeof each === 'string' ? (ids.get(each) ?? each) : each));

/**
 * Copies everything that is completed: data objects, their files, the operations that made them, and recipe runs, so that the
 * copy of a rejected part is rejected, too.
 *
 * @returns the copy of each project by the id of the original; missing projects have none
 */
export async function copyProjects(
  tx: Transaction,
  actor: Actor,
  ids: readonly string[],
  destination: WorkspacePlace,
  { name, detail = {} }: { name?: string | undefined; detail?: Record<string, unknown> } = {},
): Promise<Map<string, ProjectRow>> {
  const locked = await lockProjects(tx, ids);
  const sources = ids
    .map((id) => locked.get(id))
    .filter((row) => row && row.state !== 'deleted') as ProjectRow[];
  if (sources.length === 0) return new Map();
  const sourceIds = sources.map(({ id }) => id);
  const { objects, done, runs } = await listFinished(tx, sourceIds);
  const [projectIds, objectIds] = [newIds(sources), newIds(objects)];
  const [operationIds, runIds] = [newIds(done), newIds(runs)];
  const newId = (ids: ReadonlyMap<string, string>, id: string): string => ids.get(id) ?? '';
  const { organizationId } = destination;
  const objectsByProject = Map.groupBy(objects, ({ projectId }) => projectId);
  const made: ProjectRow[] = [];
  await insertInBatches(sources, async (batch) => {
    const rows = await tx
      .insert(projects)
      .values(
        batch.map((source) => {
          const { version: _version, createdAt: _createdAt, updatedAt: _updatedAt, ...fields } = source;
          const own = objectsByProject.get(source.id) ?? [];
          return {
            ...fields,
            ...projectTexts({ ...source, name: name ?? source.name }),
            id: newId(projectIds, source.id),
            organizationId,
            workspaceId: destination.id,
            state: 'active' as const,
            archivedAt: null,
            storageBytes: own.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
            dataObjectCount: own.length,
            latestOperationId:
              (source.latestOperationId && operationIds.get(source.latestOperationId)) ?? null,
            copiedFromProjectId: source.id,
            createdBy: actor.userId,
          };
        }),
      )
      .returning();
    made.push(...rows);
  });
  await insertInBatches(done, (batch) =>
    tx.insert(operations).values(
      batch.map((operation) => ({
        ...operation,
        id: newId(operationIds, operation.id),
        projectId: newId(projectIds, operation.projectId),
        organizationId,
        inputDataObjectIds: mapped(operation.inputDataObjectIds, objectIds),
        outputDataObjectIds: mapped(operation.outputDataObjectIds, objectIds),
        parameters: renameIds(operation.parameters, objectIds),
        provenance: renameIds(operation.provenance, objectIds),
        invocationId: (operation.invocationId && runIds.get(operation.invocationId)) ?? null,
        uploadId: null,
      })),
    ),
  );
  await insertInBatches(runs, (batch) =>
    tx.insert(recipeInvocations).values(
      batch.map((run) => ({
        ...run,
        id: newId(runIds, run.id),
        projectId: newId(projectIds, run.projectId),
        organizationId,
        definition: renameIds(run.definition, objectIds),
        steps: run.steps.map((step) => ({
          ...step,
          operationId: (step.operationId && operationIds.get(step.operationId)) ?? null,
        })),
        gates: run.gates.map((gate) => ({
          ...gate,
          dataObjectId: (gate.dataObjectId && objectIds.get(gate.dataObjectId)) ?? null,
        })),
        operationId: (run.operationId && operationIds.get(run.operationId)) ?? null,
        bulkItemId: null,
      })),
    ),
  );
  await insertInBatches(objects, (batch) =>
    tx.insert(dataObjects).values(
      batch.map((object) => ({
        ...object,
        id: newId(objectIds, object.id),
        projectId: newId(projectIds, object.projectId),
        createdByOperationId:
          (object.createdByOperationId && operationIds.get(object.createdByOperationId)) ?? null,
        copiedFromDataObjectId: object.id,
      })),
    ),
  );
  await copyFiles(tx, objectIds);
  await insertInBatches(made, (batch) =>
    tx.insert(auditLog).values(
      batch.map((row) => ({
        organizationId,
        userId: actor.userId,
        userEmail: actor.email,
        action: 'copyProject',
        resource: 'project',
        resourceId: row.id,
        projectId: row.id,
        detail: { name: row.name, from: row.copiedFromProjectId, ...detail },
      })),
    ),
  );
  await recomputeVerdicts(tx, [...projectIds.values()]);
  await announceChanges(tx, made, 'created');
  return new Map(made.map((row) => [row.copiedFromProjectId ?? '', row]));
}

/** Completed data of the projects: data objects, the operations that made them, recipe runs. */
async function listFinished(tx: Transaction, projectIds: readonly string[]) {
  const objects = await tx
    .select()
    .from(dataObjects)
    .where(and(among(dataObjects.projectId, projectIds), eq(dataObjects.status, 'completed')));
  const done = await tx
    .select()
    .from(operations)
    .where(and(among(operations.projectId, projectIds), eq(operations.status, 'completed')));
  const runs = await tx
    .select()
    .from(recipeInvocations)
    .where(
      and(
        among(recipeInvocations.projectId, projectIds),
        inArray(recipeInvocations.status, ['completed', 'failed']),
      ),
    );
  return { objects, done, runs };
}

/** @param objectIds the new id of each data object */
async function copyFiles(tx: Transaction, objectIds: ReadonlyMap<string, string>): Promise<void> {
  if (objectIds.size === 0) return;
  const files = await tx
    .select()
    .from(dataObjectFiles)
    .where(among(dataObjectFiles.dataObjectId, [...objectIds.keys()]));
  await insertInBatches(files, (batch) =>
    tx.insert(dataObjectFiles).values(
      batch.map((file) => ({
        ...file,
        id: randomUUID(),
        dataObjectId: objectIds.get(file.dataObjectId) ?? '',
      })),
    ),
  );
}
