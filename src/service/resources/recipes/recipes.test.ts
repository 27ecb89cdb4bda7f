import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecipeVersion, ScanRecipeRevision } from '#contract/shapes/recipe.ts';
import { gates, recipe, recipeRequests, steps } from '../../testing/recipes.ts';
import { type TestService, testService } from '../../testing/service.ts';

let service: TestService;
let projectId: string;
let versionsUrl: string;
let revisionsUrl: string;
beforeAll(async () => {
  service = await testService();
  projectId = (await service.project()).id;
  versionsUrl = `/api/v2/organizations/${service.organizationId}/recipeVersions`;
  revisionsUrl = `/api/v2/organizations/${service.organizationId}/scanRecipeRevisions`;
});
afterAll(async () => {
  expect(service.errors).toEqual([]);
  await service.close();
});

const as = (token = service.token) => ({ token });
const { post, get, create, runIn, listQueued } = recipeRequests(() => service);
const run = (body: unknown, inProject = projectId, token?: string) => runIn(inProject, body, token);

describe('recipe versions', () => {
  test('are created with explicit defaults of their analyses and units of their gates', async () => {
    const made = await create({ ...recipe, gates: [{ ...gates[0], unit: '' }] });
    expect(made).toMatchObject({ version: 1, isLatest: true, name: 'Incoming inspection', description: '' });
    expect(made.steps[1].parameters).toMatchObject({
      minThicknessMm: 1,
      method: 'sphere',
      smoothing: 'auto',
    });
    expect(made.gates[0]).toMatchObject({ unit: 'mm', guardBand: null });
  });

  test('are immutable: a revision is the next version, and the newest is marked as such', async () => {
    const first = await create();
    const second = await create({ ...recipe, recipePk: first.recipePk, name: 'Incoming inspection, strict' });
    expect([second.recipePk, second.version]).toEqual([first.recipePk, 2]);
    const { body } = await get<{ results: RecipeVersion[] }>(`${versionsUrl}?recipePk=${first.recipePk}`);
    expect(body.results.map(({ id, version, isLatest }) => [id, version, isLatest])).toEqual([
      [second.id, 2, true],
      [first.id, 1, false],
    ]);
    const latest = await get<{ results: RecipeVersion[] }>(
      `${versionsUrl}?isLatest=true&search=INSPECTION, strict`,
    );
    expect(latest.body.results.map(({ id }) => id)).toEqual([second.id]);
  });

  test('created concurrently get different numbers', async () => {
    const { recipePk } = await create();
    const made = await Promise.all([1, 2, 3, 4].map(() => create({ ...recipe, recipePk })));
    expect(made.map(({ version }) => version).sort()).toEqual([2, 3, 4, 5]);
  });

  test.each([
    ['without steps', { steps: [] }, 'steps'],
    ['a key twice', { steps: [steps[0], steps[0]] }, 'steps.1.key'],
    ['an unknown need', { steps: [{ ...steps[0], needs: ['x'] }] }, 'steps.0.needs'],
    ['a circle', { steps: [{ ...steps[0], needs: ['thickness'] }, steps[1]] }, 'steps'],
    [
      'a wrong parameter',
      { steps: [{ ...steps[1], needs: [], parameters: { minThicknessMm: -1 } }] },
      'steps.0.parameters.minThicknessMm',
    ],
    [
      'an unknown parameter',
      { steps: [{ ...steps[1], needs: [], parameters: { thickness: 1 } }] },
      'steps.0.parameters.thickness',
    ],
    ['a pipeline in a pipeline', { steps: [{ key: 'a', operation: 'runPipeline' }] }, 'steps.0.operation'],
    ['a gate on an unknown step', { gates: [{ ...gates[0], measure: 'x.minMm' }] }, 'gates.0.measure'],
    ['a gate on an unknown measure', { gates: [{ ...gates[0], measure: 'mesh.minMm' }] }, 'gates.0.measure'],
    ['a gate in another unit', { gates: [{ ...gates[0], unit: '%' }] }, 'gates.0.unit'],
    ['a gate twice', { gates: [gates[0], gates[0]] }, 'gates.1.key'],
    ['a guard band below 0', { gates: [{ ...gates[0], guardBand: -1 }] }, 'gates.0.guardBand'],
  ])('with %s are refused, naming the field', async (_, change, field) => {
    const { status, body } = await post(versionsUrl, { ...recipe, ...change });
    expect([status, body.code, body.field]).toEqual([400, 'VALIDATION_FAILED', field]);
  });

  test('accept a comparison whose reference comes from the project and whose matrix comes from its alignment step', async () => {
    const made = await create({
      name: 'Compare',
      steps: [
        { key: 'align', operation: 'runAutoAlignLite' },
        {
          key: 'compare',
          operation: 'runMeshCompare',
          parameters: { alignment: 'matrix' },
          needs: ['align'],
        },
      ],
      gates: [{ key: 'form', measure: 'compare.inToleranceShare', comparison: '>=', limit: 99, unit: '%' }],
    });
    expect(made.steps[1].parameters).not.toHaveProperty('referenceDataObjectId');
    expect(made.steps[1].parameters).not.toHaveProperty('matrix');
  });

  test('are written by editors of any workspace in the organization, and read by every member', async () => {
    await create();
    const editor = await service.member({ role: 'editor' });
    const viewer = await service.member({ role: 'viewer' });
    const stranger = await service.stranger();
    const answers = await Promise.all(
      [editor, viewer, stranger].map(({ token }) => post(versionsUrl, recipe, token)),
    );
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [201, undefined],
      [403, 'PERMISSION_DENIED'],
      [404, 'NOT_FOUND'],
    ]);
    expect((await get(versionsUrl, viewer.token)).status).toBe(200);
    expect((await get(versionsUrl, stranger.token)).status).toBe(404);
    // A recipe can't be revised from another organization.
    const { recipePk } = await create();
    const foreign = `/api/v2/organizations/${stranger.organizationId}/recipeVersions`;
    const { status, body } = await post(foreign, { ...recipe, recipePk }, stranger.token);
    expect([status, body.field]).toEqual([404, 'recipePk']);
  });
});

