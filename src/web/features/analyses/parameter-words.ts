/** What an analysis was given, in the words of its form. Pure. */
import { analysisKinds } from '#contract/analyses/kinds.ts';
import { analysisParameters } from '#contract/analyses/parameters.ts';
import { spellOut } from '#web/ui/quantity.ts';
import { type ValueRow, valueRows } from '#web/ui/value-rows.ts';
import { type Field, fieldsOf } from './form-model.ts';
import { kindPages } from './kinds/registry.ts';

const valueAt = (parameters: Record<string, unknown>, { path }: Field): unknown => {
  let value: unknown = parameters;
  for (const name of path)
    value =
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return value;
};

/**
 * A row for each parameter that was given, in the order of the form: its title, its value with its unit, choices in words,
 * data objects by name. What no form is known of is spelled out.
 *
 * @param nameOf a data object; null = it is no longer there
 */
export function parameterRows(
  operation: string,
  parameters: Record<string, unknown>,
  nameOf: (dataObjectId: string) => string | null,
): ValueRow[] {
  const kind = analysisKinds.find((each) => each === operation);
  if (!kind) return valueRows(parameters);
  const words = kindPages[kind]?.labels ?? {};
  return fieldsOf(analysisParameters[kind]).flatMap((field): ValueRow[] => {
    const value = valueAt(parameters, field);
    if (value === undefined || value === null) return [];
    const label = field.title;
    const inWords = (each: unknown) =>
      words[field.key]?.[String(each)] ?? (typeof each === 'string' ? spellOut(each) : String(each));
    switch (field.kind) {
      case 'dataObject':
        return [{ label, value: nameOf(String(value)) ?? 'no longer in the project' }];
      case 'choice':
        return [{ label, value: inWords(value) }];
      case 'choices':
        return [{ label, value: Array.isArray(value) ? value.map(inWords).join(', ') || 'none' : '–' }];
      case 'number': {
        if (typeof value !== 'number') return [{ label, value: String(value) }];
        const unit = field.unit === null ? '' : field.unit === '°' ? '°' : `\u2009${field.unit}`;
        return [{ label, value: `${value.toLocaleString('en', { maximumFractionDigits: 9 })}${unit}` }];
      }
      default: {
        const rows = valueRows({ [field.path.at(-1) ?? field.key]: value });
        return rows.length === 1 ? [{ label, value: rows[0].value }] : rows;
      }
    }
  });
}
