/** Generates bodies from a schema of the contract: mostly valid, partly values that have broken services before. */
import fc from 'fast-check';
import { z } from 'zod';

/** Texts that have broken services before. */
export const nastyTexts = fc.constantFrom(
  '',
  '\0',
  'a\0b',
  '\ud800',
  '𝕏'.repeat(300),
  'x'.repeat(70_000),
  "'; drop table users; --",
  '%',
  '\\',
  '../../etc/passwd',
  '1e400',
  'NaN',
  '__proto__',
  '9'.repeat(40),
  '2026-13-45T99:99:99Z',
  '+275760-09-13T00:00:00.001Z',
);
export const nastyNumbers = fc.constantFrom(
  -1,
  0,
  1e308,
  -1e308,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  0.1 + 0.2,
  1e-320,
);

/** Values of the wrong kind. */
const fault = fc.oneof(
  nastyTexts,
  nastyNumbers,
  fc.constantFrom(null, true, [], {}, [[]], [null], { a: { b: [] } }),
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema | false;
  prefixItems?: Schema[];
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  format?: string;
  pattern?: string;
}

type Values = fc.Arbitrary<unknown>;

const MOST_ITEMS = 4;
const LONGEST_TEXT = 40;
/** below this depth, parts of a body are left empty */
const DEEPEST = 8;

class Generator {
  readonly #definitions: Record<string, Schema>;
  readonly #ids: readonly string[];

  constructor(definitions: Record<string, Schema>, ids: readonly string[]) {
    this.#definitions = definitions;
    this.#ids = ids;
  }

  /** @param reference as in `#/$defs/Gate` */
  definition(reference: string): Schema {
    return this.#definitions[reference.split('/').at(-1) ?? ''];
  }

  /** @param right a valid value, if known */
  any(schema: Schema, right: unknown, depth = 0): Values {
    const known = right === undefined ? [] : [{ weight: 5, arbitrary: fc.constant(right) }];
    const fitting = { weight: 10, arbitrary: this.#fitting(schema, right, depth) };
    return fc.oneof(...known, fitting, { weight: 2, arbitrary: fault });
  }

  #fitting(schema: Schema, right: unknown, depth: number): Values {
    if (schema.$ref) return this.#fitting(this.definition(schema.$ref), right, depth);
    if ('const' in schema) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return fc.oneof(...choices.map((choice) => this.#fitting(choice, undefined, depth)));
    switch (schema.type) {
      case 'object':
        return this.object(schema, right, depth);
      case 'array':
        return this.#array(schema, right, depth);
      case 'string':
        return this.#text(schema);
      case 'integer':
        return this.#number(schema, true);
      case 'number':
        return this.#number(schema, false);
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      default:
        return fc.jsonValue({ maxDepth: 2 });
    }
  }

  object(schema: Schema, right: unknown, depth: number): Values {
    if (depth > DEEPEST) return fc.constant({});
    const { properties = {}, required = [] } = schema;
    const before = (typeof right === 'object' && right !== null ? right : {}) as Record<string, unknown>;
    const fields = Object.entries(properties).map(([name, field]) => {
      const value = this.any(field, before[name], depth + 1);
      const isNeeded = required.includes(name);
      const share = isNeeded ? { value: 30, nothing: 1 } : { value: 2, nothing: 3 };
      const pair = value.map((made): [string, unknown][] => [[name, made]]);
      const none = fc.constant<[string, unknown][]>([]);
      return fc.oneof({ weight: share.value, arbitrary: pair }, { weight: share.nothing, arbitrary: none });
    });
    const name = fc.oneof(
      fc.constantFrom('notAField', '__proto__', 'constructor', ''),
      fc.string({ unit: 'binary' }),
    );
    const extra = fc.tuple(name, fault).map((pair): [string, unknown][] => [pair]);
    const isOpen = schema.additionalProperties !== false;
    const extras = fc.oneof(
      { weight: isOpen ? 1 : 30, arbitrary: fc.constant<[string, unknown][]>([]) },
      { weight: 1, arbitrary: extra },
    );
    return fc.tuple(...fields, extras).map((pairs) => Object.fromEntries(pairs.flat()));
  }

  #array(schema: Schema, right: unknown, depth: number): Values {
    if (depth > DEEPEST) return fc.constant([]);
    const before = Array.isArray(right) ? (right as unknown[]) : [];
    if (schema.prefixItems)
      return fc.tuple(...schema.prefixItems.map((item, place) => this.any(item, before[place], depth + 1)));
    const item = this.any(schema.items || {}, before[0], depth + 1);
    const { minItems = 0, maxItems = MOST_ITEMS } = schema;
    const most = Math.max(minItems, Math.min(maxItems, MOST_ITEMS));
    return fc.array(item, { minLength: Math.min(minItems, most), maxLength: most });
  }

  #text({ format, pattern, minLength = 0, maxLength = LONGEST_TEXT }: Schema): Values {
    if (format === 'uuid') return fc.oneof(fc.constantFrom(...this.#ids), fc.uuid());
    if (format === 'email') return fc.emailAddress();
    if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
    if (format === 'base64') return fc.base64String({ maxLength: 64 });
    if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: 80 });
    const most = Math.max(minLength, Math.min(maxLength, LONGEST_TEXT));
    return fc.string({ unit: 'grapheme', minLength, maxLength: most });
  }

  #number(schema: Schema, isWhole: boolean): Values {
    const min = schema.minimum ?? schema.exclusiveMinimum ?? -1e6;
    const max = schema.maximum ?? schema.exclusiveMaximum ?? Math.max(1e6, min);
    const edges = fc.constantFrom(min, max);
    const inside = isWhole
      ? fc.integer({
          min: Math.ceil(Math.max(min, -(2 ** 53) + 1)),
          max: Math.floor(Math.min(max, 2 ** 53 - 1)),
        })
      : fc.double({ min, max, noNaN: true });
    return fc.oneof({ weight: 4, arbitrary: inside }, { weight: 1, arbitrary: edges });
  }
}

/**
 * @param right a valid body, parts of which are kept
 * @param ids ids of existing resources
 */
export function listBodies(body: z.ZodType, right: unknown, ids: readonly string[]): Values {
  const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Schema;
  const generator = new Generator(schema.$defs ?? {}, ids);
  const root = schema.$ref ? generator.definition(schema.$ref) : schema;
  return fc.oneof(
    { weight: 30, arbitrary: generator.object(root, right, 0) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
}
