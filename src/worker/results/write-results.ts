/** Writes the results of a successful operation: data objects, files, and the project's totals. */
import { eq, inArray, sql } from 'drizzle-orm';
import { metadataSchemas } from '#contract/analyses/data-kinds.ts';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import type { PartMeasures } from '#contract/metadata/surface.ts';
import type { Verdict } from '#contract/metadata/verdict.ts';
import type { Warning } from '#contract/metadata/warning.ts';
import { type DataContent, listSurfaceDetails } from '#contract/shapes/data-object.ts';
import type { Provenance } from '#contract/shapes/operation.ts';
import { keepWorkBlobs } from '#storage/blobs/sweep.ts';
import { inTransaction, type Transaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations } from '#storage/db/schema-work.ts';
import { makeStorable } from '#storage/db/storable.ts';
import { findSurfaceFile } from '#storage/views/find-surface-file.ts';
import { requestView } from '#storage/views/request-view.ts';
import type { ProjectRow, WorkRow } from '#storage/work/kinds.ts';
import { WorkLost } from '#storage/work/life.ts';
import type { Done, OperationWork } from '../work/work.ts';

export interface StoredFile {
  fileName: string;
  mediaType: string;
  sizeBytes: number;
  sha256: string;
  blobKey: string;
}

/** A data object whose bytes are already in the blob store. */
export type NewDataObject = DataContent & {
  name: string;
  files: StoredFile[];
  volume?: { key: string; sizeBytes: number };
};

/** Measures of the part inside a surface, whoever determined it. */
export interface MeasuredPart {
  surfaceId: string;
  part: PartMeasures;
}

export interface WorkResult {
  dataObjects: NewDataObject[];
  /** shareable results whose ids derive from their content: written unless they exist already */
  shared?: (NewDataObject & { id: string })[];
  /** added to the surfaces, which exist by then */
  parts?: MeasuredPart[];
  /** of everything it made */
  warnings: Warning[];
  provenance: Provenance;
  /** a picture for the project; with `onlyWhenNone` it does not replace another */
  thumbnail?: { key: string; onlyWhenNone: boolean };
  /** of its own tolerance */
  verdict?: Verdict | undefined;
  /** cleanup after the results are committed */
  afterwards?: () => Promise<void>;
}

interface CompleteResult extends Done {
  values: { outputDataObjectIds: string[]; [column: string]: unknown };
}

/** Ends an operation with its results. */
export function completeWith(
  { row: operation, project }: Pick<OperationWork, 'row' | 'project'>,
  made: WorkResult,
): CompleteResult {
  // Names and values from files may contain what the database cannot store.
  const result: WorkResult = {
    ...made,
    ...makeStorable({ dataObjects: made.dataObjects, warnings: made.warnings }),
  };
  const dataObjects = result.dataObjects.map((made) => ({ ...made, id: crypto.randomUUID() }));
  const { provenance, shared = [], parts = [], thumbnail, verdict, afterwards } = result;
  // Invalid rows must never be stored: every list containing one would fail.
  for (const { kind, metadata } of [...result.dataObjects, ...shared]) metadataSchemas[kind].parse(metadata);
  const write = async (tx: Transaction) => {
    await lockProject(tx, project.id);
    // If two operations determined the same at once, the lock separates them: the second finds the rows of the first.
    const known = shared.length > 0 ? await listKnown(tx, shared) : new Set<string>();
    const lacking = shared.filter(({ id }) => !known.has(id));
    let sizeBytes = 0;
    for (const [index, dataObject] of [...dataObjects, ...lacking].entries()) {
      const warnings = index < dataObjects.length ? result.warnings : [];
      const place = { id: dataObject.id, index, warnings };
      sizeBytes += await insertDataObject(tx, operation, project, place, dataObject);
    }
    await addParts(tx, project, parts);
    await tx
      .update(projects)
      .set({
        dataObjectCount: sql`${projects.dataObjectCount} + ${dataObjects.length + lacking.length}`,
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
      })
      .where(eq(projects.id, project.id));
    const { id: projectId, organizationId, workspaceId } = project;
    const event = { type: 'updated', resource: 'project', id: projectId };
    await notify(tx, { ...event, projectId, organizationId, workspaceId });
  };
  return {
    values: {
      inputDataObjectIds: provenance.inputs.map(({ dataObjectId }) => dataObjectId),
      outputDataObjectIds: dataObjects.map(({ id }) => id),
      provenance,
      verdict: verdict ?? null,
      warnings: result.warnings,
    },
    write,
    ...(afterwards ? { afterwards } : {}),
  };
}

