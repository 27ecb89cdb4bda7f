import type { Executor } from '#storage/db/connection.ts';
import { findRecipe, findRecipeVersion, type RecipeVersionRow } from '#storage/recipes/invocations.ts';
import { notFound, Problem } from '../http/problem.ts';

/**
 * The version of a recipe to run: the given one, or else the newest released version.
 *
 * @throws Problem NOT_FOUND; CONFLICT when all versions of the recipe are drafts
 */
export async function requireVersion(
  db: Executor,
  organizationId: string,
  recipePk: string,
  recipeVersionId: string | undefined,
): Promise<RecipeVersionRow> {
  const recipe = await findRecipe(db, organizationId, recipePk);
  if (!recipe) throw notFound('recipe', 'recipePk');
  const version = await findRecipeVersion(db, recipe.id, recipeVersionId);
  if (version) return version;
  if (recipeVersionId !== undefined) throw notFound('version of this recipe', 'recipeVersionId');
  throw new Problem(
    'CONFLICT',
    `no version of “${recipe.name}” is released: release one, or name a draft as recipeVersionId to try it`,
    { field: 'recipePk' },
  );
}
