import { type AnalysisKind, getAnalysis } from '#contract/analyses/registry.ts';
import type { Executor } from '#storage/db/connection.ts';
import { disabledAnalyses } from '#storage/recipes/invocations.ts';
import { Problem } from '../http/problem.ts';

/** @throws Problem MODULE_NOT_ENABLED for the first analysis whose module is disabled */
export async function requireModules(
  db: Executor,
  organizationId: string,
  kinds: readonly AnalysisKind[],
): Promise<void> {
  const [off] = await disabledAnalyses(db, organizationId, kinds);
  if (off === undefined) return;
  throw new Problem(
    'MODULE_NOT_ENABLED',
    `the module ${getAnalysis(off).module.name} is off for this organization; a manager can switch it on`,
  );
}
