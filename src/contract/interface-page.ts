/** Writes docs/interface.md from the operations: `node src/contract/interface-page.ts`. */
import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { dataObjectKinds, metadataSchemas } from './analyses/data-kinds.ts';
import type { AnalysisDeclaration } from './analyses/declaration.ts';
import { listUnits } from './analyses/quantities.ts';
import { analyses } from './analyses/registry.ts';
import { warningCodes } from './metadata/warning.ts';
import { findDeclaration, operationIds } from './operations/all.ts';
import {
  type Access,
  isList,
  listProblems,
  type OperationDeclaration,
  problemsOfEach,
} from './operations/operation.ts';
import { problemCodes } from './shapes/problem-codes.ts';

interface Field {
  title?: string;
  description?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Field[];
  properties?: Record<string, Field>;
  required?: string[];
  items?: Field;
  default?: unknown;
  $ref?: string;
  'x-unit'?: string;
  'x-extension'?: boolean;
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const code = (text: string) => `\`${text}\``;

function describeAccess(access: Access): string {
  switch (access.kind) {
    case 'public':
      return 'anybody';
    case 'signedIn':
      return 'any signed-in user; the answer holds only what the caller may see';
    case 'signedAddress':
      return 'whoever has the signed address, until it expires';
    case 'own':
      return 'the user whose own it is';
    case 'organization':
      return `${access.role} of the organization`;
    case 'workspace':
      return `${access.role} in the workspace${access.of === 'workspace' ? '' : ` of the ${access.of === 'eachProject' ? 'projects, one by one' : access.of}`}`;
  }
}

/** A named shape comes as a reference into its own definitions. */
function resolveSchema(schema: z.ZodType, io: 'input' | 'output'): Field {
  const json = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Field & {
    $defs?: Record<string, Field>;
  };
  const id = schema.meta()?.id;
  return (id && json.$defs?.[id]) || json;
}

function describeType(field: Field): string {
  if (field.enum) return field.enum.map((value) => code(String(value))).join(', ');
  if (field.anyOf) return [...new Set(field.anyOf.map(describeType))].join(' or ');
  if (field.type === 'array') return `array of ${field.items ? describeType(field.items) : 'values'}`;
  if (Array.isArray(field.type)) return field.type.join(' or ');
  return field.type ?? field.$ref?.split('/').at(-1) ?? 'object';
}

/** @param missing what stands where a field may be missing and has no default */
function fieldsTable(schema: Field, missing = ''): string[] {
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const unit = field['x-unit'] ? ` (${field['x-unit']})` : '';
    const otherwise = schema.required?.includes(name) ? '' : missing;
    const standard = field.default === undefined ? otherwise : code(JSON.stringify(field.default));
    return `| ${code(name)} | ${cell(describeType(field))}${unit} | ${cell(standard)} | ${cell(field.description ?? field.title ?? '')} |`;
  });
  return rows.length === 0
    ? []
    : [`| name | type | ${missing || 'default'} | meaning |`, '|---|---|---|---|', ...rows, ''];
}

function describeRateLimit({ rateLimit, access }: OperationDeclaration): string {
  if (!rateLimit) return '';
  const { count, seconds } = rateLimit;
  const time = seconds === 60 ? 'a minute' : seconds === 3600 ? 'an hour' : `${seconds} s`;
  return ` At most ${count} calls in ${time} from one ${access.kind === 'public' ? 'address' : 'user'}.`;
}

function operationText(id: (typeof operationIds)[number]): string[] {
  const operation = findDeclaration(id);
  const { status, schema, mediaType } = operation.response;
  const answer = schema?.meta()?.id ?? mediaType ?? 'no body';
  const body = operation.body?.meta()?.id;
  return [
    `### ${code(`${operation.method} ${operation.path}`)}${operation.extension ? ' · extension' : ''}`,
    '',
    `${operation.summary}. Access: ${describeAccess(operation.access)}. Answer: ${status}, ${answer}.${operation.etag || isList(operation) ? ' Carries an ETag.' : ''}`,
    '',
    ...(operation.query ? ['Query:', '', ...fieldsTable(resolveSchema(operation.query, 'input'))] : []),
    ...(operation.body
      ? [`Body${body ? ` (${body})` : ''}:`, '', ...fieldsTable(resolveSchema(operation.body, 'input'))]
      : []),
    `Problems: ${
      listProblems(operation)
        .filter((each) => !(problemsOfEach as readonly string[]).includes(each))
        .map(code)
        .join(', ') || 'none of its own'
    }.${describeRateLimit(operation)}`,
    '',
  ];
}

