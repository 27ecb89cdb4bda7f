/** Recipe versions and scan recipe revisions in the database; immutable. */

import { and, desc, eq, isNull, lt, max, ne, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { fillUnits } from '#contract/analyses/gates.ts';
import { fillDefaults } from '#contract/analyses/pipeline.ts';
import { reasonAgainstRelease } from '#contract/shapes/organization.ts';
import type {
  ProjectInvocationListQuery,
  RecipeInvocationListQuery,
  RecipeVersion,
  RecipeVersionInput,
  RecipeVersionListQuery,
  ScanRecipeRevision,
  ScanRecipeRevisionInput,
  ScanRecipeRevisionListQuery,
} from '#contract/shapes/recipe.ts';
import { among } from '#storage/db/among.ts';
import type { Executor, Transaction } from '#storage/db/connection.ts';
import { hasStatus } from '#storage/db/has-status.ts';
import { byCreation, mapPage, type Page, type RowOrder, readPage } from '#storage/db/page.ts';
import { projects } from '#storage/db/schema-projects.ts';
import {
  bulkItems,
  recipeInvocations,
  recipes,
  recipeVersions,
  scanRecipeRevisions,
} from '#storage/db/schema-work.ts';
import { insertRow, takeRow } from '#storage/db/take-row.ts';
import { findRecipe } from '#storage/recipes/invocations.ts';
import { notFound } from '../../http/problem.ts';
import type { InvocationRow } from '../../shapes/invocation-shape.ts';
import { type ReleaseContext, revisionShape, versionShape } from './shapes.ts';

/** `search` anywhere in the column, ignoring case; % and _ are literal. */
const contains = (column: PgColumn, search: string | undefined): SQL | undefined =>
  search === undefined || search === '' ? undefined : sql`position(lower(${search}) in lower(${column})) > 0`;

/** Whether the row is the version of its recipe with the highest number. */
const isNewest = sql<boolean>`${recipeVersions.version} = (
  select max(other.version) from recipe_versions other where other.recipe_id = ${recipeVersions.recipeId})`;
/** Whether the row is the newest released version of its recipe. */
const isLatest = sql<boolean>`coalesce(${recipeVersions.version} = (
  select max(other.version) from recipe_versions other
  where other.recipe_id = ${recipeVersions.recipeId} and other.status = 'released'), false)`;

/** Newest first; versions created at the same time are sorted by number. */
const byNumber = (
  table: typeof recipeVersions | typeof scanRecipeRevisions,
  number: PgColumn,
): RowOrder<{ createdAt: Date; id: string; number: number }> => {
  return {
    name: '-createdAt',
    keys: byCreation(table).keys.toSpliced(1, 0, { value: number, type: 'int' }),
    isDescending: true,
    readKeys: (row) => [row.createdAt.toISOString(), String(row.number), row.id],
  };
};

export function listVersions(
  db: Executor,
  organizationId: string,
  query: RecipeVersionListQuery,
  context: ReleaseContext,
): Promise<Page<RecipeVersion>> {
  const list = readPage(db, query, {
    rows: () =>
      db
        .select({ row: recipeVersions, isLatest })
        .from(recipeVersions)
        .innerJoin(recipes, eq(recipes.id, recipeVersions.recipeId))
        .$dynamic(),
    where: and(
      eq(recipeVersions.organizationId, organizationId),
      isNull(recipes.archivedAt),
      query.recipePk === undefined ? undefined : eq(recipeVersions.recipeId, query.recipePk),
      query.isLatest === undefined ? undefined : sql`(${isLatest}) = ${query.isLatest}`,
      query.isNewest === undefined ? undefined : sql`(${isNewest}) = ${query.isNewest}`,
      query.status === undefined ? undefined : eq(recipeVersions.status, query.status),
      contains(recipeVersions.name, query.search),
    ),
    order: byNumber(recipeVersions, recipeVersions.version),
    keyed: ({ row }) => ({ ...row, number: row.version }),
  });
  return mapPage(list, (rows) => rows.map((found) => versionShape(found.row, found.isLatest, context)));
}

/**
 * Creates a recipe, or the next version of one. Defaults of its analyses and units of its gates are stored explicitly, so
 * that its meaning never changes.
 *
 * @throws Problem NOT_FOUND for a recipe of another organization
 */
export async function insertVersion(
  tx: Transaction,
  organizationId: string,
  context: ReleaseContext,
  { recipePk, name, description, steps, gates, draft }: RecipeVersionInput,
): Promise<RecipeVersion> {
  const { userId } = context;
  const isReleased = !draft && reasonAgainstRelease(context.release, { ...context, isAuthor: true }) === null;
  let version = 1;
  let recipeId = recipePk;
  if (recipeId === undefined) {
    const made = await insertRow(tx, recipes, { organizationId, name, createdBy: userId });
    recipeId = made.id;
  } else {
    // Locked, so that concurrent revisions get different numbers.
    const [recipe] = await tx
      .select({ id: recipes.id })
      .from(recipes)
      .where(
        and(eq(recipes.id, recipeId), eq(recipes.organizationId, organizationId), isNull(recipes.archivedAt)),
      )
      .for('update');
    if (!recipe) throw notFound('recipe', 'recipePk');
    const { newest } = takeRow(
      await tx
        .select({ newest: max(recipeVersions.version) })
        .from(recipeVersions)
        .where(eq(recipeVersions.recipeId, recipeId)),
    );
    version = (newest ?? 0) + 1;
    await tx.update(recipes).set({ name }).where(eq(recipes.id, recipeId));
  }
  const row = await insertRow(tx, recipeVersions, {
    recipeId,
    organizationId,
    version,
    name,
    description,
    steps: fillDefaults(steps),
    gates: fillUnits(gates, steps),
    createdBy: userId,
    ...(isReleased ? { status: 'released' as const, releasedBy: userId, releasedAt: new Date() } : {}),
  });
  return versionShape(row, isReleased, context);
}

/** @throws Problem NOT_FOUND also for a version of another organization */
export async function readVersion(
  db: Executor,
  organizationId: string,
  id: string,
  context: ReleaseContext,
): Promise<RecipeVersion> {
  const [found] = await db
    .select({ row: recipeVersions, isLatest })
    .from(recipeVersions)
    .innerJoin(recipes, eq(recipes.id, recipeVersions.recipeId))
    .where(
      and(
        eq(recipeVersions.id, id),
        eq(recipeVersions.organizationId, organizationId),
        isNull(recipes.archivedAt),
      ),
    );
  if (!found) throw notFound('recipe version');
  return versionShape(found.row, found.isLatest, context);
}

/** Id of the previous version; undefined for the first. */
export async function findVersionBefore(
  db: Executor,
  { recipePk, version }: Pick<RecipeVersion, 'recipePk' | 'version'>,
): Promise<string | undefined> {
  const [row] = await db
    .select({ id: recipeVersions.id })
    .from(recipeVersions)
    .where(and(eq(recipeVersions.recipeId, recipePk), lt(recipeVersions.version, version)))
    .orderBy(desc(recipeVersions.version))
    .limit(1);
  return row?.id;
}

export const listRevisions = (
  db: Executor,
  organizationId: string,
  query: ScanRecipeRevisionListQuery,
): Promise<Page<ScanRecipeRevision>> =>
  mapPage(
    readPage(db, query, {
      rows: () => db.select().from(scanRecipeRevisions).$dynamic(),
      where: and(
        eq(scanRecipeRevisions.organizationId, organizationId),
        query.scanRecipePk === undefined
          ? undefined
          : eq(scanRecipeRevisions.scanRecipeId, query.scanRecipePk),
        contains(scanRecipeRevisions.name, query.search),
      ),
      order: byNumber(scanRecipeRevisions, scanRecipeRevisions.revision),
      keyed: (row) => ({ ...row, number: row.revision }),
    }),
    (rows) => rows.map(revisionShape),
  );

/** @throws Problem NOT_FOUND for a scan recipe or analysis recipe of another organization */
export async function insertRevision(
  tx: Transaction,
  organizationId: string,
  userId: string,
  { scanRecipePk, analysisRecipePk, ...values }: ScanRecipeRevisionInput,
): Promise<ScanRecipeRevision> {
  if (analysisRecipePk !== undefined && !(await findRecipe(tx, organizationId, analysisRecipePk)))
    throw notFound('recipe', 'analysisRecipePk');
  let revision = 1;
  if (scanRecipePk !== undefined) {
    // Scan recipes have no row to lock, so an advisory lock gives concurrent revisions different numbers.
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${scanRecipePk}, 0))`);
    const rows = await tx
      .select({ revision: scanRecipeRevisions.revision })
      .from(scanRecipeRevisions)
      .where(
        and(
          eq(scanRecipeRevisions.scanRecipeId, scanRecipePk),
          eq(scanRecipeRevisions.organizationId, organizationId),
        ),
      );
    if (rows.length === 0) throw notFound('scan recipe', 'scanRecipePk');
    revision = Math.max(...rows.map((row) => row.revision)) + 1;
  }
  const row = await insertRow(tx, scanRecipeRevisions, {
    ...values,
    organizationId,
    scanRecipeId: scanRecipePk ?? crypto.randomUUID(),
    revision,
    analysisRecipeId: analysisRecipePk ?? null,
    createdBy: userId,
  });
  return revisionShape(row);
}

/** Newest first. */
export const listInvocations = (
  db: Executor,
  projectId: string,
  query: ProjectInvocationListQuery,
): Promise<Page<InvocationRow>> =>
  readPage(db, query, {
    rows: () => db.select().from(recipeInvocations).$dynamic(),
    where: and(
      eq(recipeInvocations.projectId, projectId),
      query.recipeVersionId === undefined
        ? undefined
        : eq(recipeInvocations.recipeVersionId, query.recipeVersionId),
    ),
    order: byCreation(recipeInvocations),
    keyed: (row) => row,
  });

/** Invocations on projects in these workspaces, except those in the trash, newest first. */
export function listWorkspaceInvocations(
  db: Executor,
  workspaceIds: string[],
  query: RecipeInvocationListQuery,
): Promise<Page<{ row: InvocationRow; projectName: string; bulkRequestId: string | null }>> {
  const given = <Value>(column: PgColumn, value: Value | undefined) =>
    value === undefined ? undefined : eq(column, value);
  return readPage(db, query, {
    rows: () =>
      db
        .select({
          row: recipeInvocations,
          projectName: projects.name,
          bulkRequestId: bulkItems.bulkRequestId,
        })
        .from(recipeInvocations)
        .innerJoin(projects, eq(projects.id, recipeInvocations.projectId))
        .leftJoin(bulkItems, eq(bulkItems.id, recipeInvocations.bulkItemId))
        .$dynamic(),
    where: and(
      among(projects.workspaceId, workspaceIds),
      ne(projects.state, 'deleted'),
      given(recipeInvocations.organizationId, query.organization),
      given(recipeInvocations.recipeId, query.recipePk),
      given(recipeInvocations.recipeVersionId, query.recipeVersionId),
      hasStatus(recipeInvocations.status, query.status),
      given(recipeInvocations.verdict, query.verdict),
    ),
    order: byCreation(recipeInvocations),
    keyed: ({ row }) => row,
  });
}

export async function readInvocation(db: Executor, id: string): Promise<InvocationRow> {
  const [row] = await db.select().from(recipeInvocations).where(eq(recipeInvocations.id, id));
  if (!row) throw notFound('run');
  return row;
}
