import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { problemCodes } from '../shapes/problem-codes.ts';
import { findDeclaration, operationIds } from './all.ts';
import { listProblems, type OperationDeclaration } from './operation.ts';

/**
 * The fixed interface, repeated here on purpose: method, path, query names, body fields, status and response fields where
 * the specification shows them. Nothing here may change.
 */
type Row = { query?: string; body?: string; status?: number; response?: string };
const fixed: Record<string, Record<string, Row>> = {
  Authentication: {
    'POST /api/login': {},
    'POST /api/v2/logout': { status: 204 },
    'POST /api/v2/passwordChange': { status: 204 },
  },
  Projects: {
    'GET /api/v2/projects': { query: 'page page_size state workspace tag search ordering' },
    'POST /api/v2/projects': {},
    'GET /api/v2/projects/{id}': { response: 'identifier' },
    'PUT /api/v2/projects/{id}': {},
    'PATCH /api/v2/projects/{id}': {},
    'DELETE /api/v2/projects/{id}': {},
    'POST /api/v2/projects/{id}/archive': {},
    'POST /api/v2/projects/{id}/restore': {},
    'POST /api/v2/projects/{id}/copy': {},
    'POST /api/v2/projects/{id}/move': {},
  },
  Analyses: {
    'POST /api/v2/projects/{project_id}/createMesh': {},
    'POST /api/v2/projects/{project_id}/createTexturedMesh': {},
    'POST /api/v2/projects/{project_id}/runWallThickness': {},
    'POST /api/v2/projects/{project_id}/runIntegrityAnalysis': {},
    'POST /api/v2/projects/{project_id}/runAutoAlignLite': {},
    'POST /api/v2/projects/{project_id}/runMeshCompare': {},
    'POST /api/v2/projects/{project_id}/runDecomposeMeshCompare': {},
    'POST /api/v2/projects/{project_id}/runPipeline': {},
    'POST /api/v2/projects/{project_id}/runReconstructionPreview': {},
    'GET /api/v2/projects/{project_id}/status': {},
    'GET /api/v2/projects/{project_id}/recipeInvocations': {},
  },
  Recipes: {
    'GET /api/v2/organizations/{organization_id}/recipeVersions': {},
    'GET /api/v2/organizations/{organization_id}/scanRecipeRevisions': {},
    'POST /api/v2/projects/{project_id}/runRecipe': { body: 'recipePk' },
    'GET /api/v2/recipeInvocations/{invocation_id}': {},
    'GET /api/v2/recipeInvocations/{invocation_id}/results': { response: 'results downloadableResults' },
  },
  'Data and exports': {
    'GET /api/v2/data/{id}': { response: 'id' },
    'GET /api/v2/data/{id}/view': {
      query: 'outputFormat max_voxel_count max_dimension_size mapped_percentile_range skip_normalization',
      response: 'id data parameters version',
    },
    'GET /api/v2/data/{id}/resolution': {},
    'POST /api/v2/projects/{project_id}/export': { body: 'config sendToRequester' },
    'GET /api/v2/projects/{project_id}/export': { response: 'id url exportGenerationTime' },
    'GET /api/v2/export/{id}/{fileName}': { response: 'url' },
  },
  Bulk: {
    'GET /api/v2/bulkRequests': {},
    'GET /api/v2/bulkRequests/{bulk_request_id}': {
      response: 'id status operationType totalCount completedCount failedCount',
    },
    'POST /api/v2/bulkRequests/{bulk_request_id}/cancel': {},
    'POST /api/v2/bulkProjects/archive': { body: 'projectIds' },
    'POST /api/v2/bulkProjects/copy': { body: 'projectIds destinationWorkspaceId' },
    'POST /api/v2/bulkProjects/move': { body: 'projectIds' },
    'POST /api/v2/bulkProjects/delete': { body: 'projectIds' },
    'POST /api/v2/bulkProjects/addTags': { body: 'projectIds tags' },
    'POST /api/v2/bulkProjects/removeTags': { body: 'projectIds' },
    'POST /api/v2/bulkProjects/runRecipe': { body: 'projectIds recipePk' },
    'POST /api/v2/bulkProjects/downloadResults': { body: 'projectIds' },
  },
  Bookmarks: {
    'GET /api/v2/bookmarks': {},
    'POST /api/v2/bookmarks': {},
    'GET /api/v2/bookmarks/{id}': {},
    'PUT /api/v2/bookmarks/{id}': {},
    'DELETE /api/v2/bookmarks/{id}': {},
    'GET /api/v2/bookmarks/{id}/comments': {},
    'POST /api/v2/bookmarks/{id}/comments': {},
    'GET /api/v2/bookmarks/{id}/renders': {},
    'POST /api/v2/bookmarks/{id}/renders': {},
  },
  Organizations: {
    'GET /api/v2/organizations': {},
    'GET /api/v2/organizations/{id}': {},
    'GET /api/v2/organizations/{id}/workspaces': {},
    'POST /api/v2/organizations/{id}/workspaces': { body: 'name' },
    'GET /api/v2/organizations/{id}/members': {},
    'GET /api/v2/organizations/{id}/analysisModules': {},
  },
};

