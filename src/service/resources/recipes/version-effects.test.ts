import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecipeVersion } from '#contract/shapes/recipe.ts';
import type { VersionEffect, VersionEffectSummary } from '#contract/shapes/version-effect.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations, recipeInvocations } from '#storage/db/schema-work.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { type TestService, testService } from '../../testing/service.ts';

let service: TestService;
let versionsUrl: string;
let first: RecipeVersion;
/** version with a stricter limit on the same measure as the first */
let narrow: RecipeVersion;
/** version that measures with other parameters */
let other: RecipeVersion;
let clock = Date.parse('2026-01-01T00:00:00Z');
const next = () => {
  clock += 1000;
  return new Date(clock);
};

const create = async (body: object): Promise<RecipeVersion> =>
  (await service.ask<RecipeVersion>('POST', versionsUrl, body, { token: service.token })).body;

/** Adds a completed operation with one result, as a worker would. */
async function did(projectId: string, operation: string, kind: 'volume' | 'integrity', more: object = {}) {
  const { db, organizationId } = service;
  const at = next();
  const [{ id: operationId }] = await db
    .insert(operations)
    .values({
      ...{ projectId, organizationId, operation, status: 'completed', createdAt: at, finishedAt: at },
      ...more,
    })
    .returning();
  const porosity = 'porosity' in more ? (more.porosity as number) : 0;
  const content = exampleContent(kind, kind === 'integrity' ? { porosity } : {});
  const values = { projectId, name: kind, createdByOperationId: operationId, createdAt: at, ...content };
  const [{ id }] = await db.insert(dataObjects).values(values).returning();
  await db
    .update(operations)
    .set({ outputDataObjectIds: [id] })
    .where(eq(operations.id, operationId));
  return { id, operationId };
}

/** A part with a scan and runs with these measured percentages, in this order. */
async function part(name: string, runs: [RecipeVersion, number][], scans = 1): Promise<string> {
  const { id: projectId } = await service.project();
  await service.db.update(projects).set({ name, nameSort: name }).where(eq(projects.id, projectId));
  const { id: scan } = await did(projectId, 'ingest', 'volume');
  for (const [version, percent] of runs) {
    const runId = crypto.randomUUID();
    const { operationId } = await did(projectId, 'runIntegrityAnalysis', 'integrity', {
      ...{ inputDataObjectIds: [scan], invocationId: runId, stepKey: 'pores', porosity: percent / 100 },
    });
    const { recipePk, id, steps, gates } = version;
    const [{ limit }] = gates;
    const verdict = percent <= limit ? 'pass' : 'fail';
    const at = next();
    await service.db.insert(recipeInvocations).values({
      ...{ id: runId, projectId, organizationId: service.organizationId, recipeId: recipePk },
      ...{ recipeVersionId: id, definition: { steps, gates }, status: 'completed', verdict },
      ...{ createdAt: at, finishedAt: at },
      steps: [{ key: 'pores', operationId, status: 'completed' }],
      gates: [{ key: 'porosity', measured: percent, limit, verdict }],
    });
  }
  for (let n = 1; n < scans; n++) await did(projectId, 'ingest', 'volume');
  return projectId;
}

const listEffects = async (after: RecipeVersion, query: string, token = service.token) => {
  type Answer = { results: VersionEffect[]; summary: VersionEffectSummary; count: number; code: string };
  return service.ask<Answer>('GET', `${versionsUrl}/${after.id}/effects?${query}`, undefined, { token });
};

beforeAll(async () => {
  service = await testService();
  versionsUrl = `/api/v2/organizations/${service.organizationId}/recipeVersions`;
  const step = { key: 'pores', operation: 'runIntegrityAnalysis' };
  const gate = { key: 'porosity', measure: 'pores.porosity', comparison: '<=', limit: 2, unit: '%' };
  const body = { name: 'Pores', steps: [step], gates: [gate] };
  first = await create(body);
  const revised = { ...body, recipePk: first.recipePk, draft: true };
  narrow = await create({ ...revised, gates: [{ ...gate, limit: 1 }] });
  other = await create({ ...revised, steps: [{ ...step, parameters: { minVoxels: 5 } }] });
  await part('a ran under both', [
    [first, 0.5],
    [narrow, 0.4],
  ]);
  await part('b passes the wider limit only', [[first, 1.5]]);
  await part('c ran on an older scan', [[first, 0.5]], 2);
  await part('d ran under both, and worse', [
    [first, 0.5],
    [narrow, 1.2],
  ]);
});
afterAll(async () => {
  expect(service.errors).toEqual([]);
  await service.close();
});

describe('the effect of a version on parts', () => {
  test('is listed for each project with runs, with the gates that change and a summary', async () => {
    const { body } = await listEffects(narrow, `against=${first.id}`);
    expect(body.results).toMatchObject([
      { projectName: 'a ran under both', isChanged: false, gates: [], after: { isFromOther: false } },
      {
        projectName: 'b passes the wider limit only',
        ...{ isChanged: true, before: { outcome: 'pass', isFromOther: false } },
        after: { outcome: 'fail', isFromOther: true },
        gates: [
          {
            ...{ key: 'porosity', label: 'Porosity' },
            before: { measured: 1.5, limit: 2, unit: '%', verdict: 'pass' },
            after: { measured: 1.5, limit: 1, unit: '%', verdict: 'fail' },
          },
        ],
      },
      {
        projectName: 'c ran on an older scan',
        ...{
          isChanged: false,
          before: { outcome: 'notRun', invocationId: null },
          after: { outcome: 'notRun' },
        },
      },
      { projectName: 'd ran under both, and worse', isChanged: true, after: { isFromOther: false } },
    ]);
    expect(body.summary).toEqual([
      { before: 'pass', after: 'fail', count: 2 },
      { before: 'pass', after: 'pass', count: 1 },
      { before: 'notRun', after: 'notRun', count: 1 },
    ]);
  });

  test('can be limited to changes, in pages, with the same summary', async () => {
    const query = `against=${first.id}&onlyChanged=true&page_size=1`;
    const pages = [await listEffects(narrow, query), await listEffects(narrow, `${query}&page=2`)];
    expect(pages.map(({ body }) => body.results.map(({ projectName }) => projectName[0]))).toEqual([
      ['b'],
      ['d'],
    ]);
    expect(pages[1].body.count).toBe(2);
    expect(pages[1].body.summary).toHaveLength(3);
  });

  test('is not derived from a run with other parameters', async () => {
    const { body } = await listEffects(other, `against=${first.id}`);
    expect(body.results.map(({ after }) => after.outcome)).toEqual(Array(4).fill('notRun'));
  });

  test('is hidden from another organization, and compares versions of one recipe only', async () => {
    const stranger = await service.stranger();
    expect((await listEffects(narrow, `against=${first.id}`, stranger.token)).status).toBe(404);
    const theirs = `/api/v2/organizations/${stranger.organizationId}/recipeVersions/${narrow.id}/effects`;
    const asked = await service.ask('GET', `${theirs}?against=${first.id}`, undefined, {
      token: stranger.token,
    });
    expect(asked.status).toBe(404);
    const apart = await create({ name: 'Apart', steps: first.steps, gates: first.gates });
    expect((await listEffects(narrow, `against=${apart.id}`)).status).toBe(404);
    // The default is the previous version; the first version has none.
    expect((await listEffects(narrow, '')).body.summary).toHaveLength(3);
    expect((await listEffects(first, '')).status).toBe(404);
  });
});
