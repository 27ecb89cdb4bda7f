/** What the database holds of projects and around them, for any number of them with the same few queries. */
import { and, count, eq, getTableColumns, sql } from 'drizzle-orm';
import type { OperationKind } from '#contract/analyses/kinds.ts';
import type { Project } from '#contract/shapes/project.ts';
import type { Executor } from '#storage/db/connection.ts';
import { prepared } from '#storage/db/prepared.ts';
import { analysisModules } from '#storage/db/schema-accounts.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations } from '#storage/db/schema-work.ts';

// What lists are searched and sorted by stays in the database.
const {
  nameSort: _nameSort,
  searchText: _searchText,
  changedIn: _changedIn,
  ...shown
} = getTableColumns(projects);
export type ProjectRow = Pick<typeof projects.$inferSelect, keyof typeof shown>;

const ids = sql`any(${sql.placeholder('ids')}::uuid[])`;

const rowsOf = prepared((db) =>
  db.select(shown).from(projects).where(sql`${projects.id} = ${ids}`).prepare(''),
);

/** Rows in the order of the ids; ids that are gone meanwhile are left out. */
export async function projectRows(db: Executor, wanted: string[]): Promise<ProjectRow[]> {
  if (wanted.length === 0) return [];
  const rows = await rowsOf(db).execute({ ids: wanted });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return wanted.map((id) => byId.get(id)).filter((row) => row !== undefined);
}

/** What a project's shape says beside its row. */
export interface Surroundings {
  /** by project */
  latestOperations: ReadonlyMap<string, Project['latestOperation']>;
  /** how many completed data objects of each kind, by project; a project without any is absent */
  kinds: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** keys of modules that are off, by organization */
  disabledModules: ReadonlyMap<string, ReadonlySet<string>>;
}

const latestOf = prepared((db) =>
  db
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
    .where(sql`${projects.id} = ${ids}`)
    .prepare(''),
);

const kindsOf = prepared((db) =>
  db
    .select({ projectId: dataObjects.projectId, kind: dataObjects.kind, objects: count() })
    .from(dataObjects)
    .where(and(sql`${dataObjects.projectId} = ${ids}`, eq(dataObjects.status, 'completed')))
    .groupBy(dataObjects.projectId, dataObjects.kind)
    .prepare(''),
);

const disabledOf = prepared((db) =>
  db
    .select({ organizationId: analysisModules.organizationId, key: analysisModules.key })
    .from(analysisModules)
    .where(and(sql`${analysisModules.organizationId} = ${ids}`, eq(analysisModules.enabled, false)))
    .prepare(''),
);

/** @param organizationIds those that the projects may belong to */
export async function surroundingsOf(
  db: Executor,
  projectIds: string[],
  organizationIds: string[],
): Promise<Surroundings> {
  const [latest, counts, off] = await Promise.all([
    latestOf(db).execute({ ids: projectIds }),
    kindsOf(db).execute({ ids: projectIds }),
    disabledOf(db).execute({ ids: organizationIds }),
  ]);
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
  return { latestOperations, kinds, disabledModules };
}
