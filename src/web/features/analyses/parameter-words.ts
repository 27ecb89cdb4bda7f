/** What an operation was given, in words. Pure. */
import { describeParameters } from '#contract/analyses/fields.ts';
import { findAnalysis } from '#contract/analyses/registry.ts';
import { type ValueRow, valueRows } from '#web/ui/value-rows.ts';

/** In the words of the form; what no form is known of is spelled out. */
export function parameterRows(
  operation: string,
  parameters: Record<string, unknown>,
  getName: (dataObjectId: string) => string | null,
): ValueRow[] {
  const analysis = findAnalysis(operation);
  return analysis ? describeParameters(analysis, parameters, getName) : valueRows(parameters);
}
