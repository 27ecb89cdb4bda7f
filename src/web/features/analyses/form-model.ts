/** Values and errors of a form whose fields are the parameters of an analysis. Pure. */
import type { z } from 'zod';
import type { Field } from '#contract/analyses/fields.ts';
import { capitalised, formatGiven } from '#contract/base/format-number.ts';

/** Values by field path, joined with dots; `undefined` = left out. */
export type FormValues = Record<string, unknown>;
export type FormErrors = Record<string, string>;

/** The defaults, overridden by `given` parameters (of an earlier run). */
export function initialValues(fields: readonly Field[], given: Record<string, unknown> = {}): FormValues {
  const values: FormValues = {};
  for (const field of fields) {
    let value: unknown = given;
    for (const name of field.path)
      value =
        typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
    values[field.key] = value ?? field.default;
  }
  return values;
}

export const isShown = (field: Field, values: FormValues): boolean =>
  field.onlyWhen === null || field.onlyWhen.values.includes(values[field.onlyWhen.key]);

/** The parameters to send: visible, non-empty fields, nested again. */
export function toParameters(fields: readonly Field[], values: FormValues): Record<string, unknown> {
  const parameters: Record<string, unknown> = {};
  for (const field of fields) {
    const value = values[field.key];
    if (value === undefined || value === null || value === '' || !isShown(field, values)) continue;
    let target = parameters;
    for (const name of field.path.slice(0, -1)) {
      target[name] ??= {};
      target = target[name] as Record<string, unknown>;
    }
    target[field.path.at(-1) ?? field.key] = value;
  }
  return parameters;
}

/** The limits in words, for the line below a number: “above 0 mm”, “0 to 5 voxels”; null without limits. */
export function describeLimits(field: Field): string | null {
  if (field.kind !== 'number') return null;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = field.limits;
  if (minimum !== null && maximum !== null && !exclusiveMinimum && !exclusiveMaximum)
    return `${formatGiven(minimum)} to ${formatGiven(maximum, field.unit)}`;
  const parts: string[] = [];
  if (minimum !== null)
    parts.push(`${exclusiveMinimum ? 'above' : 'at least'} ${formatGiven(minimum, field.unit)}`);
  if (maximum !== null)
    parts.push(`${exclusiveMaximum ? 'below' : 'at most'} ${formatGiven(maximum, field.unit)}`);
  return parts.length > 0 ? parts.join(', ') : null;
}

/** Describes one issue of the schema for the user. */
function explainIssue(issue: z.core.$ZodIssue, field: Field | undefined): string {
  if (issue.code === 'custom')
    return field?.kind === 'box' ? 'Each “to” must be greater than its “from”' : capitalised(issue.message);
  const limits = field ? describeLimits(field) : null;
  if ((issue.code === 'too_small' || issue.code === 'too_big') && limits) return `Must be ${limits}`;
  if (issue.code === 'too_small' && field?.kind === 'choices') return 'Choose at least one';
  if (issue.code === 'invalid_union' && field?.kind === 'number' && limits)
    return `Must be ${limits}${field.word === null ? '' : `, or empty for “${field.word}”`}`;
  if (issue.code === 'invalid_type' && field?.kind === 'number')
    return field.integer ? 'Must be a whole number' : 'Must be a number';
  if (issue.code === 'invalid_type' && field?.kind === 'dataObject') return 'Choose a data object';
  if (field?.kind === 'box') return 'Six numbers, or none: from and to along x, y and z';
  if (field?.kind === 'numbers')
    return field.length === null ? 'Must be numbers' : `Must be ${field.length} numbers`;
  return capitalised(issue.message);
}

/** Errors by field; those of no field are under ''. */
export function findErrors(schema: z.ZodType, fields: readonly Field[], values: FormValues): FormErrors {
  const result = schema.safeParse(toParameters(fields, values));
  const errors: FormErrors = {};
  for (const issue of result.error?.issues ?? []) {
    const path = issue.path.map(String);
    const field = fields.find((candidate) => candidate.path.every((name, i) => path[i] === name));
    const key = field?.key ?? '';
    errors[key] ??= explainIssue(issue, field);
  }
  return errors;
}

/** Assigns problems from the service to the form's fields by their path. */
export function errorsFromService(
  fields: readonly Field[],
  problem: { detail: string; field?: string; errors?: { field: string; detail: string }[] },
): FormErrors {
  const errors: FormErrors = {};
  const named = problem.errors ?? (problem.field ? [{ field: problem.field, detail: problem.detail }] : []);
  for (const { field: path, detail } of named) {
    const field = fields.find(({ key }) => path === key || path.startsWith(`${key}.`));
    errors[field?.key ?? ''] ??= capitalised(detail);
  }
  if (named.length === 0) errors[''] = problem.detail;
  return errors;
}