function describeAnalysis(analysis: AnalysisDeclaration): string[] {
  const { key, purpose, module, needs, makes, measures, parameters } = analysis;
  const listed = (kinds: readonly string[]) => kinds.map(code).join(' or ');
  const inputs = [
    ...(needs.source.length > 0 ? [`Works on ${listed(needs.source)}.`] : []),
    ...(needs.reference.length > 0 ? [`Reference: ${listed(needs.reference)}.`] : []),
    ...(makes === null ? [] : [`Makes ${code(makes)}.`]),
  ];
  return [
    `### ${code(key)}`,
    '',
    [purpose, ...inputs, `Module: ${code(module.key)}.`].join(' '),
    '',
    ...fieldsTable(resolveSchema(parameters, 'input')),
    ...(measures.length === 0
      ? []
      : [
          'Measures that a gate can hold against a limit:',
          '',
          '| path | label | unit |',
          '|---|---|---|',
          ...measures.map(({ path, label, quantity }) => {
            const units = listUnits(quantity).filter((unit) => unit !== '');
            return `| ${code(path)} | ${cell(label)} | ${units.join(' or ') || 'none'} |`;
          }),
          '',
        ]),
  ];
}

export function interfacePage(): string {
  const tags = [...new Set(operationIds.map((id) => findDeclaration(id).tag))];
  const lines = [
    '# The interface',
    '',
    'Made from `src/contract` by `npm run generate`; the machine-readable form is `openapi.json`, served at `/api/openapi.json` and browsable at `/api/docs`. Lengths are mm, areas mm², volumes mm³, angles degrees, fractions 0–1, times ISO 8601 UTC. What is marked “extension” goes beyond the fixed interface.',
    '',
    'Send `Authorization: Token <token>` (or `Bearer <token>`) with the token of `POST /api/login`. Lists answer `{count, next, previous, results}`. Work that takes time answers 202 with its record, whose `status` goes `pending` → `processing` → `completed`, `failed` or `cancelled`. A POST with an `Idempotency-Key` may be repeated safely.',
    '',
    '## Problems',
    '',
    'Every answer that is not a success has the body `{detail, code, field?, errors?}`.',
    '',
    `Each operation can answer ${problemsOfEach.map(code).join(', ')}; what an operation can answer beyond them stands with it.`,
    '',
    '| code | status | meaning |',
    '|---|---|---|',
    ...Object.entries(problemCodes).map(
      ([name, { status, meaning }]) => `| ${code(name)} | ${status} | ${cell(meaning)} |`,
    ),
    '',
    ...tags.flatMap((tag) => [
      `## ${tag}`,
      '',
      ...operationIds.filter((id) => findDeclaration(id).tag === tag).flatMap(operationText),
    ]),
    '## Analyses',
    '',
    ...analyses.flatMap(describeAnalysis),
    '## Metadata of data objects',
    '',
    'By `kind`. What not every data object of the kind has is marked “optional”. A result with measures may carry `uncertainties`, by the path of the measure: `{expanded, k: 2, contributions: [{name, value}]}`.',
    '',
    ...dataObjectKinds.flatMap((kind) => [
      `### ${code(kind)}`,
      '',
      ...fieldsTable(resolveSchema(metadataSchemas[kind], 'output'), 'optional'),
    ]),
    '## Warnings',
    '',
    'Operations and data objects carry `warnings: [{code, message, measures}]`.',
    '',
    '| code | meaning |',
    '|---|---|',
    ...Object.entries(warningCodes).map(([name, meaning]) => `| ${code(name)} | ${cell(meaning)} |`),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

if (import.meta.main) writeFileSync(new URL('../../docs/interface.md', import.meta.url), interfacePage());
