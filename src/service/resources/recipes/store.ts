/** Recipe versions and scan recipe revisions in the database: written once, never changed. */
import { and, count, desc, eq, inArray, isNull, max, ne, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { withUnits } from '#contract/analyses/gates.ts';
import { withDefaults } from '#contract/analyses/pipeline.ts';
import type {
  RecipeInvocationListQuery,
  RecipeVersion,
  RecipeVersionInput,
  RecipeVersionListQuery,
  ScanRecipeRevision,
  ScanRecipeRevisionInput,
  ScanRecipeRevisionListQuery,
} from '#contract/shapes/recipe.ts';
import type { Executor, Transaction } from '#storage/db/connection.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { recipeInvocations, recipes, recipeVersions, scanRecipeRevisions } from '#storage/db/schema-work.ts';
import { findRecipeVersion } from '#storage/recipes/invocations.ts';
import { offsetOf, type PageRequest } from '../../http/page.ts';
import { notFound } from '../../http/problem.ts';
import type { InvocationRow } from '../../shapes/invocation-shape.ts';
import { revisionShape, versionShape } from './shapes.ts';

/** `search` anywhere in the column, whatever its case; % and _ mean themselves. */
const contains = (column: PgColumn, search: string | undefined): SQL | undefined =>
  search === undefined || search === '' ? undefined : sql`position(lower(${search}) in lower(${column})) > 0`;

/** Of all versions of a recipe the one with the highest number. */
const isLatest = sql<boolean>`${recipeVersions.version} = (
  select max(other.version) from recipe_versions other where other.recipe_id = ${recipeVersions.recipeId})`;

/** Newest first. */
export async function listVersions(
  db: Executor,
  organizationId: string,
  query: RecipeVersionListQuery,
): Promise<{ count: number; results: RecipeVersion[] }> {
  const condition = and(
    eq(recipeVersions.organizationId, organizationId),
    isNull(recipes.archivedAt),
    query.recipePk === undefined ? undefined : eq(recipeVersions.recipeId, query.recipePk),
    query.isLatest === undefined ? undefined : sql`(${isLatest}) = ${query.isLatest}`,
    contains(recipeVersions.name, query.search),
  );
  const joined = eq(recipes.id, recipeVersions.recipeId);
  const [{ total }] = await db
    .select({ total: count() })
    .from(recipeVersions)
    .innerJoin(recipes, joined)
    .where(condition);
  const rows = await db
    .select({ row: recipeVersions, isLatest })
    .from(recipeVersions)
    .innerJoin(recipes, joined)
    .where(condition)
    .orderBy(desc(recipeVersions.createdAt), desc(recipeVersions.version), desc(recipeVersions.id))
    .limit(query.page_size)
    .offset(offsetOf(query));
  return { count: total, results: rows.map((found) => versionShape(found.row, found.isLatest)) };
}

/**
 * A new recipe, or the next version of one; the defaults of its analyses and the units of its gates are written out, so
 * that it means the same for ever.
 *
 * @throws Problem NOT_FOUND for a recipe that is not of this organization
 */
export async function insertVersion(
  tx: Transaction,
  organizationId: string,
  userId: string,
  { recipePk, name, description, steps, gates }: RecipeVersionInput,
): Promise<RecipeVersion> {
  let version = 1;
  let recipeId = recipePk;
  if (recipeId === undefined) {
    const [made] = await tx
      .insert(recipes)
      .values({ organizationId, name, createdBy: userId })
      .returning({ id: recipes.id });
    recipeId = made.id;
  } else {
    // Locked, so that two revisions at once get numbers of their own.
    const [recipe] = await tx
      .select({ id: recipes.id })
      .from(recipes)
      .where(
        and(eq(recipes.id, recipeId), eq(recipes.organizationId, organizationId), isNull(recipes.archivedAt)),
      )
      .for('update');
    if (!recipe) throw notFound('recipe', 'recipePk');
    const [{ newest }] = await tx
      .select({ newest: max(recipeVersions.version) })
      .from(recipeVersions)
      .where(eq(recipeVersions.recipeId, recipeId));
    version = (newest ?? 0) + 1;
    await tx.update(recipes).set({ name }).where(eq(recipes.id, recipeId));
  }
  const [row] = await tx
    .insert(recipeVersions)
    .values({
      recipeId,
      organizationId,
      version,
      name,
      description,
      steps: withDefaults(steps),
      gates: withUnits(gates, steps),
      createdBy: userId,
    })
    .returning();
  return versionShape(row, true);
}

/** Newest first. */
export async function listRevisions(
  db: Executor,
  organizationId: string,
  query: ScanRecipeRevisionListQuery,
): Promise<{ count: number; results: ScanRecipeRevision[] }> {
  const condition = and(
    eq(scanRecipeRevisions.organizationId, organizationId),
    query.scanRecipePk === undefined ? undefined : eq(scanRecipeRevisions.scanRecipeId, query.scanRecipePk),
    contains(scanRecipeRevisions.name, query.search),
  );
  const [{ total }] = await db.select({ total: count() }).from(scanRecipeRevisions).where(condition);
  const rows = await db
    .select()
    .from(scanRecipeRevisions)
    .where(condition)
    .orderBy(
      desc(scanRecipeRevisions.createdAt),
      desc(scanRecipeRevisions.revision),
      desc(scanRecipeRevisions.id),
    )
    .limit(query.page_size)
    .offset(offsetOf(query));
  return { count: total, results: rows.map(revisionShape) };
}

/** @throws Problem NOT_FOUND for a scan recipe, or an analysis recipe, that is not of this organization */
export async function insertRevision(
  tx: Transaction,
  organizationId: string,
  userId: string,
  { scanRecipePk, analysisRecipePk, ...values }: ScanRecipeRevisionInput,
): Promise<ScanRecipeRevision> {
  if (analysisRecipePk !== undefined && !(await findRecipeVersion(tx, organizationId, analysisRecipePk)))
    throw notFound('recipe', 'analysisRecipePk');
  let revision = 1;
  if (scanRecipePk !== undefined) {
    // Scan recipes have no row of their own to lock; two revisions at once still get numbers of their own.
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
  const [row] = await tx
    .insert(scanRecipeRevisions)
    .values({
      ...values,
      organizationId,
      scanRecipeId: scanRecipePk ?? crypto.randomUUID(),
      revision,
      analysisRecipeId: analysisRecipePk ?? null,
      createdBy: userId,
    })
    .returning();
  return revisionShape(row);
}

/** Newest first. */
export async function listInvocations(
  db: Executor,
  projectId: string,
  page: PageRequest,
): Promise<{ count: number; results: InvocationRow[] }> {
  const condition = eq(recipeInvocations.projectId, projectId);
  const [{ total }] = await db.select({ total: count() }).from(recipeInvocations).where(condition);
  const results = await db
    .select()
    .from(recipeInvocations)
    .where(condition)
    .orderBy(desc(recipeInvocations.createdAt), desc(recipeInvocations.id))
    .limit(page.page_size)
    .offset(offsetOf(page));
  return { count: total, results };
}

/** Of all projects in these workspaces but those in the trash, the newest first. */
export async function listInvocationsOf(
  db: Executor,
  workspaceIds: string[],
  query: RecipeInvocationListQuery,
): Promise<{ count: number; results: { row: InvocationRow; projectName: string }[] }> {
  if (workspaceIds.length === 0) return { count: 0, results: [] };
  const given = <Value>(column: PgColumn, value: Value | undefined) =>
    value === undefined ? undefined : eq(column, value);
  const condition = and(
    inArray(projects.workspaceId, workspaceIds),
    ne(projects.state, 'deleted'),
    given(recipeInvocations.organizationId, query.organization),
    given(recipeInvocations.recipeId, query.recipePk),
    given(recipeInvocations.status, query.status),
    given(recipeInvocations.verdict, query.verdict),
  );
  const joined = eq(projects.id, recipeInvocations.projectId);
  const [{ total }] = await db
    .select({ total: count() })
    .from(recipeInvocations)
    .innerJoin(projects, joined)
    .where(condition);
  const results = await db
    .select({ row: recipeInvocations, projectName: projects.name })
    .from(recipeInvocations)
    .innerJoin(projects, joined)
    .where(condition)
    .orderBy(desc(recipeInvocations.createdAt), desc(recipeInvocations.id))
    .limit(query.page_size)
    .offset(offsetOf(query));
  return { count: total, results };
}

export async function readInvocation(db: Executor, id: string): Promise<InvocationRow> {
  const [row] = await db.select().from(recipeInvocations).where(eq(recipeInvocations.id, id));
  if (!row) throw notFound('recipe invocation');
  return row;
}
