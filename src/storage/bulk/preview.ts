/** Previews a bulk request with the same rules as its execution. */

import { setImmediate as otherWork } from 'node:timers/promises';
import type { RecipeStep } from '#contract/analyses/pipeline.ts';
import type { BulkPreview } from '#contract/shapes/bulk-request.ts';
import { among } from '../db/among.ts';
import type { Executor } from '../db/connection.ts';
import { projects } from '../db/schema-projects.ts';
import type { WorkError } from '../db/schema-work.ts';
import {
  isArchived,
  noSuchProject,
  type ProjectChange,
  type ProjectRow,
  planChange,
} from '../projects/decide.ts';
import { disabledReason, missingData } from '../recipes/missing-data.ts';
import { permitted } from './plan.ts';
import type { BulkType } from './requests.ts';
import { noResults, projectsWithResults } from './results.ts';

export interface Proposal {
  type: BulkType;
  projectIds: readonly string[];
  destination?: { id: string; organizationId: string } | undefined;
  tags?: readonly string[] | undefined;
  recipeId?: string | undefined;
  recipeVersionId?: string | undefined;
  /** organization of the recipe, if one is given */
  recipeOrganizationId?: string | undefined;
  /** steps of the version that would run, if one is given */
  recipeSteps?: readonly RecipeStep[] | undefined;
}

/** projects processed before yielding to other work of the process */
const CHUNK = 1000;
const EXAMPLES = 5;

const otherOrganization: WorkError = {
  code: 'NOT_FOUND',
  detail: 'the recipe belongs to another organization than the project',
};

function readChange({ type, destination, tags }: Proposal): ProjectChange | undefined {
  switch (type) {
    case 'archive':
    case 'restore':
    case 'delete':
      return { type };
    case 'addTags':
    case 'removeTags':
      return { type, tags: tags ?? [] };
    case 'move':
      // No destination chosen yet: use one that contains no project.
      return { type, destination: destination ?? { id: '', organizationId: '' } };
    default:
      return undefined;
  }
}

/** Data read from the database for many projects at once. */
interface Known {
  off: WorkError | undefined;
  withResults: ReadonlySet<string>;
  missing: ReadonlyMap<string, WorkError>;
}

/** The reason for refusal; 'keep' when nothing would change; null when the change would be applied. */
function verdictOn(
  proposal: Proposal,
  row: ProjectRow | undefined,
  { off, withResults, missing }: Known,
): WorkError | 'keep' | null {
  const change = readChange(proposal);
  if (change) {
    // Without chosen tags there is nothing to compare.
    if (row && proposal.tags === undefined && (change.type === 'addTags' || change.type === 'removeTags')) {
      if (row.state === 'active') return null;
    }
    const decision = planChange(change, row, new Date());
    if (decision.kind === 'refuse') return decision.error;
    return decision.kind === 'keep' ? 'keep' : null;
  }
  if (!row || row.state === 'deleted') return noSuchProject;
  if (proposal.type === 'downloadResults')
    return withResults.has(row.id) ? null : noResults(proposal.recipeId);
  if (proposal.type === 'runRecipe') {
    if (row.state === 'archived') return isArchived;
    const { recipeOrganizationId } = proposal;
    if (recipeOrganizationId !== undefined && recipeOrganizationId !== row.organizationId)
      return otherOrganization;
    return off ?? missing.get(row.id) ?? null;
  }
  return null;
}

export async function previewBulk(db: Executor, userId: string, proposal: Proposal): Promise<BulkPreview> {
  const { type, projectIds } = proposal;
  const role = type === 'downloadResults' ? 'viewer' : 'editor';
  const reasons = new Map<
    string,
    { error: WorkError; count: number; examples: Map<string, string | null> }
  >();
  const refuse = (error: WorkError, id: string, name: string | null) => {
    const key = `${error.code} ${error.detail}`;
    const reason = reasons.get(key) ?? { error, count: 0, examples: new Map() };
    reason.count += 1;
    if (reason.examples.size < EXAMPLES) reason.examples.set(id, name);
    reasons.set(key, reason);
  };
  const { recipeOrganizationId, recipeSteps = [] } = proposal;
  const off =
    type === 'runRecipe' && recipeOrganizationId !== undefined
      ? await disabledReason(db, recipeOrganizationId, recipeSteps)
      : undefined;
  let [changedCount, unchangedCount] = [0, 0];
  for (let from = 0; from < projectIds.length; from += CHUNK) {
    const ids = projectIds.slice(from, from + CHUNK);
    const { allowed, refused } = await permitted(db, userId, ids, { withDeleted: type === 'restore' }, role);
    const rows = await db.select().from(projects).where(among(projects.id, ids));
    const byId = new Map(rows.map((row) => [row.id, row]));
    const known: Known = {
      off,
      withResults: type === 'downloadResults' ? await projectsWithResults(db, allowed, proposal) : new Set(),
      missing: type === 'runRecipe' ? await missingData(db, allowed, recipeSteps) : new Map(),
    };
    for (const [id, error] of refused)
      refuse(error, id, error.code === 'NOT_FOUND' ? null : (byId.get(id)?.name ?? null));
    for (const id of allowed) {
      const verdict = verdictOn(proposal, byId.get(id), known);
      if (verdict === null) changedCount += 1;
      else if (verdict === 'keep') unchangedCount += 1;
      else refuse(verdict, id, byId.get(id)?.name ?? null);
    }
    await otherWork();
  }
  const refused = [...reasons.values()]
    .toSorted((a, b) => b.count - a.count)
    .map(({ error: { code, detail }, count, examples }) => ({
      code,
      detail,
      count,
      examples: [...examples].map(([projectId, name]) => ({ projectId, name })),
    }));
  return {
    totalCount: projectIds.length,
    changedCount,
    unchangedCount,
    refusedCount: refused.reduce((sum, { count }) => sum + count, 0),
    refused,
  };
}
