/** What counts as a project's results, for a download of the results of many projects. */

import { asc, eq, type SQL, sql } from 'drizzle-orm';
import { among } from '../db/among.ts';
import type { Executor } from '../db/connection.ts';
import { dataObjects } from '../db/schema-data.ts';
import { operations, recipeInvocations, type WorkError } from '../db/schema-work.ts';

/** An archive of results is kept for so long after it was packed. */
export const RESULTS_KEPT_DAYS = 7;

export const noResults = (recipeId: string | undefined): WorkError => ({
  code: 'NOTHING_TO_EXPORT',
  detail:
    recipeId === undefined
      ? 'the project has no results yet; run an analysis first'
      : 'the project has no results of this recipe yet; run it first',
});

type DataObjectRow = typeof dataObjects.$inferSelect;

/** Made by an analysis, not brought in; of the newest completed run of the recipe in each project when one is named. */
function isResult(projectIds: readonly string[], recipeId: string | undefined): SQL {
  const made = sql`${among(dataObjects.projectId, projectIds)} and ${dataObjects.status} = 'completed'
    and ${dataObjects.kind} not in ('volume', 'radiographs', 'cad') and ${operations.operation} <> 'ingest'`;
  if (recipeId === undefined) return made;
  return sql`${made} and ${operations.invocationId} in (
    select distinct on (project_id) id from ${recipeInvocations}
    where ${among(recipeInvocations.projectId, projectIds)} and recipe_id = ${recipeId} and status = 'completed'
    order by project_id, created_at desc, id desc)`;
}

/** Results of the projects, the oldest first. */
export async function resultObjects(
  db: Executor,
  projectIds: readonly string[],
  recipeId: string | undefined,
): Promise<DataObjectRow[]> {
  const rows = await db
    .select({ object: dataObjects })
    .from(dataObjects)
    .innerJoin(operations, eq(operations.id, dataObjects.createdByOperationId))
    .where(isResult(projectIds, recipeId))
    .orderBy(asc(dataObjects.createdAt), asc(dataObjects.id));
  return rows.map(({ object }) => object);
}

/** Those of the projects that have results. */
export async function projectsWithResults(
  db: Executor,
  projectIds: readonly string[],
  recipeId: string | undefined,
): Promise<Set<string>> {
  const rows = await db
    .selectDistinct({ id: dataObjects.projectId })
    .from(dataObjects)
    .innerJoin(operations, eq(operations.id, dataObjects.createdByOperationId))
    .where(isResult(projectIds, recipeId));
  return new Set(rows.map(({ id }) => id));
}

/** A number that was measured, with its unit as far as its name says one. */
export interface MeasuredNumber {
  measure: string;
  value: number;
  unit: string;
}

const units: [RegExp, string][] = [
  [/Mm3$/, 'mm³'],
  [/Mm2$/, 'mm²'],
  [/Mm$/, 'mm'],
  [/Degrees$/, '°'],
];

/** The innermost name that says one: percentilesMm.p50 is in mm. */
function unitOf(path: readonly string[]): string {
  for (const name of path.toReversed()) {
    const known = units.find(([pattern]) => pattern.test(name));
    if (known) return known[1];
  }
  return '';
}

/** Every number of a data object's metadata, by its path; lists, such as single defects, are in files of their own. */
export function measuredNumbers(metadata: Record<string, unknown>): MeasuredNumber[] {
  const found: MeasuredNumber[] = [];
  const visit = (value: unknown, path: string[]): void => {
    if (typeof value === 'number' && Number.isFinite(value)) {
      found.push({ measure: path.join('.'), value, unit: unitOf(path) });
    } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [name, inner] of Object.entries(value)) visit(inner, [...path, name]);
    }
  };
  visit(metadata, []);
  return found;
}
