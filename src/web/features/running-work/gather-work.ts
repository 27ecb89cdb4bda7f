/** Merges waiting and running work of all kinds into one list. Pure. */
import { findTitle } from '#contract/analyses/registry.ts';
import type { WorkStatus } from '#contract/base/primitives.ts';
import type {
  BulkRequestPage,
  ListedExportPage,
  ListedRecipeInvocationPage,
  OperationPage,
} from '#web/api/generated/types.gen.ts';
import { bulkWords, countProjects } from '#web/ui/bulk-words.ts';
import { spellOut } from '#web/ui/quantity.ts';
import type { Times } from '#web/ui/work-time.ts';

export interface WorkRow extends Times {
  kind: 'operation' | 'run' | 'export' | 'bulk';
  id: string;
  title: string;
  /** null for work on several projects */
  projectId: string | null;
  /** the subject of the work: the project's name if known, or the number of projects */
  subject: string | null;
  /** the page that shows it */
  to: string;
  /** actions on the project; whoever may perform one of them may stop the work. Empty if only the requester may */
  needs: readonly string[];
  status: WorkStatus;
  progress: number;
  stage: string | null;
}

/** The unfinished work of each kind; undefined = not loaded yet. */
export interface UnfinishedPages {
  operations: OperationPage | undefined;
  runs: ListedRecipeInvocationPage | undefined;
  exports: ListedExportPage | undefined;
  bulkRequests: BulkRequestPage | undefined;
}

type Operation = OperationPage['results'][number];
type Run = ListedRecipeInvocationPage['results'][number];

const operationRow = (each: Operation): WorkRow => ({
  ...each,
  kind: 'operation',
  title: findTitle(each.operation) ?? spellOut(each.operation),
  subject: null,
  to: `/projects/${each.projectId}`,
  needs: [each.operation, 'edit'],
});

const runRow = (each: Run): WorkRow => ({
  ...each,
  kind: 'run',
  title: each.recipeName === null ? 'Pipeline' : `${each.recipeName}, version ${each.version}`,
  subject: each.projectName,
  to: `/recipes/runs/${each.id}`,
  needs: ['edit'],
  stage: null,
});

const exportRow = (each: ListedExportPage['results'][number]): WorkRow => ({
  ...each,
  kind: 'export',
  title: each.config.report ? 'Report' : 'Export',
  subject: each.projectName,
  to: `/projects/${each.projectId}?tab=exports`,
  needs: [],
  startedAt: null,
  finishedAt: null,
});

const bulkRow = (each: BulkRequestPage['results'][number]): WorkRow => ({
  ...each,
  kind: 'bulk',
  title: bulkWords[each.operationType].action,
  projectId: null,
  subject: countProjects(each.totalCount),
  to: `/bulk/${each.id}`,
  needs: [],
  stage: null,
});

const urgency: readonly WorkStatus[] = ['processing', 'cancelling', 'pending'];

/**
 * Running work first, then by age. A step of a run has no row of its own, nor has a run of a bulk request: the parent
 * shows the progress.
 * @returns count of all work, including that beyond the loaded pages
 */
export function gatherWork(pages: UnfinishedPages): { rows: WorkRow[]; count: number } {
  const { operations, runs, exports, bulkRequests } = pages;
  const runIds = new Set(runs?.results.map(({ id }) => id));
  const isStep = ({ invocationId }: Operation) => invocationId !== null && runIds.has(invocationId);
  const bulkIds = new Set(bulkRequests?.results.map(({ id }) => id));
  const isItem = ({ bulkRequestId }: Run) => bulkRequestId !== null && bulkIds.has(bulkRequestId);
  const parts = (operations?.results.filter(isStep).length ?? 0) + (runs?.results.filter(isItem).length ?? 0);
  const rows = [
    ...(operations?.results.filter((each) => !isStep(each)).map(operationRow) ?? []),
    ...(runs?.results.filter((each) => !isItem(each)).map(runRow) ?? []),
    ...(exports?.results.map(exportRow) ?? []),
    ...(bulkRequests?.results.map(bulkRow) ?? []),
  ].sort(
    (a, b) =>
      urgency.indexOf(a.status) - urgency.indexOf(b.status) ||
      Date.parse(a.createdAt) - Date.parse(b.createdAt),
  );
  const counts = [operations, runs, exports, bulkRequests].map((page) => page?.count ?? 0);
  return { rows, count: counts.reduce((sum, count) => sum + count, 0) - parts };
}
