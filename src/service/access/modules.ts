import { type AnalysisKind, analysisFacts, analysisModules } from '#contract/analyses/kinds.ts';
import type { Executor } from '#storage/db/connection.ts';
import { disabledAnalyses } from '#storage/recipes/invocations.ts';
import { Problem } from '../http/problem.ts';

/** @throws Problem MODULE_NOT_ENABLED for the first of the analyses whose module is off */
export async function requireModules(
  db: Executor,
  organizationId: string,
  kinds: readonly AnalysisKind[],
): Promise<void> {
  const [off] = await disabledAnalyses(db, organizationId, kinds);
  if (off === undefined) return;
  const key = analysisFacts[off].module;
  const name = analysisModules.find((module) => module.key === key)?.name ?? key;
  throw new Problem(
    'MODULE_NOT_ENABLED',
    `the module ${name} is off for this organization; a manager can switch it on`,
  );
}
