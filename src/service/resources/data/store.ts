/** Data objects, their files and views in the database. */

import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import {
  type DataObject,
  type ForeignReference,
  foreignReferenceKinds,
  listSurfaceDetails,
  type SurfaceDetail,
  surfaceKinds,
  type VolumeViewQuery,
} from '#contract/shapes/data-object.ts';
import { type Database, type Executor, inTransaction, type Transaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { byCreation, mapPage, type Page, type PageRequest, readPage } from '#storage/db/page.ts';
import {
  type DataObjectRow,
  dataObjectFiles,
  dataObjects,
  dataViews,
  narrowRow,
  readContent,
} from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { takeRow } from '#storage/db/take-row.ts';
import { listForeignReferences } from '#storage/projects/references.ts';
import { findSurfaceFile } from '#storage/views/find-surface-file.ts';
import {
  hashOfParameters,
  requestView as requestViewWithin,
  type ViewParameters,
  type ViewRow,
} from '#storage/views/request-view.ts';
import { cancelWork } from '#storage/work/life.ts';
import { lockActive } from '../../access/lock-project.ts';
import { notFound, Problem } from '../../http/problem.ts';
import type { Caller } from '../../http/session.ts';
import { writeAudit } from '../../http/write-audit.ts';

type FileRow = typeof dataObjectFiles.$inferSelect;

function dataObjectShape(row: DataObjectRow, files: FileRow[]): DataObject {
  return {
    id: row.id,
    projectId: row.projectId,
    ...readContent(row),
    name: row.name,
    status: row.status,
    files: files.map(({ fileName, mediaType, sizeBytes, sha256 }) => ({
      fileName,
      mediaType,
      sizeBytes,
      sha256,
    })),
    warnings: row.warnings,
    createdByOperation: row.createdByOperationId,
    createdAt: row.createdAt.toISOString(),
  };
}

async function dataObjectShapes(db: Executor, rows: DataObjectRow[]): Promise<DataObject[]> {
  if (rows.length === 0) return [];
  const files = await db
    .select()
    .from(dataObjectFiles)
    .where(
      inArray(
        dataObjectFiles.dataObjectId,
        rows.map(({ id }) => id),
      ),
    )
    .orderBy(asc(dataObjectFiles.fileName));
  const byObject = Map.groupBy(files, ({ dataObjectId }) => dataObjectId);
  return rows.map((row) => dataObjectShape(row, byObject.get(row.id) ?? []));
}

export async function readRow(db: Executor, id: string): Promise<DataObjectRow> {
  const [row] = await db.select().from(dataObjects).where(eq(dataObjects.id, id));
  if (!row) throw notFound('data object');
  return row;
}

export async function readDataObject(db: Executor, id: string): Promise<DataObject> {
  const shape = takeRow(await dataObjectShapes(db, [await readRow(db, id)]));
  return shape;
}

/** @throws Problem CONFLICT for data that is not a surface, or was made from a scan and so can't be its reference */
export async function changeKind(
  tx: Transaction,
  caller: Caller,
  projectId: string,
  id: string,
  kind: (typeof surfaceKinds)[number],
): Promise<void> {
  const place = await lockActive(tx, projectId);
  const row = await readRow(tx, id);
  if (row.kind === kind) return;
  const surface = narrowRow(row, ...surfaceKinds);
  if (!surface)
    throw new Problem('CONFLICT', `“${row.name}” is a ${row.kind}; only a mesh or CAD can change`);
  if (surface.metadata.sourceSha256 === undefined)
    throw new Problem(
      'CONFLICT',
      `“${row.name}” was made by an analysis; only what was uploaded can be a CAD reference`,
    );
  await tx
    .update(dataObjects)
    .set({ kind, version: sql`${dataObjects.version} + 1` })
    .where(eq(dataObjects.id, id));
  // The capabilities of the project have changed.
  await tx
    .update(projects)
    .set({ version: sql`${projects.version} + 1`, updatedAt: sql`now()` })
    .where(eq(projects.id, projectId));
  const { organizationId, workspaceId } = place;
  await writeAudit(tx, caller, {
    ...{ organizationId, action: 'patchDataObject', resource: 'dataObject', resourceId: id, projectId },
    detail: { name: row.name, from: row.kind, to: kind },
  });
  const changed = { type: 'updated', projectId, organizationId, workspaceId } as const;
  await notify(tx, { ...changed, resource: 'dataObject', id });
  await notify(tx, { ...changed, resource: 'project', id: projectId });
}

export const listData = (
  db: Executor,
  projectId: string,
  kind: string | undefined,
  page: PageRequest,
): Promise<Page<DataObject>> =>
  mapPage(
    readPage(db, page, {
      rows: () => db.select().from(dataObjects).$dynamic(),
      where: and(
        eq(dataObjects.projectId, projectId),
        kind === undefined ? undefined : sql`${dataObjects.kind} = ${kind}`,
      ),
      order: byCreation(dataObjects),
      keyed: (row) => row,
    }),
    (rows) => dataObjectShapes(db, rows),
  );

export const listForeign = (
  db: Executor,
  place: Parameters<typeof listForeignReferences>[1],
  query: Parameters<typeof listForeignReferences>[2],
): Promise<Page<ForeignReference>> =>
  mapPage(listForeignReferences(db, place, query), (rows) =>
    rows.flatMap(({ dataObject, projectName, partNumber }) => {
      const row = narrowRow(dataObject, ...foreignReferenceKinds);
      if (!row) return [];
      const { id, name, projectId, kind, metadata } = row;
      const createdAt = row.createdAt.toISOString();
      return [
        { id, name, projectId, projectName, partNumber, createdAt, kind, metadata } as ForeignReference,
      ];
    }),
  );

/** @throws Problem NOT_FOUND */
export async function readFile(db: Executor, dataObjectId: string, fileName: string): Promise<FileRow> {
  const [row] = await db
    .select()
    .from(dataObjectFiles)
    .where(and(eq(dataObjectFiles.dataObjectId, dataObjectId), eq(dataObjectFiles.fileName, fileName)));
  if (!row) throw notFound('file in this data object', 'fileName');
  return row;
}

/** The views available for a data object's surface. @throws Problem CONFLICT when there are none */
export async function listSurfaceViews(db: Executor, row: DataObjectRow): Promise<SurfaceDetail[]> {
  const files = await db.select().from(dataObjectFiles).where(eq(dataObjectFiles.dataObjectId, row.id));
  const bytes = findSurfaceFile(row, files)?.sizeBytes ?? 0;
  const details = row.status === 'completed' ? listSurfaceDetails(readContent(row), bytes) : [];
  if (details.length === 0)
    throw new Problem('CONFLICT', 'its surface is too small to need a view; use its GLB');
  return details;
}

/** The view with these parameters; requested from the worker when it does not exist or failed before. */
export const requestView = (
  db: Database,
  dataObjectId: string,
  parameters: ViewParameters,
): Promise<ViewRow> => inTransaction(db, (tx) => requestViewWithin(tx, dataObjectId, parameters));

/** Finds the view with these parameters; undefined when it was never requested. */
export async function findView(
  db: Executor,
  dataObjectId: string,
  parameters: ViewParameters,
): Promise<ViewRow | undefined> {
  const parametersHash = hashOfParameters(parameters);
  const [row] = await db
    .select()
    .from(dataViews)
    .where(and(eq(dataViews.dataObjectId, dataObjectId), eq(dataViews.parametersHash, parametersHash)));
  return row;
}

/** @throws Problem NOT_FOUND when it was never requested, ALREADY_FINISHED */
export async function cancelView(
  tx: Transaction,
  dataObjectId: string,
  parameters: VolumeViewQuery,
): Promise<ViewRow> {
  const before = await findView(tx, dataObjectId, parameters);
  if (!before) throw notFound('view with these parameters');
  if (before.finishedAt !== null)
    throw new Problem('ALREADY_FINISHED', `the view is already ${before.status}`);
  return ((await cancelWork(tx, 'view', before.id)) as ViewRow | undefined) ?? before;
}

export async function readView(db: Executor, id: string): Promise<ViewRow | undefined> {
  const [row] = await db.select().from(dataViews).where(eq(dataViews.id, id));
  return row;
}
