import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Characteristic } from '#contract/shapes/characteristic.ts';
import type { Project } from '#contract/shapes/project.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { recipeInvocations } from '#storage/db/schema-work.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { recomputeVerdicts } from '#storage/verdicts/recompute-verdicts.ts';
import { describePores, describeRegion, judgedParts } from '../../testing/judged-parts.ts';
import { type TestService, testService } from '../../testing/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await testService();
});
afterAll(async () => {
  expect(service.errors).toEqual([]);
  await service.close();
});

const {
  get,
  post,
  readProject,
  newPart,
  scan,
  addResult,
  compare,
  createVersion,
  addRun,
  tick,
  listCharacteristics,
} = judgedParts(() => service);

describe('the characteristics of a part', () => {
  test('are the gates of its recipes and the tolerances of its comparisons, worst first', async () => {
    const id = await newPart();
    const source = await scan(id);
    const cad = await scan(id, 'cad');
    const version = await createVersion(describePores('Porosity'));
    const deviation = await compare(id, [source, cad], 'fail');
    await addRun(id, version, source, 0.4);
    const found = await listCharacteristics(id);
    expect(found).toMatchObject([
      {
        ...{ name: 'CAD comparison', verdict: 'fail', outdated: false, dataObjectId: deviation },
        ...{ nominal: 0, lower: -0.1, upper: 0.1, measured: -0.31, unit: 'mm', positionMm: [1, 2, 3] },
        source: { kind: 'comparison', referenceDataObjectId: cad },
      },
      {
        ...{ name: 'Porosity', verdict: 'pass', measured: 0.4, upper: 1, lower: null, unit: '%' },
        source: { kind: 'recipe', name: 'Porosity', recipeVersionId: version.id, version: 1 },
      },
    ]);
    expect(await readProject(id)).toMatchObject({
      verdict: 'fail',
      leadingCharacteristic: { id: found[0].id, name: 'CAD comparison', measured: -0.31 },
    });
  });

  test('name a comparison with another scan by what it is', async () => {
    const id = await newPart();
    const other = await scan(id, 'mesh');
    const deviation = await compare(id, [await scan(id), other], 'fail');
    const name = 'Surface comparison';
    await service.db.update(dataObjects).set({ name }).where(eq(dataObjects.id, deviation));
    expect(await listCharacteristics(id)).toMatchObject([
      { name, source: { kind: 'comparison', name, referenceDataObjectId: other } },
    ]);
  });

  test('come in pages, by number and by cursor', async () => {
    const id = await newPart();
    const source = await scan(id);
    for (let n = 0; n < 5; n++) await compare(id, [source, await scan(id, 'cad')], n < 2 ? 'fail' : 'pass');
    const all = await listCharacteristics(id);
    expect(all).toHaveLength(5);
    const walked: string[] = [];
    let url: string | null = `/api/v2/projects/${id}/characteristics?page_size=2`;
    let last = '';
    while (url) {
      type Answer = {
        results: Characteristic[];
        count: number;
        nextCursor?: string;
        previousCursor?: string;
      };
      const { body, status }: { body: Answer; status: number } = await get<Answer>(url);
      expect([status, body.count]).toEqual([200, 5]);
      walked.push(...body.results.map((each) => each.id));
      last = body.previousCursor ?? last;
      url = body.nextCursor
        ? `/api/v2/projects/${id}/characteristics?page_size=2&cursor=${body.nextCursor}`
        : null;
    }
    expect(walked).toEqual(all.map((each) => each.id));
    const before = await listCharacteristics(id, `?page_size=2&cursor=${last}`);
    expect(before.map((each) => each.id)).toEqual(walked.slice(2, 4));
    expect((await get(`/api/v2/projects/${id}/characteristics?page=4&page_size=2`)).status).toBe(404);
  });

  test('of a passed comparison show its margin, not edges rounded off by the scan', async () => {
    const id = await newPart();
    const inputs = [await scan(id), await scan(id, 'cad')];
    const metadata = {
      ...{ verdict: 'pass' as const, tolerance: { lowerMm: -0.1, upperMm: 0.1 }, regions: [] },
      ...{ minMm: -0.02, maxMm: 0.05 },
    };
    const fromReference = { ...exampleContent('meshCompare', metadata).metadata, minMm: -0.24, maxMm: 0.03 };
    await addResult(id, 'runMeshCompare', 'meshCompare', {
      inputs,
      metadata: { ...metadata, fromReference },
    });
    expect(await listCharacteristics(id)).toMatchObject([{ verdict: 'pass', measured: 0.05, reason: null }]);
  });

  test('of a comparison have the uncertainty of the displayed deviation', async () => {
    const id = await newPart();
    const source = await scan(id);
    const tolerance = { lowerMm: -0.1, upperMm: 0.1 };
    const one = (expanded: number) => ({ expanded, k: 2 as const, contributions: [] });
    const uncertainties = { minMm: one(0.01), maxMm: one(0.02), 'fromReference.maxMm': one(0.03) };
    const told = async (metadata: object) => {
      const inputs = [source, await scan(id, 'cad')];
      const shown = await addResult(id, 'runMeshCompare', 'meshCompare', {
        ...{ inputs, metadata: { tolerance, regions: [], uncertainties, ...metadata } },
      });
      return (await listCharacteristics(id)).find(({ dataObjectId }) => dataObjectId === shown);
    };
    const range = { minMm: -0.02, maxMm: 0.05 };
    expect(await told({ verdict: 'pass', ...range })).toMatchObject({ measured: 0.05, uncertainty: 0.02 });
    const fromReference = {
      ...exampleContent('meshCompare', { tolerance, regions: [] }).metadata,
      ...{ minMm: -0.03, maxMm: 0.09 },
    };
    expect(await told({ verdict: 'indeterminate', ...range, fromReference })).toMatchObject({
      ...{ measured: 0.09, uncertainty: 0.03 },
    });
    const regions = [{ ...describeRegion(-0.31), uncertaintyMm: 0.00412 }];
    expect(await told({ verdict: 'fail', ...range, regions })).toMatchObject({
      ...{ measured: -0.31, uncertainty: 0.00412, guardBand: 0.0041 },
    });
    // The uncertainty of an extreme selected by noise, which exceeds that of a single place.
    expect(await told({ verdict: 'fail', ...range, minMm: -0.31, regions })).toMatchObject({
      ...{ measured: -0.31, uncertainty: 0.01, guardBand: 0.0041 },
    });
    expect(await told({ verdict: 'pass', ...range, uncertainties: undefined })).toMatchObject({
      ...{ measured: 0.05, uncertainty: null },
    });
  });

  test('of a strict gate explain why a value equal to the limit fails', async () => {
    const id = await newPart();
    const source = await scan(id);
    const [gate] = describePores('Strict').gates;
    const version = await createVersion({
      ...describePores('Strict'),
      gates: [{ ...gate, comparison: '<' }],
    });
    await addRun(id, version, source, 1, 'fail');
    expect(await listCharacteristics(id)).toMatchObject([
      { verdict: 'fail', measured: 1, upper: 1, reason: expect.stringContaining('less than the limit') },
    ]);
  });

  test('of a failed recipe stay failed when a new run can’t execute', async () => {
    const id = await newPart();
    const source = await scan(id);
    const version = await createVersion(describePores('Tried again'));
    const { recipePk: recipeId, id: recipeVersionId, steps, gates } = version;
    const runInVain = async () => {
      const at = tick();
      await service.db.insert(recipeInvocations).values({
        ...{ projectId: id, organizationId: service.organizationId, recipeId, recipeVersionId },
        ...{ definition: { steps, gates }, status: 'failed', createdAt: at, startedAt: at, finishedAt: at },
        error: { code: 'STEP_FAILED', detail: 'The step was cancelled.' },
        steps: [{ key: 'pores', operationId: null, status: 'cancelled' }],
      });
      await recomputeVerdicts(service.db, [id]);
    };
    const read = async () =>
      (await listCharacteristics(id)).map(({ verdict, outdated }) => [verdict, outdated]);
    await addRun(id, version, source, 3);
    await runInVain();
    await runInVain();
    expect(await readProject(id)).toMatchObject({
      verdict: 'fail',
      leadingCharacteristic: { measured: 3 },
    });
    expect(await read()).toEqual([
      ['fail', false],
      ['indeterminate', false],
      ['indeterminate', true],
    ]);
    await addRun(id, version, source, 0.5);
    expect((await readProject(id)).verdict).toBe('pass');
    // A pass becomes indeterminate, because the newest run may have had other limits.
    await runInVain();
    expect((await readProject(id)).verdict).toBe('indeterminate');
  });

  test('of a part of another organization are not found', async () => {
    const id = await newPart();
    const foreign = await service.stranger();
    for (const path of ['characteristics', 'dispositions'])
      expect((await get(`/api/v2/projects/${id}/${path}`, foreign.token)).status).toBe(404);
    const body = { decision: 'accept', reason: 'mine' };
    expect((await post(`/api/v2/projects/${id}/dispositions`, body, foreign.token)).status).toBe(404);
  });

  test('a newer comparison replaces the earlier one with the same reference, but not one with another', async () => {
    const id = await newPart();
    const source = await scan(id);
    const [first, second] = [await scan(id, 'cad'), await scan(id, 'cad')];
    await compare(id, [source, first], 'fail');
    await compare(id, [source, second], 'pass');
    expect((await readProject(id)).verdict).toBe('fail');
    await compare(id, [source, first], 'pass');
    expect((await readProject(id)).verdict).toBe('pass');
    expect((await listCharacteristics(id)).map(({ verdict, outdated }) => [verdict, outdated])).toEqual([
      ['pass', false],
      ['pass', false],
      ['fail', true],
    ]);
    expect(await listCharacteristics(id, '?outdated=true')).toHaveLength(1);
  });

  test('those of an older scan are outdated, including those through a mesh made from it', async () => {
    const id = await newPart();
    const source = await scan(id);
    const cad = await scan(id, 'cad');
    const mesh = await addResult(id, 'createMesh', 'mesh', { inputs: [source] });
    await compare(id, [mesh, cad], 'fail');
    expect((await readProject(id)).verdict).toBe('fail');
    const again = await scan(id);
    expect((await readProject(id)).verdict).toBeNull();
    expect(await listCharacteristics(id)).toMatchObject([{ verdict: 'fail', outdated: true }]);
    await compare(id, [again, cad], 'pass');
    expect((await readProject(id)).verdict).toBe('pass');
  });

  test('a golden part uploaded later and used only as reference does not count as a newer scan', async () => {
    const id = await newPart();
    const source = await scan(id);
    const golden = await scan(id, 'mesh');
    await compare(id, [source, golden], 'fail');
    expect((await readProject(id)).verdict).toBe('fail');
  });

  test('a comparison of a scan with data made from it does not count', async () => {
    const id = await newPart();
    const source = await scan(id);
    const mesh = await addResult(id, 'createMesh', 'mesh', { inputs: [source] });
    await compare(id, [source, mesh], 'pass');
    expect((await readProject(id)).verdict).toBeNull();
    expect(await listCharacteristics(id)).toEqual([]);
  });

  test('a copy of a rejected part is rejected', async () => {
    const id = await newPart();
    const source = await scan(id);
    await addRun(id, await createVersion(describePores('Copied')), source, 3);
    const body = { destinationWorkspaceId: service.workspaceId };
    const { body: copy } = await post<Project>(`/api/v2/projects/${id}/copy`, body);
    expect(copy).toMatchObject({ verdict: 'fail', leadingCharacteristic: { name: 'Porosity' } });
    await scan(copy.id, 'cad');
    expect((await readProject(copy.id)).verdict).toBe('fail');
    expect(await listCharacteristics(copy.id)).toMatchObject([
      { name: 'Porosity', verdict: 'fail', outdated: false },
    ]);
  });
});

