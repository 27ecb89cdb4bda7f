/** The parameters of an operation in words. Pure. */
import { describeParameters } from '#contract/analyses/fields.ts';
import { findAnalysis } from '#contract/analyses/registry.ts';
import { type ValueRow, valueRows } from '#web/ui/value-rows.ts';

/** Labelled as in the form; parameters without a form are spelled out. */
export function parameterRows(
  operation: string,
  parameters: Record<string, unknown>,
  getName: (dataObjectId: string) => string | null,
): ValueRow[] {
  const analysis = findAnalysis(operation);
  return analysis ? describeParameters(analysis, parameters, getName) : valueRows(parameters);
}
