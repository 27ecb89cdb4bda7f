/** The parameters of an analysis as form fields with title, unit, limits, default, labels and condition, from its schema. */
import { z } from 'zod';
import { capitalised, formatGiven, withUnit } from '../base/format-number.ts';
import type { JsonSchema } from '../base/json-schema.ts';
import { Uuid } from '../base/primitives.ts';
import type { AnalysisDeclaration } from './declaration.ts';

export type FieldPath = readonly string[];

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
  /** label of each value of a choice */
  words: Readonly<Record<string, string>>;
  /** shown only while another field has one of these values; null: always */
  onlyWhen: { key: string; values: readonly unknown[] } | null;
}

export interface NumberLimits {
  minimum: number | null;
  maximum: number | null;
  /** the limit itself is excluded */
  exclusiveMinimum: boolean;
  exclusiveMaximum: boolean;
}

type Control =
  /** `word`: value allowed instead of a number; it is what an empty field means */
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

const isNumberTriple = (schema: JsonSchema | undefined): boolean =>
  schema?.prefixItems?.length === 3 && schema.prefixItems.every((item) => item.type === 'number');

/** The form control for a schema; null for an object whose properties become separate fields. */
function chooseControl(schema: JsonSchema): Control | null {
  if (schema.enum?.every((value) => typeof value === 'string'))
    return { kind: 'choice', options: schema.enum as string[] };
  if (schema.type === 'number' || schema.type === 'integer') {
    const limits: NumberLimits = {
      minimum: schema.minimum ?? schema.exclusiveMinimum ?? null,
      maximum: schema.maximum ?? schema.exclusiveMaximum ?? null,
      exclusiveMinimum: schema.minimum === undefined && schema.exclusiveMinimum !== undefined,
      exclusiveMaximum: schema.maximum === undefined && schema.exclusiveMaximum !== undefined,
    };
    // The safe integer range is not a limit that users need to see.
    if (limits.minimum !== null && Math.abs(limits.minimum) === Number.MAX_SAFE_INTEGER)
      limits.minimum = null;
    if (limits.maximum !== null && Math.abs(limits.maximum) === Number.MAX_SAFE_INTEGER)
      limits.maximum = null;
    return { kind: 'number', integer: schema.type === 'integer', limits, word: null };
  }
  const [word, other] = schema.anyOf?.length === 2 ? schema.anyOf : [];
  if (typeof word?.const === 'string' && other) {
    const number = chooseControl(other);
    if (number?.kind === 'number') return { ...number, word: word.const };
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

const listWords = (schema: JsonSchema): Record<string, string> =>
  schema['x-words'] ?? (typeof schema.items === 'object' ? listWords(schema.items) : {});

function readCondition({ 'x-only-when': condition }: JsonSchema, path: FieldPath): Field['onlyWhen'] {
  if (!condition) return null;
  return { key: [...path.slice(0, -1), condition.parameter].join('.'), values: condition.values };
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
  const control = path.length === 0 ? null : chooseControl(resolved);
  if (control) {
    into.push({
      ...control,
      path,
      key: path.join('.'),
      title: resolved.title ?? inherited.title ?? path.at(-1) ?? '',
      // The general description of ids explains nothing about this parameter.
      description: resolved.description === Uuid.description ? null : (resolved.description ?? null),
      unit: resolved['x-unit'] ?? null,
      advanced,
      required: inherited.required && preset === undefined,
      default: preset,
      words: listWords(resolved),
      onlyWhen: readCondition(resolved, path),
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

/** The form fields of `schema`, in its order. */
export function listFields(schema: z.ZodType): Field[] {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  const fields: Field[] = [];
  collect(
    json,
    json.$defs ?? {},
    [],
    { advanced: false, default: undefined, required: true, title: null },
    fields,
  );
  return fields;
}

function readField(parameters: object, { path }: Field): unknown {
  let value: unknown = parameters;
  for (const name of path)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return value;
}

const formatEach = (value: unknown): string =>
  typeof value === 'number' ? formatGiven(value) : String(value);

function formatBox(value: unknown): string {
  const { min, max } = value as { min: unknown[]; max: unknown[] };
  return [min, max].map((corner) => corner.map(formatEach).join(', ')).join(' to ');
}

function formatField(field: Field, value: unknown, getName: (id: string) => string | null): string {
  const word = (each: unknown) => field.words[String(each)] ?? String(each);
  switch (field.kind) {
    case 'dataObject':
      return getName(String(value)) ?? 'no longer in the project';
    case 'choice':
      return word(value);
    case 'choices':
      return Array.isArray(value) ? value.map(word).join(', ') || 'none' : '–';
    case 'switch':
      return value === true ? 'yes' : 'no';
    case 'number':
      return typeof value === 'number' ? formatGiven(value, field.unit) : capitalised(String(value));
    case 'box':
      return withUnit(formatBox(value), field.unit);
    case 'numbers':
      return Array.isArray(value) ? value.map(formatEach).join('  ') : '–';
    case 'json':
      return `${Array.isArray(value) ? value.length : 0} entries`;
    default:
      return String(value);
  }
}

/**
 * The parameters of an operation with the labels and order of its form; omitted parameters have no row.
 * @param getName returns the name of a data object; null when it no longer exists
 */
export const describeParameters = (
  { parameters: schema }: Pick<AnalysisDeclaration, 'parameters'>,
  parameters: object,
  getName: (dataObjectId: string) => string | null,
): { label: string; value: string }[] =>
  listFields(schema).flatMap((field) => {
    const value = readField(parameters, field);
    if (value === undefined || value === null) return [];
    return [{ label: field.title, value: formatField(field, value, getName) }];
  });
