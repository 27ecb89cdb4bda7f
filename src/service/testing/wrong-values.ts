/** Generates invalid values for a schema of the contract, each within an otherwise valid body. */
import { z } from 'zod';

type Fields = Record<string, z.ZodType>;
type Body = Record<string, unknown>;

/** one of each kind of mistake: wrong type, wrong format, too small, too large, not in the enumeration */
const candidates: unknown[] = [
  [],
  {},
  7,
  'x',
  true,
  null,
  '',
  -1e9,
  1e12,
  0.5,
  'x'.repeat(70_000),
  [{}],
  ['x'],
  [1, 2, 3, 4, 5],
  Array.from({ length: 10_001 }, () => 'x'),
];

/** The schema unwrapped from optional, default, nullable and pipes. */
function core(schema: unknown): unknown {
  let inner = schema;
  for (let i = 0; i < 8; i += 1) {
    const { innerType, in: input } = (inner as { def: { innerType?: unknown; in?: unknown } }).def;
    if (innerType === undefined && input === undefined) break;
    inner = innerType ?? input;
  }
  return inner;
}

const listFields = (schema: unknown): Fields => {
  const inner = schema === undefined ? undefined : core(schema);
  return inner instanceof z.ZodObject ? (inner.shape as Fields) : {};
};

/** Names of the required fields of a body. */
export const requiredFields = (schema: z.ZodType | undefined): string[] =>
  Object.entries(listFields(schema))
    .filter(([, field]) => !field.safeParse(undefined).success)
    .map(([name]) => name);

/** One value for each kind of issue that the schema reports. */
function wrongValues(schema: z.ZodType): unknown[] {
  const byFinding = new Map<string, unknown>();
  for (const value of candidates) {
    const { error } = schema.safeParse(value);
    if (!error) continue;
    const [{ code, ...issue }] = error.issues;
    const finding = `${code} ${'format' in issue ? issue.format : ''} ${issue.path.length}`;
    if (!byFinding.has(finding)) byFinding.set(finding, value);
  }
  return [...byFinding.values()];
}

/**
 * @param right a valid body
 * @returns bodies with one invalid field each, and the path of that field, such as `surface.mode`
 */
export function wrongFields(schema: z.ZodType | undefined, right: Body): { field: string; body: Body }[] {
  return Object.entries(listFields(schema)).flatMap(([name, field]) => {
    const here = wrongValues(field).map((value) => ({ field: name, body: { ...right, [name]: value } }));
    const before = right[name];
    const isFilled = typeof before === 'object' && before !== null && !Array.isArray(before);
    const inside = wrongFields(field, isFilled ? (before as Body) : {}).map((wrong) => ({
      field: `${name}.${wrong.field}`,
      body: { ...right, [name]: wrong.body },
    }));
    return [...here, ...inside];
  });
}

/** Names of the fields of a body that contain an id. */
export const idFields = (schema: z.ZodType | undefined): string[] =>
  Object.entries(listFields(schema))
    .filter(([, field]) => (core(field) as { def: { format?: string } }).def.format === 'guid')
    .map(([name]) => name);
