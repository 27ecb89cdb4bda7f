/** Selects the results of projects, for downloading results of many projects. */

import { asc, eq, notInArray, type SQL, sql } from 'drizzle-orm';
import { sharedDataKinds } from '#contract/analyses/data-kinds.ts';
import { among } from '../db/among.ts';
import type { Executor } from '../db/connection.ts';
import { measurements } from '../db/schema-collaboration.ts';
import { type DataObjectRow, dataObjects } from '../db/schema-data.ts';
import { operations, recipeInvocations, type WorkError } from '../db/schema-work.ts';

/** Retention of a results archive after it was packed. */
export const RESULTS_KEPT_DAYS = 7;

/** Limits results to a recipe or one of its versions; default: all results. */
export interface ResultFilter {
  recipeId?: string | undefined;
  recipeVersionId?: string | undefined;
}

export const noResults = (recipeId: string | undefined): WorkError => ({
  code: 'NOTHING_TO_EXPORT',
  detail:
    recipeId === undefined
      ? 'the project has no results yet; run an analysis first'
      : 'the project has no results of this recipe yet; run it first',
});

/** Data created by analyses, excluding imports and volumes; with a recipe, only from its newest completed run per project. */
function isResult(projectIds: readonly string[], { recipeId, recipeVersionId }: ResultFilter): SQL {
  const made = sql`${among(dataObjects.projectId, projectIds)} and ${dataObjects.status} = 'completed'
    and ${dataObjects.volumeKey} is null and ${operations.operation} <> 'ingest'
    and ${notInArray(dataObjects.kind, sharedDataKinds)}`;
  if (recipeId === undefined) return made;
  const ofVersion = recipeVersionId === undefined ? sql`` : sql`and recipe_version_id = ${recipeVersionId}`;
  return sql`${made} and ${operations.invocationId} in (
    select distinct on (project_id) id from ${recipeInvocations}
    where ${among(recipeInvocations.projectId, projectIds)} and recipe_id = ${recipeId} ${ofVersion} and status = 'completed'
    order by project_id, created_at desc, id desc)`;
}

/** Results of the projects, oldest first. */
export async function resultObjects(
  db: Executor,
  projectIds: readonly string[],
  filter: ResultFilter,
): Promise<DataObjectRow[]> {
  const rows = await db
    .select({ object: dataObjects })
    .from(dataObjects)
    .innerJoin(operations, eq(operations.id, dataObjects.createdByOperationId))
    .where(isResult(projectIds, filter))
    .orderBy(asc(dataObjects.createdAt), asc(dataObjects.id));
  return rows.map(({ object }) => object);
}

export type MeasurementRow = typeof measurements.$inferSelect;

/** Manual measurements on the projects' scans, oldest first; none for a recipe. */
export async function resultMeasurements(
  db: Executor,
  projectIds: readonly string[],
  { recipeId }: ResultFilter,
): Promise<MeasurementRow[]> {
  if (recipeId !== undefined) return [];
  return db
    .select()
    .from(measurements)
    .where(among(measurements.projectId, projectIds))
    .orderBy(asc(measurements.createdAt), asc(measurements.id));
}

/** The projects that have results or measurements. */
export async function projectsWithResults(
  db: Executor,
  projectIds: readonly string[],
  filter: ResultFilter,
): Promise<Set<string>> {
  const rows = await db
    .selectDistinct({ id: dataObjects.projectId })
    .from(dataObjects)
    .innerJoin(operations, eq(operations.id, dataObjects.createdByOperationId))
    .where(isResult(projectIds, filter));
  const measured = await resultMeasurements(db, projectIds, filter);
  return new Set([...rows.map(({ id }) => id), ...measured.map(({ projectId }) => projectId)]);
}
