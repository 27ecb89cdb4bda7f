/** Copies a project: rows of its own, the same stored bytes. */
import { randomUUID } from 'node:crypto';
import { and, eq, inArray } from 'drizzle-orm';
import type { WorkspaceAccess } from '#storage/access/access.ts';
import type { Transaction } from '#storage/db/connection.ts';
import { dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations } from '#storage/db/schema-work.ts';
import { projectTexts } from '#storage/db/search-text.ts';
import type { Caller } from '../../http/session.ts';
import { lockProject } from './rules.ts';
import type { ProjectRow } from './shapes.ts';
import { announce } from './store.ts';

const BATCH = 500;

async function insertInBatches<Row>(rows: Row[], insert: (batch: Row[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < rows.length; from += BATCH) await insert(rows.slice(from, from + BATCH));
}

const newIds = (rows: { id: string }[]): Map<string, string> =>
  new Map(rows.map(({ id }) => [id, randomUUID()]));
const mapped = (ids: string[], map: Map<string, string>): string[] =>
  ids.map((id) => map.get(id)).filter((id) => id !== undefined);

/** What is completed comes along: data objects, their files, and the operations that made them. */
export async function copyProject(
  tx: Transaction,
  caller: Caller,
  id: string,
  destination: WorkspaceAccess,
  name: string | undefined,
): Promise<ProjectRow> {
  const source = await lockProject(tx, id);
  const objects = await tx
    .select()
    .from(dataObjects)
    .where(and(eq(dataObjects.projectId, id), eq(dataObjects.status, 'completed')));
  const done = await tx
    .select()
    .from(operations)
    .where(and(eq(operations.projectId, id), eq(operations.status, 'completed')));
  const objectIds = newIds(objects);
  const operationIds = newIds(done);
  const projectId = randomUUID();
  const { organizationId } = destination;
  const { version: _version, createdAt: _createdAt, updatedAt: _updatedAt, ...fields } = source;
  const [row] = await tx
    .insert(projects)
    .values({
      ...fields,
      ...projectTexts({ ...source, name: name ?? source.name }),
      id: projectId,
      organizationId,
      workspaceId: destination.id,
      state: 'active',
      archivedAt: null,
      storageBytes: objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      dataObjectCount: objects.length,
      latestOperationId: (source.latestOperationId && operationIds.get(source.latestOperationId)) ?? null,
      copiedFromProjectId: id,
      createdBy: caller.userId,
    })
    .returning();
  await insertInBatches(done, (batch) =>
    tx.insert(operations).values(
      batch.map((operation) => ({
        ...operation,
        id: operationIds.get(operation.id),
        projectId,
        organizationId,
        inputDataObjectIds: mapped(operation.inputDataObjectIds, objectIds),
        outputDataObjectIds: mapped(operation.outputDataObjectIds, objectIds),
        invocationId: null,
        stepKey: null,
        uploadId: null,
        jobId: null,
      })),
    ),
  );
  await insertInBatches(objects, (batch) =>
    tx.insert(dataObjects).values(
      batch.map((object) => ({
        ...object,
        id: objectIds.get(object.id),
        projectId,
        createdByOperationId:
          (object.createdByOperationId && operationIds.get(object.createdByOperationId)) ?? null,
        copiedFromDataObjectId: object.id,
      })),
    ),
  );
  if (objects.length > 0) {
    const files = await tx
      .select()
      .from(dataObjectFiles)
      .where(inArray(dataObjectFiles.dataObjectId, [...objectIds.keys()]));
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
  await announce(tx, caller, 'copyProject', row, 'created', { from: id });
  return row;
}
