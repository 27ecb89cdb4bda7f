/**
 * From a schema of the contract to the fields of a form: title, unit, limits, default and condition of each
 * are read off the schema, so that a new parameter needs nothing here.
 */
import { z } from 'zod';
import { Uuid } from '#contract/shapes/primitives.ts';
import { capitalised, spellOut } from '#web/ui/quantity.ts';

export type FieldPath = readonly string[];
/** Values by the field's path, joined with dots; `undefined` = left out. */
export type FormValues = Record<string, unknown>;
export type FormErrors = Record<string, string>;

interface FieldFacts {
  path: FieldPath;
  /** path joined with dots */
  key: string;
  title: string;
  description: string | null;
  unit: string | null;
  advanced: boolean;
  required: boolean;
  default: unknown;
  /** shown only while another field has one of these values */
  onlyWhen: { key: string; values: readonly unknown[] } | null;
}

export interface NumberLimits {
  minimum: number | null;
  maximum: number | null;
  /** the limit itself is not allowed */
  exclusiveMinimum: boolean;
  exclusiveMaximum: boolean;
}

type Control =
  /** `word`: what may stand there instead of a number, and stands for an empty field */
  | { kind: 'number'; integer: boolean; limits: NumberLimits; word: string | null }
  | { kind: 'choice'; options: readonly string[] }
  | { kind: 'choices'; options: readonly string[] }
  | { kind: 'switch' }
  | { kind: 'text' }
  | { kind: 'dataObject' }
  | { kind: 'box' }
  | { kind: 'numbers'; length: number | null }
  | { kind: 'json' };

export type Field = FieldFacts & Control;

interface JsonSchema {
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  type?: string;
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema | boolean;
  prefixItems?: JsonSchema[];
  minItems?: number;
  maxItems?: number;
  'x-unit'?: string;
  'x-advanced'?: boolean;
}

const isNumberTriple = (schema: JsonSchema | undefined): boolean =>
  schema?.prefixItems?.length === 3 && schema.prefixItems.every((item) => item.type === 'number');

/** The control that fits a schema; null for an object whose fields stand on their own. */
function controlOf(schema: JsonSchema): Control | null {
  if (schema.enum?.every((value) => typeof value === 'string'))
    return { kind: 'choice', options: schema.enum as string[] };
  if (schema.type === 'number' || schema.type === 'integer') {
    const limits: NumberLimits = {
      minimum: schema.minimum ?? schema.exclusiveMinimum ?? null,
      maximum: schema.maximum ?? schema.exclusiveMaximum ?? null,
      exclusiveMinimum: schema.minimum === undefined && schema.exclusiveMinimum !== undefined,
      exclusiveMaximum: schema.maximum === undefined && schema.exclusiveMaximum !== undefined,
    };
    // The safe range of integers is no limit that anybody needs to read.
    if (limits.minimum !== null && Math.abs(limits.minimum) === Number.MAX_SAFE_INTEGER)
      limits.minimum = null;
    if (limits.maximum !== null && Math.abs(limits.maximum) === Number.MAX_SAFE_INTEGER)
      limits.maximum = null;
    return { kind: 'number', integer: schema.type === 'integer', limits, word: null };
  }
  if (schema.anyOf?.length === 2 && typeof schema.anyOf[0].const === 'string') {
    const number = controlOf(schema.anyOf[1]);
    if (number?.kind === 'number') return { ...number, word: schema.anyOf[0].const };
  }
  if (schema.type === 'boolean') return { kind: 'switch' };
  if (schema.type === 'string') return { kind: schema.format === 'uuid' ? 'dataObject' : 'text' };
  if (schema.type === 'array' && typeof schema.items === 'object') {
    if (schema.items.enum?.every((value) => typeof value === 'string'))
      return { kind: 'choices', options: schema.items.enum as string[] };
    if (schema.items.type === 'number' || schema.items.type === 'integer') {
      const length = schema.minItems === schema.maxItems ? (schema.minItems ?? null) : null;
      return { kind: 'numbers', length };
    }
  }
  if (schema.type === 'object' && schema.properties) {
    const { min, max, ...others } = schema.properties;
    if (isNumberTriple(min) && isNumberTriple(max) && Object.keys(others).length === 0)
      return { kind: 'box' };
    return null;
  }
  return { kind: 'json' };
}

function collect(
  schema: JsonSchema,
  definitions: Record<string, JsonSchema>,
  path: FieldPath,
  inherited: { advanced: boolean; default: unknown; required: boolean; title: string | null },
  into: Field[],
): void {
  const resolved: JsonSchema = schema.$ref
    ? { ...definitions[schema.$ref.replace('#/$defs/', '')], ...schema, $ref: undefined }
    : schema;
  const advanced = inherited.advanced || resolved['x-advanced'] === true;
  const preset = inherited.default ?? resolved.default;
  const control = path.length === 0 ? null : controlOf(resolved);
  if (control) {
    into.push({
      ...control,
      path,
      key: path.join('.'),
      title: resolved.title ?? inherited.title ?? spellOut(path[path.length - 1]),
      // What every id says of itself says nothing of this one.
      description: resolved.description === Uuid.description ? null : (resolved.description ?? null),
      unit: resolved['x-unit'] ?? null,
      advanced,
      required: inherited.required && preset === undefined,
      default: preset,
      onlyWhen: null,
    });
    return;
  }
  const presets = (preset ?? {}) as Record<string, unknown>;
  for (const [name, property] of Object.entries(resolved.properties ?? {})) {
    collect(
      property,
      definitions,
      [...path, name],
      {
        advanced,
        default: presets[name],
        required: (path.length === 0 || inherited.required) && (resolved.required ?? []).includes(name),
        title: null,
      },
      into,
    );
  }
}

