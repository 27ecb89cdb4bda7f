import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '#contract/shapes/operation.ts';
import type { RecipeInvocation } from '#contract/shapes/recipe.ts';
import type { ProjectStatus } from '#contract/shapes/status.ts';
import { dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';
import { blobs } from '#storage/db/schema-projects.ts';
import {
  bulkItems,
  bulkRequests,
  operations,
  recipeInvocations,
  workQueue,
} from '#storage/db/schema-work.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { gates, recipeRequests, steps } from '../../testing/recipes.ts';
import { type TestService, testService } from '../../testing/service.ts';

let service: TestService;
let projectId: string;
beforeAll(async () => {
  service = await testService();
  projectId = (await service.project()).id;
});
afterAll(async () => {
  expect(service.errors).toEqual([]);
  await service.close();
});

const as = (token = service.token) => ({ token });
const { post, get, create, runIn, listQueued } = recipeRequests(() => service);
const run = (body: unknown, inProject = projectId, token?: string) => runIn(inProject, body, token);

describe('an invocation', () => {
  const read = (id: string, token?: string) =>
    get<RecipeInvocation>(`/api/v2/recipeInvocations/${id}`, token);
  const cancel = (id: string, token?: string) =>
    post<RecipeInvocation>(`/api/v2/recipeInvocations/${id}/cancel`, undefined, token);
  const retry = (id: string) => post<RecipeInvocation>(`/api/v2/recipeInvocations/${id}/retry`);
  const results = (id: string) =>
    get<{ results: { dataObjectId: string; dataObjectFileNames: string[] }[]; downloadableResults: string }>(
      `/api/v2/recipeInvocations/${id}/results`,
    );

  test('is listed by its project, newest first, and shown in its status', async () => {
    const { id: own } = await service.project();
    const { recipePk } = await create();
    const first = (await run({ recipePk }, own)).body.id;
    const second = (await run({ recipePk: (await create()).recipePk }, own)).body.id;
    const list = `/api/v2/projects/${own}/recipeInvocations`;
    const page = await get<{ count: number; next: string; results: RecipeInvocation[] }>(
      `${list}?page_size=1`,
    );
    expect([page.body.count, page.body.results[0].id]).toEqual([2, second]);
    expect(page.body.next).toContain('page=2');
    expect((await get(`${list}?page=3`)).status).toBe(404);
    const { recipeVersionId } = page.body.results[0];
    for (const url of [list, '/api/v2/recipeInvocations']) {
      const ofVersion = await get<{ results: RecipeInvocation[] }>(
        `${url}?recipeVersionId=${recipeVersionId}`,
      );
      expect(ofVersion.body.results.map(({ id }) => id)).toEqual([second]);
    }
    const { body } = await get<ProjectStatus>(`/api/v2/projects/${own}/status`);
    expect(body.recipeInvocations.map(({ id }) => id)).toEqual([second, first]);
    const stranger = await service.stranger();
    expect((await read(first, stranger.token)).status).toBe(404);
  });

  test('is listed across accessible projects by recipe, status and verdict', async () => {
    const projects = [await service.project({ name: 'One' }), await service.project({ name: 'Two' })];
    const { recipePk } = await create();
    const ids = [];
    for (const { id } of projects) ids.push((await run({ recipePk }, id)).body.id);
    await service.db
      .update(recipeInvocations)
      .set({ status: 'completed', verdict: 'fail', finishedAt: new Date() })
      .where(eq(recipeInvocations.id, ids[0]));
    const [bulk] = await service.db
      .insert(bulkRequests)
      .values({ operationType: 'runRecipe', totalCount: 1 })
      .returning();
    const [item] = await service.db
      .insert(bulkItems)
      .values({ bulkRequestId: bulk.id, projectId: projects[1].id, position: 0 })
      .returning();
    await service.db
      .update(recipeInvocations)
      .set({ bulkItemId: item.id })
      .where(eq(recipeInvocations.id, ids[1]));
    const list = async (query: string, token?: string) =>
      (
        await get<{
          count: number;
          results: { id: string; projectName: string; bulkRequestId: string | null }[];
        }>(`/api/v2/recipeInvocations?recipePk=${recipePk}${query}`, token)
      ).body.results;
    expect(
      (await list('')).map(({ id, projectName, bulkRequestId }) => [id, projectName, bulkRequestId]),
    ).toEqual([
      [ids[1], 'Two', bulk.id],
      [ids[0], 'One', null],
    ]);
    expect((await list('&verdict=fail')).map(({ id }) => id)).toEqual([ids[0]]);
    expect(await list('&verdict=pass')).toEqual([]);
    expect(
      (await list(`&status=pending&organization=${service.organizationId}`)).map(({ id }) => id),
    ).toEqual([ids[1]]);
    expect(await list('&status=pending&status=completed')).toHaveLength(2);
    expect(await list(`&organization=${crypto.randomUUID()}`)).toEqual([]);
    const refused = await get('/api/v2/recipeInvocations?verdict=perhaps');
    expect([refused.status, refused.body.field]).toEqual([400, 'verdict']);
    expect(await list('', (await service.stranger()).token)).toEqual([]);
    await service.ask('DELETE', `/api/v2/projects/${projects[0].id}`, undefined, as());
    expect((await list('')).map(({ id }) => id)).toEqual([ids[1]]);
  });

  test('shows the state of its steps’ operations', async () => {
    const { recipePk } = await create();
    const { body } = await run({ recipePk });
    const [operation] = await service.db
      .insert(operations)
      .values({
        projectId,
        organizationId: service.organizationId,
        operation: 'createMesh',
        status: 'processing',
        progress: 0.5,
        invocationId: body.id,
        stepKey: 'mesh',
      })
      .returning();
    await service.db
      .update(recipeInvocations)
      .set({
        status: 'processing',
        steps: [
          { key: 'mesh', operationId: operation.id, status: 'pending' },
          { key: 'thickness', operationId: null, status: 'pending' },
        ],
      })
      .where(eq(recipeInvocations.id, body.id));
    const held = { workerId: operation.id, beatAt: new Date() };
    const work = { id: operation.id, kind: 'operation', place: 'compute', priority: 50 };
    await service.db.insert(workQueue).values({ ...work, ...held });
    const shown = (await read(body.id)).body;
    expect(shown.steps[0]).toMatchObject({ status: 'processing', progress: 0.5, operationId: operation.id });
    expect(shown.progress).toBeCloseTo(0.245, 6);
    const stopped = await cancel(body.id);
    expect([stopped.status, stopped.body.status]).toEqual([202, 'cancelling']);
    expect(stopped.body.steps[0].status).toBe('cancelling');
  });

  test('that is pending is cancelled immediately with its steps; a finished one is not', async () => {
    const { recipePk } = await create();
    const { id } = (await run({ recipePk })).body;
    const viewer = await service.member({ role: 'viewer' });
    expect((await cancel(id, viewer.token)).status).toBe(403);
    const { status, body } = await cancel(id);
    expect([status, body.status, body.steps.map((step) => step.status)]).toEqual([
      202,
      'cancelled',
      ['cancelled', 'cancelled'],
    ]);
    const again = await cancel(id);
    expect([again.status, again.body.code]).toEqual([409, 'ALREADY_FINISHED']);
  });

  test('that failed resumes with the steps that did not succeed; a running one can’t be resumed', async () => {
    const { recipePk } = await create();
    const { id } = (await run({ recipePk })).body;
    const early = await retry(id);
    expect([early.status, early.body.code]).toEqual([409, 'CONFLICT']);
    await cancel(id);
    const { status, body } = await retry(id);
    expect([status, body.status, body.finishedAt]).toEqual([202, 'pending', null]);
    expect(body.steps.map((step) => step.status)).toEqual(['pending', 'pending']);
    expect(await listQueued(id)).toHaveLength(1);
  });

  test('has results when finished: files by data object, and one URL for all that needs no token', async () => {
    const { recipePk } = await create();
    const { id } = (await run({ recipePk })).body;
    const early = await results(id);
    expect([early.status, early.body.code]).toEqual([409, 'CONFLICT']);
    const of = { projectId, organizationId: service.organizationId };
    const [operation] = await service.db
      .insert(operations)
      .values({ ...of, operation: 'createMesh', status: 'completed', invocationId: id, stepKey: 'mesh' })
      .returning();
    const [object] = await service.db
      .insert(dataObjects)
      .values({ projectId, ...exampleContent('mesh'), name: 'Mesh', createdByOperationId: operation.id })
      .returning();
    const keys = ['files/aa/one', 'exports/aa/two'];
    await service.db.insert(blobs).values(keys.map((key) => ({ key, kind: 'object' as const })));
    for (const key of keys) await service.blobs.put(key, new TextEncoder().encode(key), { mediaType: 'a/b' });
    await service.db.insert(dataObjectFiles).values({
      dataObjectId: object.id,
      fileName: 'mesh.glb',
      mediaType: 'model/gltf-binary',
      sizeBytes: 12,
      sha256: 'a'.repeat(64),
      blobKey: keys[0],
    });
    await service.db
      .update(recipeInvocations)
      .set({
        status: 'completed',
        progress: 1,
        verdict: 'pass',
        finishedAt: new Date(),
        archiveKey: keys[1],
        steps: [{ key: 'mesh', operationId: operation.id, status: 'completed' }],
      })
      .where(eq(recipeInvocations.id, id));
    const { status, body } = await results(id);
    expect([status, body.results]).toEqual([
      200,
      [{ dataObjectId: object.id, dataObjectFileNames: ['mesh.glb'] }],
    ]);
    const address = new URL(body.downloadableResults);
    expect(decodeURIComponent(address.pathname)).toMatch(/_Incoming inspection v1_[\d-]+\.zip$/);
    const file = await service.ask('GET', `${address.pathname}${address.search}`);
    expect([file.status, file.text]).toEqual([200, keys[1]]);
    expect(file.headers['content-type']).toBe('application/zip');
  });
});

describe('a pipeline', () => {
  test('is an operation of the project and an invocation that is its own recipe', async () => {
    const { id: own } = await service.project();
    const body = { steps, gates };
    const { status, body: operation } = await post<Operation>(`/api/v2/projects/${own}/runPipeline`, body);
    expect([status, operation.operation, operation.status]).toEqual([202, 'runPipeline', 'pending']);
    const state = (await get<ProjectStatus>(`/api/v2/projects/${own}/status`)).body;
    expect(state.analyses.pipeline).toMatchObject({ id: operation.id, status: 'pending' });
    const [invocation] = state.recipeInvocations;
    expect(invocation).toMatchObject({ recipePk: invocation.id, recipeName: null, version: null });
    expect(invocation.gates).toMatchObject([{ key: 'wall', unit: 'mm' }]);
    // A second request while it is pending returns the same operation.
    const again = await post<Operation>(`/api/v2/projects/${own}/runPipeline`, body);
    expect(again.body.id).toBe(operation.id);
    const stopped = await post<Operation>(`/api/v2/operations/${operation.id}/cancel`);
    expect(stopped.body.status).toBe('cancelled');
    const { body: after } = await get<RecipeInvocation>(`/api/v2/recipeInvocations/${invocation.id}`);
    expect(after.status).toBe('cancelled');
    const retried = await post<Operation>(`/api/v2/operations/${operation.id}/retry`, {});
    expect(retried.body.status).toBe('pending');
    expect(await listQueued(invocation.id)).toHaveLength(1);
  });

  test('names the invalid parameter and its step', async () => {
    const { status, body } = await post(`/api/v2/projects/${projectId}/runPipeline`, {
      steps: [{ key: 'a', operation: 'createMesh', parameters: { smoothing: 99 } }],
    });
    expect([status, body.field]).toEqual([400, 'steps.0.parameters.smoothing']);
    expect((await post(`/api/v2/projects/${projectId}/runPipeline`)).body.field).toBe('steps');
  });
});
