/** Builds the OpenAPI 3.1 document from the operations; `node src/contract/openapi.ts` writes openapi.json. */
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { makeExample } from './examples.ts';
import { findDeclaration, operationIds } from './operations/all.ts';
import { isList, listProblems, type OperationDeclaration, pathParameters } from './operations/operation.ts';
import { Problem } from './shapes/problem.ts';
import { problemCodes } from './shapes/problem-codes.ts';

type Json = Record<string, unknown>;

/** Removes the pattern of a string that has a format, to keep the document short. */
const override = ({ jsonSchema }: { jsonSchema: Json }) => {
  if ('format' in jsonSchema) delete jsonSchema.pattern;
};

type Side = 'input' | 'output';

const reference = (id: string) => `#/components/schemas/${id}`;
/** Placeholder for a shape of one side, until `namedSchemas` knows whether both sides are equal. */
const pendingReference = (side: Side) => (id: string) => `#/${side}/${id}`;

/** Inline schema of a field or body, with references to named shapes. */
function inlineSchema(schema: z.ZodType, io: Side): Json {
  const refer = pendingReference(io);
  const id = schema.meta()?.id;
  if (id) return { $ref: refer(id) };
  const {
    $schema: _,
    $defs: __,
    ...json
  } = z.toJSONSchema(schema, { io, override, unrepresentable: 'any' }) as Json;
  return JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', `"${refer('')}`)) as Json;
}

/** Schemas of all named shapes, as input or as output. */
function registeredSchemas(io: Side): Json {
  const options = { io, override, uri: pendingReference(io), unrepresentable: 'any' } as const;
  const { schemas } = z.toJSONSchema(z.globalRegistry, options);
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const { $schema: _, $id: __, id: ___, ...json } = schema as Json;
      return [name, json];
    }),
  );
}

/** Names of the shapes of one side that a part of the document refers to, directly or indirectly. */
function namesBelow(part: Json, side: Side, schemas: Json): Set<string> {
  const namesIn = (json: unknown) =>
    [...JSON.stringify(json).matchAll(/"#\/(input|output)\/([^"]+)"/g)].flatMap(([, of, name]) =>
      of === side && name !== undefined ? [name] : [],
    );
  const names = new Set(namesIn(part));
  for (const name of names) for (const further of namesIn(schemas[name])) names.add(further);
  return names;
}

/**
 * Shapes that the paths refer to, with their names. Fields that are optional in a request are always present in a response;
 * when the two sides differ and both are used, the name of the input shape ends with `Input`.
 */
function namedSchemas(paths: Json): { schemas: Json; rename: (part: Json) => Json } {
  const made = { input: registeredSchemas('input'), output: registeredSchemas('output') };
  const used = {
    input: namesBelow(paths, 'input', made.input),
    output: namesBelow(paths, 'output', made.output),
  };
  const plain = (name: string, side: Side) =>
    JSON.stringify(made[side][name]).replaceAll(/"#\/(input|output)\//g, '"#/');
  const differs = (name: string) =>
    [name, ...namesBelow(made.input[name] as Json, 'input', made.input)].some(
      (each) => plain(each, 'input') !== plain(each, 'output'),
    );
  const inputNames = new Map(
    [...used.input].map((name) => [name, used.output.has(name) && differs(name) ? `${name}Input` : name]),
  );
  for (const [name, inputName] of inputNames)
    if (name !== inputName && inputName in made.input) throw new Error(`two shapes are called ${inputName}`);
  const rename = (part: Json): Json =>
    JSON.parse(
      JSON.stringify(part).replaceAll(/"#\/(input|output)\/([^"]+)"/g, (_, side: Side, name: string) =>
        JSON.stringify(reference(side === 'input' ? (inputNames.get(name) ?? name) : name)),
      ),
    ) as Json;
  const entries = [
    ...[...used.input].map((name) => [inputNames.get(name), rename(made.input[name] as Json)] as const),
    ...[...used.output].map((name) => [name, rename(made.output[name] as Json)] as const),
  ] as [string, Json][];
  return { schemas: Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))), rename };
}

