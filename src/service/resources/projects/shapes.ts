/** Rows of projects to the shape of the contract, for any number of them with the same few queries. */
import { and, count, eq, inArray } from 'drizzle-orm';
import type { OperationKind } from '#contract/analyses/kinds.ts';
import { type Project, projectActions } from '#contract/shapes/project.ts';
import { among } from '#storage/db/among.ts';
import type { Executor } from '#storage/db/connection.ts';
import { analysisModules } from '#storage/db/schema-accounts.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations } from '#storage/db/schema-work.ts';
import type { AddressSigner } from '../../http/signed-address.ts';
import { capabilitiesOf } from './capabilities.ts';

export type ProjectRow = typeof projects.$inferSelect;

export interface ShapeContext {
  db: Executor;
  addresses: AddressSigner;
  base: string;
}

const present = <T>(value: T | null): value is T => value !== null;

/** Keys of modules that are off, by organization. */
async function disabledModules(db: Executor, organizationIds: string[]): Promise<Map<string, Set<string>>> {
  const rows = await db
    .select({ organizationId: analysisModules.organizationId, key: analysisModules.key })
    .from(analysisModules)
    .where(and(inArray(analysisModules.organizationId, organizationIds), eq(analysisModules.enabled, false)));
  return keysBy(rows.map(({ organizationId, key }) => [organizationId, key]));
}

async function kindsOfData(db: Executor, ids: string[]): Promise<Map<string, Map<string, number>>> {
  const rows = await db
    .select({ projectId: dataObjects.projectId, kind: dataObjects.kind, objects: count() })
    .from(dataObjects)
    .where(and(among(dataObjects.projectId, ids), eq(dataObjects.status, 'completed')))
    .groupBy(dataObjects.projectId, dataObjects.kind);
  const counts = new Map<string, Map<string, number>>();
  for (const { projectId, kind, objects } of rows)
    counts.set(projectId, (counts.get(projectId) ?? new Map()).set(kind, objects));
  return counts;
}

function keysBy(pairs: [string, string][]): Map<string, Set<string>> {
  const sets = new Map<string, Set<string>>();
  for (const [id, key] of pairs) sets.set(id, (sets.get(id) ?? new Set()).add(key));
  return sets;
}

const none: ReadonlySet<string> = new Set();
const noData: ReadonlyMap<string, number> = new Map();

/** @param roleOf the caller's role in a workspace */
export async function projectShapes(
  { db, addresses, base }: ShapeContext,
  rows: ProjectRow[],
  roleOf: (workspaceId: string) => 'viewer' | 'editor',
): Promise<Project[]> {
  if (rows.length === 0) return [];
  const operationIds = rows.map(({ latestOperationId }) => latestOperationId).filter(present);
  const [latest, disabled, kinds] = await Promise.all([
    operationIds.length === 0
      ? []
      : db
          .select({
            id: operations.id,
            operation: operations.operation,
            status: operations.status,
            progress: operations.progress,
            stage: operations.stage,
          })
          .from(operations)
          .where(among(operations.id, operationIds)),
    disabledModules(db, [...new Set(rows.map(({ organizationId }) => organizationId))]),
    kindsOfData(
      db,
      rows.map(({ id }) => id),
    ),
  ]);
  const operationOf = new Map(
    latest.map((row) => [row.id, { ...row, operation: row.operation as OperationKind }]),
  );
  return rows.map((row) => ({
    id: row.id,
    identifier: row.id,
    name: row.name,
    description: row.description,
    state: row.state,
    workspaceId: row.workspaceId,
    organizationId: row.organizationId,
    tags: row.tags,
    partNumber: row.partNumber,
    serialNumber: row.serialNumber,
    lot: row.lot,
    verdict: row.verdict,
    thumbnailUrl:
      row.thumbnailKey === null
        ? null
        : addresses.address(base, {
            key: row.thumbnailKey,
            fileName: 'thumbnail.png',
            mediaType: 'image/png',
            inline: true,
          }),
    storageBytes: row.storageBytes,
    dataObjectCount: row.dataObjectCount,
    latestOperation: (row.latestOperationId !== null && operationOf.get(row.latestOperationId)) || null,
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    archivedAt: row.archivedAt?.toISOString() ?? null,
    capabilities: capabilitiesOf(projectActions, {
      role: roleOf(row.workspaceId),
      state: row.state,
      disabledModules: disabled.get(row.organizationId) ?? none,
      kinds: kinds.get(row.id) ?? noData,
    }),
  }));
}

/** Rows in the order of the ids; ids that are gone meanwhile are left out. */
export async function projectRows(db: Executor, ids: string[]): Promise<ProjectRow[]> {
  if (ids.length === 0) return [];
  const rows = await db.select().from(projects).where(among(projects.id, ids));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
}