describe('scan recipe revisions', () => {
  const scan = {
    name: 'Housing, 225 kV',
    scanner: 'Bench 2',
    acquisition: { voltageKv: 190, currentUa: 120, filter: '0.5 mm Cu', projections: 1440, exposureMs: 500 },
    geometry: { sourceToDetectorMm: 1000, sourceToObjectMm: 250 },
  };

  test('are created, revised and listed with the analysis recipe for their scans', async () => {
    const { recipePk } = await create();
    const first = await post<ScanRecipeRevision>(revisionsUrl, scan);
    expect([first.status, first.body.revision, first.body.analysisRecipePk]).toEqual([201, 1, null]);
    const { scanRecipePk } = first.body;
    const second = await post<ScanRecipeRevision>(revisionsUrl, {
      ...scan,
      scanRecipePk,
      analysisRecipePk: recipePk,
    });
    expect([second.body.revision, second.body.analysisRecipePk]).toEqual([2, recipePk]);
    const { body } = await get<{ count: number; results: ScanRecipeRevision[] }>(
      `${revisionsUrl}?scanRecipePk=${scanRecipePk}`,
    );
    expect(body.results.map(({ revision }) => revision)).toEqual([2, 1]);
    expect(body.results[0]).toMatchObject({ acquisition: scan.acquisition, geometry: scan.geometry });
  });

  test('are refused with a scan recipe or analysis recipe of another organization', async () => {
    for (const field of ['scanRecipePk', 'analysisRecipePk']) {
      const { status, body } = await post(revisionsUrl, { ...scan, [field]: crypto.randomUUID() });
      expect([status, body.field]).toEqual([404, field]);
    }
    const negative = await post(revisionsUrl, { ...scan, acquisition: { voltageKv: -1 } });
    expect([negative.status, negative.body.field]).toEqual([400, 'acquisition.voltageKv']);
    const viewer = await service.member({ role: 'viewer' });
    expect((await post(revisionsUrl, scan, viewer.token)).status).toBe(403);
  });
});

describe('running a recipe', () => {
  test('queues the newest version unless one is given', async () => {
    const first = await create();
    const second = await create({ ...recipe, recipePk: first.recipePk });
    const { recipePk } = first;
    const { status, body } = await run({ recipePk });
    expect([status, body.status, body.recipeVersionId]).toEqual([202, 'pending', second.id]);
    expect(body).toMatchObject({
      projectId,
      recipePk,
      recipeName: 'Incoming inspection',
      version: 2,
      verdict: null,
      steps: [
        { key: 'mesh', operation: 'createMesh', status: 'pending', operationId: null },
        { key: 'thickness', needs: ['mesh'], status: 'pending', operationId: null },
      ],
      gates: [{ key: 'wall', limit: 1.2, unit: 'mm', measured: null, verdict: null }],
    });
    expect(await listQueued(body.id)).toMatchObject([{ priority: 50 }]);
    const named = await run({ recipePk, recipeVersionId: first.id });
    expect(named.body.recipeVersionId).toBe(first.id);
  });

  test('of another organization, or an unknown one, is not found', async () => {
    const stranger = await service.stranger();
    const { recipePk } = await create();
    expect((await run({ recipePk }, projectId, stranger.token)).status).toBe(404);
    for (const [body, field] of [
      [{ recipePk: crypto.randomUUID() }, 'recipePk'],
      [{ recipePk, recipeVersionId: crypto.randomUUID() }, 'recipeVersionId'],
    ] as const) {
      const answer = await run(body);
      expect([answer.status, answer.body.field]).toEqual([404, field]);
    }
    expect((await run({})).body.field).toBe('recipePk');
  });

  test('requires an editor, a project that is not archived, and the modules of its steps', async () => {
    const { recipePk } = await create();
    const viewer = await service.member({ role: 'viewer' });
    const refused = await run({ recipePk }, projectId, viewer.token);
    expect([refused.status, refused.body.code]).toEqual([403, 'PERMISSION_DENIED']);
    const { id } = await service.project();
    await post(`/api/v2/projects/${id}/archive`);
    const archived = await run({ recipePk }, id);
    expect([archived.status, archived.body.code]).toEqual([409, 'PROJECT_ARCHIVED']);
    const modules = `/api/v2/organizations/${service.organizationId}/analysisModules`;
    const { body } = await get<{ results: { id: string; key: string }[] }>(modules);
    const module = `${modules}/${body.results.find(({ key }) => key === 'wallThickness')?.id}`;
    await service.ask('PATCH', module, { enabled: false }, as());
    const off = await run({ recipePk });
    expect([off.status, off.body.code]).toEqual([403, 'MODULE_NOT_ENABLED']);
    const pipeline = await post(`/api/v2/projects/${projectId}/runPipeline`, { steps });
    expect([pipeline.status, pipeline.body.code]).toEqual([403, 'MODULE_NOT_ENABLED']);
    await service.ask('PATCH', module, { enabled: true }, as());
  });
});