describe('comparisons of a copied part', () => {
  const copyProject = async (id: string) =>
    (await post<Project>(`/api/v2/projects/${id}/copy`, { destinationWorkspaceId: service.workspaceId }))
      .body;

  test('with CAD models of other projects stay separate: their shared surface is not a reference', async () => {
    const [id, library] = [await newPart(), await newPart()];
    const [source, first, second] = [await scan(id), await scan(library, 'cad'), await scan(library, 'cad')];
    const surface = await addResult(id, 'createMesh', 'surface', { inputs: [source] });
    await compare(id, [source, first, surface], 'fail');
    await compare(id, [source, second, surface], 'pass');
    const copy = await copyProject(id);
    expect(copy.verdict).toBe('fail');
    expect((await listCharacteristics(copy.id)).map(({ verdict, outdated }) => [verdict, outdated])).toEqual([
      ['fail', false],
      ['pass', false],
    ]);
  });

  test('whose parameters name the original’s golden part find the copy’s own', async () => {
    const id = await newPart();
    const source = await scan(id);
    const surface = await addResult(id, 'createMesh', 'surface', { inputs: [source] });
    const golden = await scan(id, 'mesh');
    const parameters = { referenceDataObjectId: crypto.randomUUID() };
    await compare(id, [source, surface, golden], 'fail', { parameters });
    expect((await readProject(id)).verdict).toBe('fail');
  });
});

test('repeating runRecipe while the run is pending returns the same run', async () => {
  const id = await newPart();
  await scan(id);
  const { recipePk } = await createVersion(describePores('Repeated'));
  const run = async () =>
    (await post<{ id: string }>(`/api/v2/projects/${id}/runRecipe`, { recipePk })).body.id;
  const ids = await Promise.all([run(), run(), run()]);
  expect(new Set(ids).size).toBe(1);
  await service.db
    .update(recipeInvocations)
    .set({ status: 'completed', finishedAt: new Date() })
    .where(eq(recipeInvocations.id, ids[0]));
  expect(await run()).not.toBe(ids[0]);
});
