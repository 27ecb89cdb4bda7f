/** Writes docs/interface.md from the operations: `node src/contract/interface-page.ts`. */
import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { dataObjectKinds, metadataSchemas } from './analyses/data-kinds.ts';
import type { AnalysisDeclaration } from './analyses/declaration.ts';
import { listUnits } from './analyses/quantities.ts';
import { analyses } from './analyses/registry.ts';
import type { JsonSchema } from './base/json-schema.ts';
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

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const code = (text: string) => `\`${text}\``;

function describeAccess(access: Access): string {
  switch (access.kind) {
    case 'public':
      return 'public';
    case 'signedIn':
      return 'any signed-in user; the response contains only what the caller may see';
    case 'signedAddress':
      return 'anyone with the signed address, until it expires';
    case 'own':
      return 'the owner';
    case 'organization':
      return `${access.role} of the organization`;
    case 'workspace':
      return `${access.role} in the workspace${access.of === 'workspace' ? '' : ` of the ${access.of === 'eachProject' ? 'projects, checked one by one' : access.of}`}`;
  }
}

/** Resolves a named shape, which Zod returns as a reference into its own definitions. */
function resolveSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const json = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema & {
    $defs?: Record<string, JsonSchema>;
  };
  const id = schema.meta()?.id;
  return (id && json.$defs?.[id]) || json;
}

function describeType(field: JsonSchema): string {
  if (field.enum) return field.enum.map((value) => code(String(value))).join(', ');
  if (field.anyOf) return [...new Set(field.anyOf.map(describeType))].join(' or ');
  if (field.type === 'array') return `array of ${field.items ? describeType(field.items) : 'values'}`;
  if (Array.isArray(field.type)) return field.type.join(' or ');
  return field.type ?? field.$ref?.split('/').at(-1) ?? 'object';
}

/** @param missing text for an optional field without a default */
function fieldsTable(schema: JsonSchema, missing = ''): string[] {
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
    `${operation.summary}. Access: ${describeAccess(operation.access)}. Response: ${status}, ${answer}.${operation.etag || isList(operation) ? ' Includes an ETag.' : ''}`,
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
    ...(needs.source.length > 0 ? [`Input: ${listed(needs.source)}.`] : []),
    ...(needs.reference.length > 0 ? [`Reference: ${listed(needs.reference)}.`] : []),
    ...(makes === null ? [] : [`Creates ${code(makes)}.`]),
  ];
  return [
    `### ${code(key)}`,
    '',
    [`${purpose}.`, ...inputs, `Module: ${code(module.key)}.`].join(' '),
    '',
    ...fieldsTable(resolveSchema(parameters, 'input')),
    ...(measures.length === 0
      ? []
      : [
          'Measures that can be used in gates:',
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
    'Made from `src/contract` by `npm run generate`; the machine-readable form is `openapi.json`, served at `/api/openapi.json` and browsable at `/api/docs`. Lengths are in mm, areas in mm², volumes in mm³, angles in degrees; fractions are 0–1; times are ISO 8601 UTC. Operations marked “extension” are not part of the fixed interface.',
    '',
    'Send `Authorization: Token <token>` (or `Bearer <token>`) with the token of `POST /api/login`. Lists return `{count, next, previous, results}`. Requests that start long-running work return 202 with its record, whose `status` changes from `pending` to `processing` to `completed`, `failed` or `cancelled`. A POST with an `Idempotency-Key` can be repeated safely.',
    '',
    '## Problems',
    '',
    'Every error response has the body `{detail, code, field?, errors?}`.',
    '',
    `Every operation can return ${problemsOfEach.map(code).join(', ')}; further problems are listed with each operation.`,
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
    'By `kind`. Fields that not every data object of the kind has are marked “optional”. A result with measures may have `uncertainties`, by path of the measure: `{expanded, k: 2, contributions: [{name, value}]}`.',
    '',
    ...dataObjectKinds.flatMap((kind) => [
      `### ${code(kind)}`,
      '',
      ...fieldsTable(resolveSchema(metadataSchemas[kind], 'output'), 'optional'),
    ]),
    '## Warnings',
    '',
    'Operations and data objects have `warnings: [{code, message, measures}]`.',
    '',
    '| code | meaning |',
    '|---|---|',
    ...Object.entries(warningCodes).map(([name, meaning]) => `| ${code(name)} | ${cell(meaning)} |`),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

if (import.meta.main) writeFileSync(new URL('../../docs/interface.md', import.meta.url), interfacePage());
