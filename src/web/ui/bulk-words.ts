/** Labels for each kind of bulk request: as an action, while running, and when finished. */

import { formatCount } from '#contract/base/format-number.ts';
import { type BulkRequest, listVerdicts } from '#contract/shapes/bulk-request.ts';

type BulkType = BulkRequest['operationType'];

interface Words {
  action: string;
  doing: string;
  done: string;
}

export const bulkWords: Record<BulkType, Words> = {
  archive: { action: 'Archive', doing: 'Archiving', done: 'archived' },
  restore: { action: 'Restore', doing: 'Restoring', done: 'restored' },
  delete: { action: 'Delete', doing: 'Deleting', done: 'moved to the trash' },
  move: { action: 'Move', doing: 'Moving', done: 'moved' },
  copy: { action: 'Copy', doing: 'Copying', done: 'copied' },
  addTags: { action: 'Add tags', doing: 'Tagging', done: 'tagged' },
  removeTags: { action: 'Remove tags', doing: 'Untagging', done: 'untagged' },
  runRecipe: { action: 'Run recipe', doing: 'Running the recipe on', done: 'went through the recipe' },
  downloadResults: { action: 'Download results', doing: 'Packing', done: 'packed' },
};

export const countProjects = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? 'project' : 'projects'}`;

/** `247 projects archived, 2 failed, 1 stopped`; for a recipe its verdicts: `5 pass · 1 fail · 1 could not run` */
export function describeOutcome(
  request: Pick<
    BulkRequest,
    'operationType' | 'completedCount' | 'failedCount' | 'cancelledCount' | 'verdicts'
  >,
): string {
  const { operationType, completedCount, failedCount, cancelledCount, verdicts } = request;
  if (verdicts) {
    const words = listVerdicts({ completedCount, cancelledCount, verdicts });
    if (words.length > 0) return words.join(' · ');
  }
  return [
    completedCount > 0 || failedCount + cancelledCount === 0
      ? `${countProjects(completedCount)} ${bulkWords[operationType].done}`
      : null,
    failedCount > 0 ? `${formatCount(failedCount)} failed` : null,
    cancelledCount > 0 ? `${formatCount(cancelledCount)} stopped` : null,
  ]
    .filter((words) => words !== null)
    .join(', ');
}

/** The parameters in a few words: the tags or the recipe. */
export function describeParameters({ parameters }: Pick<BulkRequest, 'parameters'>): string {
  const { tags, recipeName, recipeVersion } = parameters;
  if (Array.isArray(tags)) return tags.join(', ');
  if (typeof recipeName === 'string') return `${recipeName} · version ${String(recipeVersion)}`;
  return '';
}
