/** Builds the OpenAPI 3.1 document from the operations; `node src/contract/openapi.ts` writes openapi.json. */
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { declarationOf, operationIds } from './operations/all.ts';
import { type OperationDeclaration, pathParameters, problemsOf } from './operations/operation.ts';
import { problemCodes } from './shapes/problem.ts';

type Json = Record<string, unknown>;

/** A format says enough; the pattern behind it would only make the document long. */
const override = ({ jsonSchema }: { jsonSchema: Json }) => {
  if ('format' in jsonSchema) delete jsonSchema.pattern;
};

const reference = (id: string) => `#/components/schemas/${id}`;

/** Schema of a field or body where it stands, with named shapes referred to. */
function inlineSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const id = schema.meta()?.id;
  if (id) return { $ref: reference(id) };
  const {
    $schema: _,
    $defs: __,
    ...json
  } = z.toJSONSchema(schema, { io, override, unrepresentable: 'any' }) as Json;
  return JSON.parse(JSON.stringify(json).replaceAll('#/$defs/', '#/components/schemas/'));
}

/** Names of the shapes that a part of the document refers to. */
const namesIn = (part: Json) =>
  [...JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);

/**
 * Shapes that the paths name, with those that they name in turn: bodies as they come in, the others as they go out.
 * Shapes that other code of this process has named are left out.
 */
function namedSchemas(paths: Json): Json {
  const bodies = new Set(operationIds.map((id) => declarationOf(id).body?.meta()?.id));
  const schemas: Json = {};
  for (const io of ['output', 'input'] as const) {
    const made = z.toJSONSchema(z.globalRegistry, {
      io,
      override,
      uri: reference,
      unrepresentable: 'any',
    }).schemas;
    for (const [id, schema] of Object.entries(made)) {
      if ((io === 'input') !== bodies.has(id) && id !== 'RecipeStep' && id !== 'Gate') continue;
      const { $schema: _, $id: __, id: ___, ...json } = schema as Json;
      if (!(id in schemas)) schemas[id] = json;
    }
  }
  const named = new Set(namesIn(paths));
  for (const name of named) for (const further of namesIn(schemas[name] as Json)) named.add(further);
  return Object.fromEntries([...named].sort().map((name) => [name, schemas[name]]));
}

function parametersOf(operation: OperationDeclaration): Json[] {
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

function responsesOf(operation: OperationDeclaration): Json {
  const { status, schema, mediaType } = operation.response;
  const success: Json = { description: 'Success' };
  if (schema) success.content = { 'application/json': { schema: inlineSchema(schema, 'output') } };
  else if (mediaType) success.content = { [mediaType]: { schema: { type: 'string', format: 'binary' } } };
  if (operation.etag) success.headers = { ETag: { schema: { type: 'string' } } };
  const responses: Json = { [status]: success };
  const byStatus = Map.groupBy(problemsOf(operation), (code) => problemCodes[code].status);
  for (const [problemStatus, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    responses[problemStatus] = {
      description: codes.map((code) => `${code}: ${problemCodes[code].meaning}`).join('; '),
      content: { 'application/json': { schema: { $ref: reference('Problem') } } },
    };
  }
  return responses;
}

export function openApiDocument(version: string): Json {
  const paths: Record<string, Json> = {};
  for (const operationId of operationIds) {
    const operation = declarationOf(operationId);
    const open = operation.access.kind === 'public' || operation.access.kind === 'signedAddress';
    paths[operation.path] ??= {};
    paths[operation.path][operation.method.toLowerCase()] = {
      operationId,
      tags: [operation.tag],
      summary: operation.summary,
      ...(operation.extension ? { 'x-extension': true } : {}),
      'x-access': operation.access,
      security: open ? [] : [{ token: [] }],
      ...(parametersOf(operation).length > 0 ? { parameters: parametersOf(operation) } : {}),
      ...(operation.body
        ? {
            requestBody: {
              required: !operation.bodyOptional,
              content: { 'application/json': { schema: inlineSchema(operation.body, 'input') } },
            },
          }
        : {}),
      responses: responsesOf(operation),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Scanwright',
      version,
      description:
        'Industrial X-ray CT scan projects: analyses, recipes, exports, bulk work, bookmarks. Lengths are mm, areas mm², volumes mm³, angles degrees, fractions 0–1. What carries x-extension goes beyond the fixed interface.',
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'Token <token>; Bearer <token> is accepted too',
        },
      },
      schemas: namedSchemas(paths),
    },
  };
}

/** The document as it is committed. */
export function openApiText(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return `${JSON.stringify(openApiDocument(version), null, 2)}\n`;
}

if (import.meta.main) writeFileSync(new URL('../../openapi.json', import.meta.url), openApiText());
