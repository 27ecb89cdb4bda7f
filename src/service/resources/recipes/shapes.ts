/** Rows of recipes as the contract shows them. */
import type { RecipeStep } from '#contract/analyses/pipeline.ts';
import type { RecipeVersion, ScanRecipeRevision } from '#contract/shapes/recipe.ts';
import type { recipeVersions, scanRecipeRevisions } from '#storage/db/schema-work.ts';

type VersionRow = typeof recipeVersions.$inferSelect;
type RevisionRow = typeof scanRecipeRevisions.$inferSelect;

export const versionShape = (row: VersionRow, isLatest: boolean): RecipeVersion => ({
  id: row.id,
  recipePk: row.recipeId,
  name: row.name,
  description: row.description,
  version: row.version,
  isLatest,
  steps: row.steps as RecipeStep[],
  gates: row.gates,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
});

export const revisionShape = (row: RevisionRow): ScanRecipeRevision => ({
  id: row.id,
  scanRecipePk: row.scanRecipeId,
  name: row.name,
  revision: row.revision,
  scanner: row.scanner ?? '',
  acquisition: row.acquisition,
  geometry: row.geometry,
  analysisRecipePk: row.analysisRecipeId,
  createdAt: row.createdAt.toISOString(),
});
