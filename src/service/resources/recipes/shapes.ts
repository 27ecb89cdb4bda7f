/** Converts rows of recipes to the contract's shapes. */
import type { RecipeStep } from '#contract/analyses/pipeline.ts';
import { type RecipeRelease, reasonAgainstRelease } from '#contract/shapes/organization.ts';
import type { RecipeVersion, ScanRecipeRevision } from '#contract/shapes/recipe.ts';
import type { recipeVersions, scanRecipeRevisions } from '#storage/db/schema-work.ts';

type VersionRow = typeof recipeVersions.$inferSelect;
type RevisionRow = typeof scanRecipeRevisions.$inferSelect;

/** The caller, and the organization's rule for releasing versions. */
export interface ReleaseContext {
  release: RecipeRelease;
  isManager: boolean;
  userId: string;
}

export const versionShape = (
  row: VersionRow,
  isLatest: boolean,
  { release, isManager, userId }: ReleaseContext,
): RecipeVersion => ({
  id: row.id,
  recipePk: row.recipeId,
  name: row.name,
  description: row.description,
  version: row.version,
  isLatest,
  status: row.status,
  steps: row.steps as RecipeStep[],
  gates: row.gates,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  releasedBy: row.releasedBy,
  releasedAt: row.releasedAt?.toISOString() ?? null,
  mayRelease: mayRelease(row, { release, isManager, userId }),
});

function mayRelease(row: VersionRow, { release, isManager, userId }: ReleaseContext) {
  const isAuthor = row.createdBy === userId;
  const reason =
    row.status === 'released'
      ? 'It is released already.'
      : reasonAgainstRelease(release, { isManager, isAuthor });
  return { allowed: reason === null, reason };
}

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