const rows = Object.entries(fixed).flatMap(([tag, table]) =>
  Object.entries(table).map(([line, row]) => ({ tag, line, row })),
);
const byLine = new Map<string, OperationDeclaration>(
  operationIds.map((id) => [
    `${findDeclaration(id).method} ${findDeclaration(id).path}`,
    findDeclaration(id),
  ]),
);
/** Field names of a schema; for a union, those common to all members. */
function listFields(schema: z.ZodType | undefined): string[] {
  if (!(schema instanceof z.ZodUnion)) return Object.keys((schema as z.ZodObject | undefined)?.shape ?? {});
  const [first = [], ...others] = schema.options.map((option) => listFields(option as z.ZodType));
  return first.filter((name) => others.every((names) => names.includes(name)));
}

describe('The specification', () => {
  test('has 61 operations in eight groups', () => {
    expect(
      Object.fromEntries(Object.entries(fixed).map(([tag, table]) => [tag, Object.keys(table).length])),
    ).toEqual({
      Authentication: 3,
      Projects: 10,
      Analyses: 11,
      Recipes: 5,
      'Data and exports': 6,
      Bulk: 11,
      Bookmarks: 9,
      Organizations: 6,
    });
    expect(rows).toHaveLength(61);
  });

  test.each(rows)('holds for $line', ({ line, row }) => {
    const declaration = byLine.get(line);
    if (!declaration) throw new Error(`${line} is not declared`);
    expect(declaration.extension).toBeUndefined();
    for (const name of row.query?.split(' ') ?? []) expect(listFields(declaration.query)).toContain(name);
    for (const name of row.body?.split(' ') ?? []) expect(listFields(declaration.body)).toContain(name);
    for (const name of row.response?.split(' ') ?? [])
      expect(listFields(declaration.response.schema)).toContain(name);
    if (row.status) expect(declaration.response.status).toBe(row.status);
  });

  test('does not contain any operation marked as an extension, and contains all others', () => {
    const lines = new Set(rows.map(({ line }) => line));
    for (const [line, declaration] of byLine)
      expect([line, declaration.extension ?? false]).toEqual([line, !lines.has(line)]);
  });
});

describe('Every operation', () => {
  test('has a unique method and path', () => {
    expect(byLine.size).toBe(operationIds.length);
  });

  test('names only problems of the closed list, and 401 where a token is needed', () => {
    for (const id of operationIds) {
      const codes = listProblems(findDeclaration(id));
      for (const code of codes) expect(problemCodes).toHaveProperty(code);
      const open = ['public', 'signedAddress'].includes(findDeclaration(id).access.kind);
      expect([id, codes.includes('NOT_AUTHENTICATED')]).toEqual([id, !open]);
    }
  });

  test('refuses unknown fields in body and query', () => {
    for (const id of operationIds) {
      for (const schema of [findDeclaration(id).body, findDeclaration(id).query]) {
        if (!schema) continue;
        const issues = schema.safeParse({ noSuchField: 1 }).error?.issues ?? [];
        expect([id, issues.map(({ code }) => code)]).toEqual([
          id,
          expect.arrayContaining(['unrecognized_keys']),
        ]);
      }
    }
  });
});
