import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fillUnits } from '#contract/analyses/gates.ts';
import { fillDefaults, pipeline } from '#contract/analyses/pipeline.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { collect } from '#formats/testing/collect.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { box, movedBody, sphere } from '#kernels/testing/bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations, recipeInvocations, recipes, recipeVersions } from '#storage/db/schema-work.ts';
import { createInvocation } from '#storage/recipes/invocations.ts';
import { listCharacteristics } from '#storage/verdicts/list-characteristics.ts';
import { openWorkerHarness, type WorkerHarness } from '../testing/worker-harness.ts';

let harness: WorkerHarness;

/** A ball of 1 mm radius: 4.19 mm³. */
async function scanBall(projectId: string): Promise<void> {
  const ball = renderBody(sphere(1), { dimensions: [32, 32, 32], voxelSizeMm: [0.1, 0.1, 0.1] });
  await harness.ended(
    await harness.upload('ball.nrrd', await collect(writeNrrd(makeSlabs(ball))), {}, projectId),
  );
}

/** A recipe with an upper limit for the part's volume. */
async function runRecipe(projectId: string, name: string, largestMm3: number, operation = 'createMesh') {
  const step = { key: 'mesh', operation };
  const gate = { key: 'size', measure: 'mesh.volumeMm3', comparison: '<=', limit: largestMm3 };
  const gates = operation === 'createMesh' ? [gate] : [{ ...gate, measure: 'mesh.maxMm' }];
  const { steps, gates: judged } = pipeline.parameters.parse({ steps: [step], gates });
  const written = { steps: fillDefaults(steps), gates: fillUnits(judged, steps) };
  const id = await harness.db.transaction(async (tx) => {
    const { organizationId } = harness;
    const [project] = await tx.select().from(projects).where(eq(projects.id, projectId));
    const [{ id: recipeId }] = await tx.insert(recipes).values({ organizationId, name }).returning();
    const [version] = await tx
      .insert(recipeVersions)
      .values({ recipeId, organizationId, version: 1, name, status: 'released', ...written })
      .returning();
    const recipe = { recipeId, recipeVersionId: version.id };
    return (await createInvocation(tx, { project, ...written, recipe, createdBy: harness.userId })).id;
  });
  const read = async () =>
    (await harness.db.select().from(recipeInvocations).where(eq(recipeInvocations.id, id)))[0];
  await harness.until(async () => (await read()).finishedAt !== null);
  return read();
}

const readProject = async (id: string) =>
  (await harness.db.select().from(projects).where(eq(projects.id, id)))[0];
const readAll = async (id: string) =>
  (await listCharacteristics(harness.db, [id], { onlyCurrent: false })).get(id)?.characteristics ?? [];

beforeAll(async () => {
  harness = await openWorkerHarness();
  await harness.startWorker();
});
afterAll(() => harness.close());

it('another recipe does not change a rejected part to Pass', async () => {
  const id = await harness.newProject('Rejected');
  await scanBall(id);
  await runRecipe(id, 'Too strict', 1);
  expect((await readProject(id)).verdict).toBe('fail');
  const second = await runRecipe(id, 'Generous', 100);
  expect(second.verdict).toBe('pass');
  const { verdict, leadingCharacteristic } = await readProject(id);
  expect(verdict).toBe('fail');
  expect(leadingCharacteristic).toMatchObject({ name: 'Volume', upper: 1, lower: null, unit: 'mm³' });
  expect(leadingCharacteristic?.measured).toBeCloseTo(4.19, 1);
});

it('a new scan resets the verdict until it is measured, and marks earlier results as outdated', async () => {
  const id = await harness.newProject('Scanned twice');
  await scanBall(id);
  await runRecipe(id, 'Size', 1);
  expect((await readProject(id)).verdict).toBe('fail');
  await scanBall(id);
  expect(await readProject(id)).toMatchObject({ verdict: null, leadingCharacteristic: null });
  expect(await readAll(id)).toMatchObject([{ name: 'Volume', verdict: 'fail', outdated: true }]);
  await runRecipe(id, 'Size again', 100);
  expect((await readProject(id)).verdict).toBe('pass');
  expect(await readAll(id)).toMatchObject([
    { verdict: 'pass', outdated: false },
    { verdict: 'fail', outdated: true },
  ]);
});

