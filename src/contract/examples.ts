/** Generates example requests and responses for the OpenAPI document from its schemas. */

import type { JsonSchema } from './base/json-schema.ts';

const uuid = '3f2b8c1e-5d0a-4b6f-9a70-0c1d2e3f4a5b';
const moment = '2026-11-02T09:30:00.000Z';

const byFormat: Record<string, unknown> = {
  uuid,
  'date-time': moment,
  downloadUrl: 'https://ct.example.com/api/files/WyJidWxrIl0.1793612000.c2ln/results.zip',
  email: 'engineer@example.com',
  base64: 'iVBORw0KGgo=',
};

/** Example values by field name, for fields whose schema does not determine one. */
const byName: Record<string, unknown> = {
  actorEmail: 'engineer@example.com',
  address: '192.0.2.10',
  code: 'NOT_FOUND',
  data: 'https://ct.example.com/api/files/WyJ2aWV3cyJd.1793612000.c2ln/view.nrrd',
  detail: 'project not found, or you have no access to it',
  downloadableResults: 'https://ct.example.com/api/files/WyJydW5zIl0.1793612000.c2ln/results.zip',
  downloadUrl: 'https://ct.example.com/api/files/WyJidWxrIl0.1793612000.c2ln/results.zip',
  email: 'engineer@example.com',
  fileName: 'valve-body.stl',
  filename: 'valve-body.stl',
  invitedBy: 'manager@example.com',
  mediaType: 'model/stl',
  name: 'Valve body 7',
  organizationName: 'Example Castings',
  partNumber: '4711-02',
  password: 'correct horse battery',
  newPassword: 'correct horse battery',
  oldPassword: 'a long enough password',
  serialNumber: 'SN 0412',
  lot: '26-118',
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  sizeBytes: 1048576,
  storageBytes: 1048576,
  stage: 'surface',
  tags: ['castings'],
  text: 'Looks like shrinkage near the flange.',
  thumbnailUrl: 'https://ct.example.com/api/files/WyJ0aHVtYnMiXQ.1793612000.c2ln/part.png',
  token: 'sw_2vYp7pQm0cW1nXkz3rT5uB8dF6gH9jL4aS0eC7iK1oM',
  unit: 'mm',
  url: 'https://ct.example.com/api/files/WyJmaWxlcyJd.1793612000.c2ln/valve-body.stl',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/146.0',
  next: null,
  previous: null,
  archivedAt: null,
  comparison: '>=',
  count: 1,
  dataType: 'uint16',
  description: 'Incoming inspection',
  disabledAt: null,
  error: null,
  field: 'name',
  key: 'mesh',
  measure: 'wallThickness.minMm',
  missing: ['voxelSizeMm'],
  projectName: 'Valve body 7',
  reason: null,
  recipeName: 'Incoming inspection',
  resource: 'project',
  scalar: null,
  selectedDefectId: null,
  undoneBy: null,
  undoOf: null,
  version: '0.1.0',
};

const DEEPEST = 12;

function resolveType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** The types that a schema accepts, except those with a format or pattern, which have their own examples. */
const listTypes = (schema: JsonSchema): string[] => {
  const { anyOf, type, format, pattern } = schema;
  if (anyOf) return anyOf.flatMap(listTypes);
  return format !== undefined || pattern !== undefined ? [] : [type ?? ''].flat();
};

/** @param schemas component schemas of the document, by name */
export function makeExample(
  schema: unknown,
  schemas: Record<string, unknown>,
  side: 'input' | 'output',
): unknown {
  const resolve = (each: JsonSchema): JsonSchema =>
    each.$ref ? (schemas[each.$ref.split('/').at(-1) ?? ''] as JsonSchema) : each;

  function makeObject({ properties = {}, required = [] }: JsonSchema, depth: number): unknown {
    // A request example has required fields and defaults; a response example has all fields.
    const shown = Object.entries(properties).filter(
      ([name, field]) => side === 'output' || required.includes(name) || resolve(field).default !== undefined,
    );
    return Object.fromEntries(shown.map(([name, field]) => [name, make(field, name, depth + 1)]));
  }

  function make(given: JsonSchema, name: string, depth: number): unknown {
    const own = given.examples?.[0] ?? given.const ?? given.default ?? given.enum?.[0];
    if (own !== undefined) return own;
    const each = resolve(given);
    if (each !== given) return make(each, name, depth);
    const known = byName[name];
    if (known !== undefined && listTypes(each).includes(resolveType(known))) return known;
    const choices = each.anyOf ?? each.oneOf;
    if (choices) {
      const choice = choices.find(({ type }) => type !== 'null');
      return choice === undefined || depth > DEEPEST ? null : make(choice, name, depth + 1);
    }
    switch ([each.type].flat().find((type) => type !== 'null')) {
      case 'object':
        return makeObject(each, depth);
      case 'array': {
        if (each.prefixItems) return each.prefixItems.map((item) => make(item, '', depth + 1));
        if (!each.items || depth > DEEPEST) return [];
        const item = make(each.items, name.replace(/Ids$/, 'Id').replace(/s$/, ''), depth + 1);
        return Array.from({ length: Math.max(1, each.minItems ?? 1) }, () => item);
      }
      case 'string':
        return byFormat[each.format ?? ''] ?? (each.pattern?.includes('0-9a-f') ? byName['sha256'] : 'text');
      case 'integer':
      case 'number':
        return Math.min(
          Math.max(each.minimum ?? (each.exclusiveMinimum ?? 0) + 1, each.exclusiveMinimum ?? 0),
          each.maximum ?? 1e9,
        );
      case 'boolean':
        return true;
      default:
        return {};
    }
  }
  return make(schema as JsonSchema, '', 0);
}