function listParameters(operation: OperationDeclaration): Json[] {
  const inPath = pathParameters(operation.path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema:
      name === 'fileName' || name === 'signature' ? { type: 'string' } : { type: 'string', format: 'uuid' },
  }));
  const inQuery = Object.entries(operation.query?.shape ?? {}).map(([name, schema]) => {
    const { 'x-extension': extension, description, ...json } = inlineSchema(schema as z.ZodType, 'input');
    return {
      name,
      in: 'query',
      required: false,
      ...(description ? { description } : {}),
      ...(extension ? { 'x-extension': true } : {}),
      schema: json,
    };
  });
  const headers = operation.problems?.includes('IDEMPOTENCY_MISMATCH')
    ? [{ name: 'Idempotency-Key', in: 'header', required: false, schema: { type: 'string', maxLength: 200 } }]
    : [];
  const ifMatch = operation.problems?.includes('PRECONDITION_FAILED')
    ? [{ name: 'If-Match', in: 'header', required: false, schema: { type: 'string' } }]
    : [];
  return [...inPath, ...inQuery, ...headers, ...ifMatch];
}

function listResponses(operation: OperationDeclaration): Json {
  const { status, schema, mediaType } = operation.response;
  const success: Json = { description: 'Success' };
  if (schema) success.content = { 'application/json': { schema: inlineSchema(schema, 'output') } };
  else if (mediaType) success.content = { [mediaType]: { schema: { type: 'string', format: 'binary' } } };
  if (operation.etag || isList(operation)) success.headers = { ETag: { schema: { type: 'string' } } };
  const responses: Json = { [status]: success };
  if (isList(operation))
    responses[304] = { description: 'The list has not changed since the ETag in If-None-Match' };
  const byStatus = Map.groupBy(listProblems(operation), (code) => problemCodes[code].status);
  for (const [problemStatus, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    responses[problemStatus] = {
      description: codes.map((code) => `${code}: ${problemCodes[code].meaning}`).join('; '),
      content: { 'application/json': { schema: inlineSchema(Problem, 'output') } },
    };
  }
  return responses;
}

/** Adds an example to each request body and success response. */
function addExamples(paths: Json, schemas: Json): void {
  const add = (content: Json | undefined, side: Side): void => {
    const json = content?.['application/json'] as Json | undefined;
    if (json) json['example'] = makeExample(json['schema'], schemas, side);
  };
  type Operation = { requestBody?: { content: Json }; responses: Record<string, { content?: Json }> };
  for (const path of Object.values(paths) as Record<string, Operation>[])
    for (const { requestBody, responses } of Object.values(path)) {
      add(requestBody?.content, 'input');
      for (const [status, { content }] of Object.entries(responses))
        if (Number(status) < 300) add(content, 'output');
    }
}

export function openApiDocument(version: string): Json {
  const paths: Record<string, Json> = {};
  for (const operationId of operationIds) {
    const operation = findDeclaration(operationId);
    const open = operation.access.kind === 'public' || operation.access.kind === 'signedAddress';
    const described = {
      operationId,
      tags: [operation.tag],
      summary: operation.summary,
      ...(operation.extension ? { 'x-extension': true } : {}),
      'x-access': operation.access,
      security: open ? [] : [{ token: [] }],
      ...(listParameters(operation).length > 0 ? { parameters: listParameters(operation) } : {}),
      ...(operation.body
        ? {
            requestBody: {
              required: !operation.bodyOptional,
              content: { 'application/json': { schema: inlineSchema(operation.body, 'input') } },
            },
          }
        : {}),
      responses: listResponses(operation),
    };
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: described };
  }
  const { schemas, rename } = namedSchemas(paths);
  const named = rename(paths);
  addExamples(named, schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Scanwright',
      version,
      description:
        'Industrial X-ray CT scan projects: analyses, recipes, exports, bulk requests, bookmarks. Lengths are in mm, areas in mm², volumes in mm³, angles in degrees; fractions are 0–1. Operations and fields marked x-extension are not part of the fixed interface.',
    },
    servers: [{ url: '/' }],
    paths: named,
    components: {
      securitySchemes: {
        token: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'Token <token>; Bearer <token> is also accepted',
        },
      },
      schemas,
    },
  };
}

/** Text of the committed document. */
export function openApiText(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return `${JSON.stringify(openApiDocument(version), null, 2)}\n`;
}

if (import.meta.main) writeFileSync(new URL('../../openapi.json', import.meta.url), openApiText());
