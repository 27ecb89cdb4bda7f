/** One operation: an import or an analysis. */
import { ingest } from '../ingest/ingest.ts';
import { completeWith } from '../results/write-results.ts';
import type { OperationWork, Outcome } from '../work/work.ts';
import { runAnalysisOperation } from './run-analysis.ts';

export async function runOperation(work: OperationWork): Promise<Outcome> {
  if (work.row.operation === 'ingest') return ingest(work);
  return completeWith(work, await runAnalysisOperation(work));
}
