/** Converts query strings to the types that the contract's schema expects. */
import type { z } from 'zod';
import { invalidField } from './problem.ts';
import { isStorable } from './text-body.ts';

interface Definition {
  type: string;
  innerType?: z.ZodType;
  in?: z.ZodType;
  element?: z.ZodType;
}

const readDefinition = (schema: z.ZodType): Definition => schema.def as unknown as Definition;

/** The schema unwrapped from optional, default, nullable and pipes. */
function core(schema: z.ZodType): z.ZodType {
  const { type, innerType, in: input } = readDefinition(schema);
  if (innerType && ['optional', 'default', 'nullable', 'prefault', 'catch', 'readonly'].includes(type))
    return core(innerType);
  if (type === 'pipe' && input) return core(input);
  return schema;
}

/** Converts text to a number or boolean if possible; otherwise the text is kept for the schema to refuse. */
function scalar(schema: z.ZodType, text: string): unknown {
  const { type } = readDefinition(core(schema));
  if (type === 'number' || type === 'int') {
    return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
  }
  if (type === 'boolean') {
    if (text === 'true' || text === '1') return true;
    return text === 'false' || text === '0' ? false : text;
  }
  return text;
}

/** Decodes arrays: repeated values, JSON `[a,b]`, and for numbers also `a,b`. */
function list(schema: z.ZodType, texts: string[]): unknown[] {
  const element = readDefinition(schema).element as z.ZodType;
  const isNumber = readDefinition(core(element)).type === 'number';
  return texts.flatMap((text) => {
    if (/^\s*\[.*\]\s*$/s.test(text)) {
      try {
        const parsed: unknown = JSON.parse(text);
        if (Array.isArray(parsed)) return parsed as unknown[];
      } catch {
        // not JSON, just text in brackets
      }
    }
    if (isNumber) return text.split(',').map((part) => scalar(element, part.trim()));
    return [text];
  });
}

/**
 * @param raw as split by the framework: a string, or several for a repeated name
 * @throws Problem VALIDATION_FAILED for text that can't be stored, and for a single value given twice
 */
export function decodeQuery(
  schema: z.ZodObject | undefined,
  raw: Record<string, unknown>,
): Record<string, unknown> {
  const decoded: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(raw)) {
    const texts = (Array.isArray(value) ? value : [value]).map(String);
    if (!isStorable(name)) throw invalidField('query', 'has a parameter name that is not valid text');
    const unstorable = invalidField(name, 'has a NUL character or an unpaired surrogate');
    if (!texts.every(isStorable)) throw unstorable;
    const shape = schema?.shape ?? {};
    const field = Object.hasOwn(shape, name) ? (shape[name] as z.ZodType) : undefined;
    if (field === undefined) {
      // Assigning `__proto__` creates no own key, so the schema would not see it.
      if (name === '__proto__') throw invalidField(name, 'is not a query name of this operation');
      decoded[name] = value;
      continue;
    }
    const inner = core(field);
    const given = texts.filter((text) => text !== '');
    const [first] = given;
    if (first === undefined) continue;
    if (readDefinition(inner).type === 'array') {
      const items = list(inner, given);
      // JSON escapes can hide unstorable characters from the check above. The schema refuses nested values.
      if (!items.every((item) => typeof item !== 'string' || isStorable(item))) throw unstorable;
      decoded[name] = items;
    } else if (texts.length > 1) throw invalidField(name, 'is given more than once');
    else decoded[name] = scalar(inner, first);
  }
  return decoded;
}