/** Something that a required field could hold, for asking the schema about the others. */
function anyValueOf(field: Field): unknown {
  switch (field.kind) {
    case 'dataObject':
      return '00000000-0000-4000-8000-000000000000';
    case 'number':
      return (field.limits.minimum ?? 0) + (field.limits.exclusiveMinimum ? 1 : 0);
    case 'choice':
      return field.options[0];
    case 'choices':
      return [field.options[0]];
    case 'switch':
      return false;
    case 'numbers':
      return Array.from({ length: field.length ?? 1 }, () => 0);
    default:
      return undefined;
  }
}

/**
 * A field that the schema demands for some values of a choice beside it, and not for others, belongs to those
 * values alone. Found by asking: the schema is given each value of the choice without the field.
 */
function findConditions(schema: z.ZodType, fields: Field[]): void {
  const start: FormValues = Object.fromEntries(
    fields.map((field) => [field.key, field.default ?? (field.required ? anyValueOf(field) : undefined)]),
  );
  for (const choice of fields) {
    if (choice.kind !== 'choice') continue;
    const room = choice.path.slice(0, -1).join('.');
    const demanded = new Map<string, string[]>();
    for (const value of choice.options) {
      const result = schema.safeParse(toParameters(fields, { ...start, [choice.key]: value }));
      for (const issue of result.error?.issues ?? []) {
        const key = issue.path.join('.');
        demanded.set(key, [...(demanded.get(key) ?? []), value]);
      }
    }
    for (const field of fields) {
      const values = demanded.get(field.key);
      const beside = field.path.slice(0, -1).join('.') === room;
      if (field !== choice && values && beside && values.length < choice.options.length && !field.onlyWhen)
        field.onlyWhen = { key: choice.key, values };
    }
  }
}

/** The fields of `schema`, in its order. */
export function fieldsOf(schema: z.ZodType): Field[] {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  const fields: Field[] = [];
  collect(
    json,
    json.$defs ?? {},
    [],
    { advanced: false, default: undefined, required: true, title: null },
    fields,
  );
  findConditions(schema, fields);
  return fields;
}

/** The defaults, with `given` parameters (of an earlier run) in their place. */
export function initialValues(fields: Field[], given: Record<string, unknown> = {}): FormValues {
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

/** What is sent: shown fields that hold something, nested again. */
export function toParameters(fields: Field[], values: FormValues): Record<string, unknown> {
  const parameters: Record<string, unknown> = {};
  for (const field of fields) {
    const value = values[field.key];
    if (value === undefined || value === null || value === '' || !isShown(field, values)) continue;
    let target = parameters;
    for (const name of field.path.slice(0, -1)) {
      target[name] ??= {};
      target = target[name] as Record<string, unknown>;
    }
    target[field.path[field.path.length - 1]] = value;
  }
  return parameters;
}

const withUnit = (value: number, unit: string | null): string =>
  unit === null ? grouped(value) : unit === '°' ? `${value}°` : `${grouped(value)}\u2009${unit}`;
const grouped = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 9 });

/** The limits in words, for the line under a number: “above 0 mm”, “0 to 5 voxels”; null without any. */
export function limitsInWords(field: Field): string | null {
  if (field.kind !== 'number') return null;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = field.limits;
  if (minimum !== null && maximum !== null && !exclusiveMinimum && !exclusiveMaximum)
    return `${withUnit(minimum, null)} to ${withUnit(maximum, field.unit)}`;
  const parts: string[] = [];
  if (minimum !== null)
    parts.push(`${exclusiveMinimum ? 'above' : 'at least'} ${withUnit(minimum, field.unit)}`);
  if (maximum !== null)
    parts.push(`${exclusiveMaximum ? 'below' : 'at most'} ${withUnit(maximum, field.unit)}`);
  return parts.length > 0 ? parts.join(', ') : null;
}

/** One issue of the schema as a sentence for the person at the field. */
function inWords(issue: z.core.$ZodIssue, field: Field | undefined): string {
  if (issue.code === 'custom')
    return field?.kind === 'box' ? 'Each “to” must be greater than its “from”' : capitalised(issue.message);
  const limits = field ? limitsInWords(field) : null;
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

/** What is wrong, by field; problems that belong to no field stand under ''. */
export function errorsOf(schema: z.ZodType, fields: Field[], values: FormValues): FormErrors {
  const result = schema.safeParse(toParameters(fields, values));
  const errors: FormErrors = {};
  for (const issue of result.error?.issues ?? []) {
    const path = issue.path.map(String);
    const field = fields.find((candidate) => candidate.path.every((name, i) => path[i] === name));
    const key = field?.key ?? '';
    errors[key] ??= inWords(issue, field);
  }
  return errors;
}

/** Problems that the service names by field path, brought to the fields of the form. */
export function errorsFromService(
  fields: Field[],
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