it('a recipe that could not run leaves the part without a verdict, with the reason', async () => {
  const id = await harness.newProject('Without CAD');
  await scanBall(id);
  await runRecipe(id, 'Size', 100);
  expect((await readProject(id)).verdict).toBe('pass');
  const failed = await runRecipe(id, 'Compare', 1, 'runMeshCompare');
  expect(failed.status).toBe('failed');
  expect((await readProject(id)).verdict).toBe('indeterminate');
  const [open] = await readAll(id);
  expect(open).toMatchObject({ name: 'Maximum deviation', measured: null, verdict: 'indeterminate' });
  expect(open.reason).toMatch(/^Could not run\. .*needs a CAD model/);
});

it('a pipeline is only a trial, and its operation reports the outcome', async () => {
  const id = await harness.newProject('Tried');
  await scanBall(id);
  const parameters = pipeline.parameters.parse({
    steps: [{ key: 'mesh', operation: 'createMesh' }],
    gates: [{ key: 'size', measure: 'mesh.volumeMm3', comparison: '<=', limit: 1 }],
  });
  const operationId = crypto.randomUUID();
  await harness.db.transaction(async (tx) => {
    const [project] = await tx.select().from(projects).where(eq(projects.id, id));
    const place = { projectId: id, organizationId: harness.organizationId };
    await tx.insert(operations).values({ id: operationId, ...place, operation: 'runPipeline' });
    const { steps, gates } = parameters;
    const filled = { steps: fillDefaults(steps), gates: fillUnits(gates, steps) };
    await createInvocation(tx, { project, ...filled, recipe: null, createdBy: harness.userId, operationId });
  });
  expect(await harness.ended(operationId)).toMatchObject({ status: 'completed', verdict: 'fail' });
  expect((await readProject(id)).verdict).toBeNull();
  expect(await readAll(id)).toEqual([]);
});

it('a gate on a number that the scan does not support is indeterminate, with the reason', async () => {
  const id = await harness.newProject('Thin plate');
  const plate = renderBody(movedBody(box([4, 3.6, 0.3]), [0.013, 0.027, 0.041]), {
    ...{ dimensions: [56, 52, 32], voxelSizeMm: [0.1, 0.1, 0.1], noise: 1600 },
  });
  await harness.ended(await harness.upload('plate.nrrd', await collect(writeNrrd(makeSlabs(plate))), {}, id));
  const run = await runRecipe(id, 'Largest volume', 40);
  expect(run.verdict).toBe('indeterminate');
  expect((await readProject(id)).verdict).toBe('indeterminate');
  const [characteristic] = await readAll(id);
  expect(characteristic).toMatchObject({ verdict: 'indeterminate', measured: expect.closeTo(4.32, -1) });
  expect(characteristic.reason).toMatch(
    /^The thinnest walls have \d\.\d voxels; .* Volume and area may be wrong/,
  );
});

it('a scan of pure noise has no surface', async () => {
  const id = await harness.newProject('Noise');
  const noise = renderBody(movedBody(sphere(1), [90, 0, 0]), {
    ...{ dimensions: [48, 48, 48], voxelSizeMm: [0.1, 0.1, 0.1], noise: 1600 },
  });
  await harness.ended(await harness.upload('noise.nrrd', await collect(writeNrrd(makeSlabs(noise))), {}, id));
  const run = await runRecipe(id, 'Largest', 40);
  expect(run).toMatchObject({ status: 'failed', verdict: null });
  expect(run.error?.detail).toContain('one grey value and noise: there is no part in it');
});
