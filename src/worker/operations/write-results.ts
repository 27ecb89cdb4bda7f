/** The one transaction that makes results known: data objects, files, the operation's end, the project's sums. */
import { eq, sql } from 'drizzle-orm';
import type { Provenance } from '#contract/shapes/operation.ts';
import { inTransaction, type Transaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { type DataObjectKind, dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import type { Verdict } from '#storage/db/schema-work.ts';
import type { WorkerContext } from '../context.ts';
import { type ClaimedOperation, endOperation } from './operation-store.ts';

export interface StoredFile {
  fileName: string;
  mediaType: string;
  sizeBytes: number;
  sha256: string;
  blobKey: string;
}

/** A data object whose bytes are all in the blob store already. */
export interface NewDataObject {
  kind: DataObjectKind;
  name: string;
  metadata: Record<string, unknown>;
  files: StoredFile[];
  volume?: { key: string; sizeBytes: number };
}

export interface WorkResult {
  dataObjects: NewDataObject[];
  provenance: Provenance;
  /** a picture of the project; one that is only better than none does not replace another */
  thumbnail?: { key: string; onlyWhenNone: boolean };
  verdict?: Verdict | undefined;
  /** what can be tidied up once the results are known */
  afterwards?: () => Promise<void>;
}

/**
 * Inserts what an operation made and ends it. Does nothing and says false when this attempt no longer owns the
 * operation: another one has ended it, or the project is gone.
 */
export async function writeResults(
  { db, queue }: Pick<WorkerContext, 'db' | 'queue'>,
  operation: ClaimedOperation,
  result: WorkResult,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    // The project's row first: the order in which every writer takes its locks.
    const [project] = await tx
      .select({ id: projects.id })
      .from(projects)
      .where(eq(projects.id, operation.projectId))
      .for('update');
    if (!project) return false;
    const ids = result.dataObjects.map(() => crypto.randomUUID());
    const ended = await endOperation(tx, queue, operation, {
      status: 'completed',
      outputDataObjectIds: ids,
      provenance: result.provenance,
    });
    if (!ended) return false;
    const { thumbnail } = result;
    let sizeBytes = 0;
    for (const [index, dataObject] of result.dataObjects.entries()) {
      sizeBytes += await insertDataObject(tx, operation, { id: ids[index], index }, dataObject);
    }
    await tx
      .update(projects)
      .set({
        dataObjectCount: sql`${projects.dataObjectCount} + ${ids.length}`,
        storageBytes: sql`${projects.storageBytes} + ${sizeBytes}`,
        version: sql`${projects.version} + 1`,
        updatedAt: sql`now()`,
        ...(thumbnail
          ? {
              thumbnailKey: thumbnail.onlyWhenNone
                ? sql`coalesce(${projects.thumbnailKey}, ${thumbnail.key})`
                : thumbnail.key,
            }
          : {}),
        // A step's verdict is one of many: the recipe decides at its end.
        ...(result.verdict && !operation.invocationId ? { verdict: result.verdict } : {}),
      })
      .where(eq(projects.id, operation.projectId));
    const { projectId, organizationId, workspaceId } = operation;
    await notify(tx, {
      type: 'updated',
      resource: 'project',
      id: projectId,
      projectId,
      organizationId,
      workspaceId,
    });
    return true;
  });
}

async function insertDataObject(
  tx: Transaction,
  operation: ClaimedOperation,
  { id, index }: { id: string; index: number },
  { kind, name, metadata, files, volume }: NewDataObject,
): Promise<number> {
  const { projectId, organizationId, workspaceId } = operation;
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, volume?.sizeBytes ?? 0);
  await tx.insert(dataObjects).values({
    id,
    projectId,
    kind,
    name,
    metadata,
    sizeBytes,
    volumeKey: volume?.key ?? null,
    createdByOperationId: operation.id,
    // The first is what the operation is about: of all that it made, it counts as the newest.
    createdAt: sql`now() - ${index} * interval '1 millisecond'`,
  });
  if (files.length > 0) {
    await tx.insert(dataObjectFiles).values(files.map((file) => ({ dataObjectId: id, ...file })));
  }
  await notify(tx, { type: 'created', resource: 'dataObject', id, projectId, organizationId, workspaceId });
  return sizeBytes;
}