/**
 * Writes the results of an operation before it ends, visible to everyone; the remaining work only adds to them.
 * @returns false when another worker that has lost the operation wrote them just before
 * @throws WorkLost when it has ended in the meantime
 */
export async function writeBeforeEnd(
  { context, row: { id }, project }: OperationWork,
  { values, write }: CompleteResult,
): Promise<boolean> {
  return inTransaction(context.db, async (tx) => {
    await lockProject(tx, project.id);
    const [row] = await tx.select().from(operations).where(eq(operations.id, id)).for('update');
    if (!row || row.finishedAt !== null) throw new WorkLost(`operation ${id} has ended before`);
    if (row.outputDataObjectIds.length > 0) return false;
    await write?.(tx);
    await tx
      .update(operations)
      .set({ ...values })
      .where(eq(operations.id, id));
    await keepWorkBlobs(tx, id);
    return true;
  });
}

/** Locks the project's row first: the lock order of every writer. */
const lockProject = (tx: Transaction, id: string) =>
  tx.select({ id: projects.id }).from(projects).where(eq(projects.id, id)).for('update');

async function listKnown(tx: Transaction, shared: readonly { id: string }[]): Promise<Set<string>> {
  const ids = shared.map(({ id }) => id);
  const rows = await tx.select({ id: dataObjects.id }).from(dataObjects).where(inArray(dataObjects.id, ids));
  return new Set(rows.map(({ id }) => id));
}

/** Once only: measures of a surface do not depend on who computes them. */
async function addParts(tx: Transaction, project: ProjectRow, parts: readonly MeasuredPart[]): Promise<void> {
  for (const { surfaceId, part } of parts) await addMetadata(tx, project, surfaceId, { part });
}

/** Adds to a data object what was found out after it was written. */
export async function addMetadata(
  tx: Transaction,
  { id: projectId, organizationId, workspaceId }: ProjectRow,
  id: string,
  found: { part: PartMeasures } | { quality: ScanQuality | null },
): Promise<void> {
  const metadata = sql`${dataObjects.metadata} || ${JSON.stringify(found)}::jsonb`;
  await tx.update(dataObjects).set({ metadata }).where(eq(dataObjects.id, id));
  await notify(tx, {
    ...{ type: 'updated', resource: 'dataObject', id },
    ...{ projectId, organizationId, workspaceId },
  });
}

async function insertDataObject(
  tx: Transaction,
  operation: WorkRow<'operation'>,
  { id: projectId, organizationId, workspaceId }: ProjectRow,
  { id, index, warnings }: { id: string; index: number; warnings: Warning[] },
  { name, files, volume, ...content }: NewDataObject,
): Promise<number> {
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, volume?.sizeBytes ?? 0);
  await tx.insert(dataObjects).values({
    id,
    projectId,
    name,
    ...content,
    warnings,
    sizeBytes,
    volumeKey: volume?.key ?? null,
    createdByOperationId: operation.id,
    // The first is the operation's main result, so it gets the newest time.
    createdAt: sql`now() - ${index} * interval '1 millisecond'`,
  });
  if (files.length > 0) {
    await tx.insert(dataObjectFiles).values(files.map((file) => ({ dataObjectId: id, ...file })));
  }
  const surface = findSurfaceFile(content, files);
  // Requested now, so that they exist when the surface is first viewed.
  for (const detail of listSurfaceDetails(content, surface?.sizeBytes ?? 0))
    await requestView(tx, id, { detail });
  await notify(tx, { type: 'created', resource: 'dataObject', id, projectId, organizationId, workspaceId });
  return sizeBytes;
}
