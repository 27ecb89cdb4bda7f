/** Releases recipe versions; only runs of released versions count towards verdicts. */

import { eq } from 'drizzle-orm';
import { defaultRecipeRelease, RecipeRelease } from '#contract/shapes/organization.ts';
import type { Executor, Transaction } from '../db/connection.ts';
import { organizations } from '../db/schema-accounts.ts';
import { recipeInvocations, recipeVersions } from '../db/schema-work.ts';
import { takeRow } from '../db/take-row.ts';
import { lockProjects } from '../projects/change-projects.ts';
import { recomputeVerdicts } from '../verdicts/recompute-verdicts.ts';

/** @param settings settings of the organization */
export function readRecipeRelease(settings: object): RecipeRelease {
  const found = 'recipeRelease' in settings ? settings.recipeRelease : undefined;
  return RecipeRelease.safeParse(found).data ?? defaultRecipeRelease;
}

export async function findRecipeRelease(db: Executor, organizationId: string): Promise<RecipeRelease> {
  const [row] = await db
    .select({ settings: organizations.settings })
    .from(organizations)
    .where(eq(organizations.id, organizationId));
  return readRecipeRelease(row?.settings ?? {});
}

/** Releases a draft, or turns a released version back into a draft; recomputes verdicts. */
export async function changeRelease(
  tx: Transaction,
  versionId: string,
  releasedBy: string | null,
): Promise<typeof recipeVersions.$inferSelect> {
  const row = takeRow(
    await tx
      .update(recipeVersions)
      .set(
        releasedBy === null
          ? { status: 'draft', releasedBy: null, releasedAt: null }
          : { status: 'released', releasedBy, releasedAt: new Date() },
      )
      .where(eq(recipeVersions.id, versionId))
      .returning(),
  );
  const ran = await tx
    .selectDistinct({ id: recipeInvocations.projectId })
    .from(recipeInvocations)
    .where(eq(recipeInvocations.recipeVersionId, versionId));
  const ids = ran.map(({ id }) => id);
  await lockProjects(tx, ids);
  await recomputeVerdicts(tx, ids);
  return row;
}
