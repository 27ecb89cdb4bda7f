/** Reads projects and related data, with the same few queries for any number of projects. */
import { and, count, countDistinct, desc, eq, getTableColumns, inArray, isNull, or, sql } from 'drizzle-orm';
import type { OperationKind } from '#contract/analyses/registry.ts';
import type { Disposition } from '#contract/shapes/disposition.ts';
import type { Project } from '#contract/shapes/project.ts';
import { among } from '#storage/db/among.ts';
import type { Executor } from '#storage/db/connection.ts';
import { analysisModules, users } from '#storage/db/schema-accounts.ts';
import { dispositions } from '#storage/db/schema-collaboration.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations } from '#storage/db/schema-work.ts';
import { dispositionColumns, dispositionShape } from '../../shapes/disposition-shape.ts';

// Columns for searching and sorting are not needed outside of the database.
const {
  nameSort: _nameSort,
  searchText: _searchText,
  shortTags: _shortTags,
  ...shown
} = getTableColumns(projects);
export type ProjectRow = Pick<typeof projects.$inferSelect, keyof typeof shown>;

/** Rows in the order of the ids; projects deleted meanwhile are omitted. */
export async function projectRows(db: Executor, wanted: string[]): Promise<ProjectRow[]> {
  if (wanted.length === 0) return [];
  const rows = await db.select(shown).from(projects).where(among(projects.id, wanted));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return wanted.map((id) => byId.get(id)).filter((row) => row !== undefined);
}

/** Related data that a project's shape contains. */
export interface Surroundings {
  latestOperations: ReadonlyMap<string, Project['latestOperation']>;
  /** newest disposition by project */
  dispositions: ReadonlyMap<string, Disposition>;
  /** number of completed data objects of each kind, by project; projects without any are absent */
  kinds: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** number of different source files of these, by project */
  files: ReadonlyMap<string, number>;
  /** keys of disabled modules, by organization */
  disabledModules: ReadonlyMap<string, ReadonlySet<string>>;
}

/** @param organizationIds organizations that the projects may belong to */
export async function readSurroundings(
  db: Executor,
  projectIds: string[],
  organizationIds: string[],
): Promise<Surroundings> {
  const latest = await db
    .select({
      projectId: projects.id,
      id: operations.id,
      operation: operations.operation,
      status: operations.status,
      progress: operations.progress,
      stage: operations.stage,
    })
    .from(projects)
    .innerJoin(operations, eq(operations.id, projects.latestOperationId))
    .where(among(projects.id, projectIds));
  const decided = await db
    .selectDistinctOn([dispositions.projectId], dispositionColumns)
    .from(dispositions)
    .innerJoin(projects, eq(projects.id, dispositions.projectId))
    .leftJoin(users, eq(users.id, dispositions.createdBy))
    .where(among(dispositions.projectId, projectIds))
    .orderBy(dispositions.projectId, desc(dispositions.createdAt), desc(dispositions.id));
  const counts = await db
    .select({ projectId: dataObjects.projectId, kind: dataObjects.kind, objects: count() })
    .from(dataObjects)
    .where(and(among(dataObjects.projectId, projectIds), eq(dataObjects.status, 'completed')))
    .groupBy(dataObjects.projectId, dataObjects.kind);
  const uploads = await db
    .select({
      projectId: dataObjects.projectId,
      files: countDistinct(sql`coalesce(${dataObjects.metadata}->>'sourceSha256', ${dataObjects.id}::text)`),
    })
    .from(dataObjects)
    .leftJoin(operations, eq(operations.id, dataObjects.createdByOperationId))
    .where(
      and(
        among(dataObjects.projectId, projectIds),
        eq(dataObjects.status, 'completed'),
        inArray(dataObjects.kind, ['radiographs', 'volume', 'mesh', 'cad']),
        or(isNull(operations.id), eq(operations.operation, 'ingest')),
      ),
    )
    .groupBy(dataObjects.projectId);
  const off = await db
    .select({ organizationId: analysisModules.organizationId, key: analysisModules.key })
    .from(analysisModules)
    .where(and(among(analysisModules.organizationId, organizationIds), eq(analysisModules.enabled, false)));
  const kinds = new Map<string, Map<string, number>>();
  for (const { projectId, kind, objects } of counts)
    kinds.set(projectId, (kinds.get(projectId) ?? new Map()).set(kind, objects));
  const disabledModules = new Map<string, Set<string>>();
  for (const { organizationId, key } of off)
    disabledModules.set(organizationId, (disabledModules.get(organizationId) ?? new Set()).add(key));
  const latestOperations = new Map(
    latest.map(({ projectId, operation, ...row }) => [
      projectId,
      { ...row, operation: operation as OperationKind },
    ]),
  );
  const files = new Map(uploads.map((row) => [row.projectId, row.files]));
  return {
    latestOperations,
    dispositions: new Map(decided.map((row) => [row.projectId, dispositionShape(row)])),
    kinds,
    files,
    disabledModules,
  };
}
