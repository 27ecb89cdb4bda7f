import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import accepted from './fixtures/accepted/bodies.json' with { type: 'json' };
import { interfacePage } from './interface-page.ts';
import { openApiText } from './openapi.ts';
import { findDeclaration, type OperationId, operationIds } from './operations/all.ts';

const generated = 'src/web/api/generated';
const client = mkdtempSync(join(tmpdir(), 'scanwright-client-'));
afterAll(() => rmSync(client, { recursive: true }));

/** Generates the client again, and validators from the document as client developers do. */
async function generateChecks(): Promise<Record<string, z.ZodType>> {
  mkdirSync('dist', { recursive: true });
  // Inside the project folder, so that the validators find Zod.
  const folder = mkdtempSync(join('dist', 'client-'));
  const [input, logs] = ['openapi.json', { level: 'silent' }] as const;
  try {
    // All other settings of the client come from openapi-ts.config.ts.
    await createClient([
      { input, output: client, logs },
      { input, output: folder, plugins: ['zod'], logs },
    ]);
    return await import(pathToFileURL(resolve(folder, 'zod.gen.ts')).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
const checks = await generateChecks();
const text = openApiText();
const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

describe('openapi.json', () => {
  test('is up to date with the contract (otherwise run npm run generate)', () => {
    expect(readFileSync('openapi.json', 'utf8')).toBe(text);
  });

  test('refers only to shapes that it contains', () => {
    const { components } = JSON.parse(text);
    for (const [, id] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      expect(components.schemas).toHaveProperty(id ?? '');
  });

  interface Media {
    schema: Record<string, unknown>;
    example: unknown;
  }
  type Content = { content?: { 'application/json'?: Media } };
  interface Described {
    requestBody?: Content;
    responses: Record<string, Content>;
  }
  const { paths, components } = JSON.parse(text) as {
    paths: Record<string, Record<string, Described>>;
    components: { schemas: Record<string, unknown> };
  };
  const describedAs = (id: OperationId): Described => {
    const { path, method } = findDeclaration(id);
    const described = paths[path]?.[method.toLowerCase()];
    if (!described) throw new Error(`${id} is not described`);
    return described;
  };
  const asDefinitions = (schema: object) =>
    JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/'));
  const $defs = asDefinitions(components.schemas);
  /** The issues that a client generated from the document would find in a value. */
  const findIssues = ({ schema }: Media, value: unknown) =>
    z.fromJSONSchema({ ...asDefinitions(schema), $defs }).safeParse(value).error?.issues;

  test.each(operationIds)('has examples for %s that are valid for the contract and the document', (id) => {
    const { body, response } = findDeclaration(id);
    const { requestBody, responses } = describedAs(id);
    const asked = requestBody?.content?.['application/json'];
    expect(asked === undefined).toBe(body === undefined);
    if (asked) {
      expect(body?.safeParse(asked.example).error?.issues).toBeUndefined();
      expect(findIssues(asked, asked.example)).toBeUndefined();
    }
    const answered = responses[response.status]?.content?.['application/json'];
    expect(answered === undefined).toBe(response.schema === undefined);
    if (answered) {
      expect(response.schema?.safeParse(answered.example).error?.issues).toBeUndefined();
      expect(findIssues(answered, answered.example)).toBeUndefined();
    }
  });

  test.each(operationIds)('lists 400, 405 and 500 among the responses of %s', (id) => {
    expect(Object.keys(describedAs(id).responses)).toEqual(expect.arrayContaining(['400', '405', '500']));
  });

  test.each([
    // The service also accepts UUIDs without a version, which clients never generate.
    ...accepted.filter(({ body }) => !JSON.stringify(body).includes('"00000000-')),
    // As in the specification, with only its three switches.
    {
      operation: 'requestProjectExport',
      body: {
        config: { exportMeshes: true, exportVolumes: true, exportRadiographs: false },
        sendToRequester: false,
      },
    },
  ])('allows a client to send $body to $operation', ({ operation, body }) => {
    const asked = describedAs(operation as OperationId).requestBody?.content?.['application/json'];
    expect(asked && findIssues(asked, body)).toBeUndefined();
    const check = checks[`z${operation.charAt(0).toUpperCase()}${operation.slice(1)}Body`];
    expect(check?.safeParse(body)).toMatchObject({ success: true });
  });

  test('matches the generated client (otherwise run npm run generate)', () => {
    expect(filesBelow(generated)).toEqual(filesBelow(client));
    for (const file of filesBelow(client))
      expect([file, readFileSync(join(generated, file), 'utf8')]).toEqual([
        file,
        readFileSync(join(client, file), 'utf8'),
      ]);
  });
});

describe('docs/interface.md', () => {
  test('is up to date with the contract (otherwise run npm run generate)', () => {
    expect(readFileSync('docs/interface.md', 'utf8')).toBe(interfacePage());
  });
});
