import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { asc, eq, inArray } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillUnits } from '#contract/analyses/gates.ts';
import { fillDefaults, type PipelineParameters, pipeline } from '#contract/analyses/pipeline.ts';
import { bytesSource } from '#formats/bytes/byte-source.ts';
import { readZipDirectory } from '#formats/zip/zip-directory.ts';
import { UnpackedCache, zipEntrySource } from '#formats/zip/zip-entry-source.ts';
import { notifications } from '#storage/db/schema-collaboration.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations, recipeInvocations, recipes, recipeVersions } from '#storage/db/schema-work.ts';
import { cancelInvocation, createInvocation, retryInvocation } from '#storage/recipes/invocations.ts';
import { holdResult, holdThreads } from '../testing/hold.ts';
import { ingestTube } from '../testing/parts.ts';
import { openWorkerHarness, type WorkerHarness } from '../testing/worker-harness.ts';

let harness: WorkerHarness;

beforeAll(async () => {
  harness = await openWorkerHarness();
  await harness.startWorker();
  await ingestTube(harness);
});
afterAll(() => harness.close());

type Draft = { steps: Partial<PipelineParameters['steps'][number]>[]; gates?: object[] };

/** The steps run as a recipe of the organization, or as a pipeline when it has no name. */
async function run(draft: Draft, into = harness.projectId, name?: string): Promise<string> {
  const { steps, gates } = pipeline.parameters.parse(draft);
  return harness.db.transaction(async (tx) => {
    const organizationId = harness.organizationId;
    const [project] = await tx.select().from(projects).where(eq(projects.id, into));
    const written = { steps: fillDefaults(steps), gates: fillUnits(gates, steps) };
    let recipe: { recipeId: string; recipeVersionId: string } | null = null;
    if (name !== undefined) {
      const [{ id: recipeId }] = await tx.insert(recipes).values({ organizationId, name }).returning();
      const [version] = await tx
        .insert(recipeVersions)
        .values({ recipeId, organizationId, version: 1, name, status: 'released', ...written })
        .returning();
      recipe = { recipeId, recipeVersionId: version.id };
    }
    const createdBy = harness.userId;
    return (await createInvocation(tx, { project, ...written, recipe, createdBy })).id;
  });
}

const rowOf = async (id: string) =>
  (await harness.db.select().from(recipeInvocations).where(eq(recipeInvocations.id, id)))[0];
async function ended(id: string) {
  await harness.until(async () => (await rowOf(id)).finishedAt !== null);
  return rowOf(id);
}
const listSteps = (id: string) =>
  harness.db
    .select()
    .from(operations)
    .where(eq(operations.invocationId, id))
    .orderBy(asc(operations.createdAt), asc(operations.stepKey));
const isRunning = (id: string, stepKey: string) => async () =>
  (await listSteps(id)).some(
    (step) => step.stepKey === stepKey && step.status === 'processing' && step.progress > 0,
  );

async function readFiles(archiveKey: string | null): Promise<Map<string, Uint8Array>> {
  const source = bytesSource('results.zip', await harness.store.read(archiveKey ?? ''));
  const cache = new UnpackedCache();
  const files = new Map<string, Uint8Array>();
  for (const entry of await readZipDirectory(source)) {
    const part = zipEntrySource(source, entry, cache);
    files.set(entry.path, await part.read(0, part.size));
  }
  return files;
}

const thickness = { key: 'thickness', operation: 'runWallThickness' as const };
const mesh = { key: 'mesh', operation: 'createMesh' as const };

describe('an invocation of a recipe', () => {
  it('runs its steps in the order of their dependencies, judges its gates and packs the results', async () => {
    const id = await run(
      {
        steps: [
          { ...thickness, needs: ['pores'] },
          { key: 'pores', operation: 'runIntegrityAnalysis', needs: ['mesh'] },
          mesh,
        ],
        gates: [
          { key: 'wall', measure: 'thickness.meanMm', comparison: '>=', limit: 400, unit: 'µm' },
          { key: 'volume', measure: 'mesh.volumeMm3', comparison: '<=', limit: 22, guardBand: 1 },
          { key: 'pores', measure: 'pores.porosity', comparison: '<', limit: 1, unit: '%' },
        ],
      },
      harness.projectId,
      'Tube',
    );
    const row = await ended(id);
    expect(row.error).toBeNull();
    expect([row.status, row.progress]).toEqual(['completed', 1]);
    expect(row.verdict).toBe('indeterminate');
    const steps = await listSteps(id);
    expect(steps.map(({ stepKey, status }) => [stepKey, status])).toEqual([
      ['mesh', 'completed'],
      ['pores', 'completed'],
      ['thickness', 'completed'],
    ]);
    for (const [before, after] of [
      [0, 1],
      [1, 2],
    ])
      expect(steps[after].createdAt.getTime()).toBeGreaterThanOrEqual(
        steps[before].finishedAt?.getTime() ?? Infinity,
      );
    const judged = Object.fromEntries(row.gates.map((gate) => [gate.key, gate]));
    expect(judged['wall'].verdict).toBe('pass');
    // The wall is 0.5 mm; the gate is in µm.
    expect(judged['wall'].measured).toBeGreaterThan(450);
    expect(judged['wall'].measured).toBeLessThan(550);
    expect(judged['volume']).toMatchObject({ verdict: 'indeterminate', limit: 22 });
    expect(judged['pores'].verdict).toBe('pass');
    const [project] = await harness.db.select().from(projects).where(eq(projects.id, harness.projectId));
    expect(project.verdict).toBe('indeterminate');
    const told = await harness.db
      .select()
      .from(notifications)
      .where(eq(notifications.kind, 'recipeInvocation.completed'));
    expect(told.map(({ title }) => title)).toEqual(['Indeterminate by Tube: Part']);

    const files = await readFiles(row.archiveKey);
    expect([...files.keys()]).toEqual(
      expect.arrayContaining([
        'report.pdf',
        'results.json',
        'results.csv',
        'mesh/mesh.glb',
        'thickness/thickness.glb',
        'pores/defects.csv',
        'SHA256SUMS',
      ]),
    );
    const text = (name: string) => new TextDecoder().decode(files.get(name));
    const sums = text('SHA256SUMS').trim().split('\n');
    expect(sums).toHaveLength(files.size - 1);
    for (const line of sums) {
      const [sum, name] = line.split('  ');
      expect([
        name,
        createHash('sha256')
          .update(files.get(name) ?? '')
          .digest('hex'),
      ]).toEqual([name, sum]);
    }
    const json = JSON.parse(text('results.json')) as { gates: object[]; steps: { provenance: object }[] };
    expect(json.gates).toHaveLength(3);
    for (const { provenance } of json.steps)
      expect(provenance).toMatchObject({
        inputs: Array(2).fill({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }),
      });
    expect(text('results.csv')).toContain('gate,thickness,thickness.meanMm,Mean thickness,');
    const [head, ...lines] = text('results.csv').trim().split('\r\n');
    expect(head).toMatch(/,verdict,recipeVersion,uncertainty$/);
    for (const line of lines) expect(line).toMatch(/,1,[\d.e-]*$/);
    if (process.env['REPORT']) await writeFile(process.env['REPORT'], files.get('report.pdf') ?? '');
    expect(new TextDecoder('latin1').decode(files.get('report.pdf')?.subarray(0, 5))).toBe('%PDF-');
  });

  it('passes a step the output of the step it depends on, not data added to the project meanwhile', async () => {
    const id = await run({ steps: [mesh, { ...thickness, needs: ['mesh'] }] });
    await ended(id);
    const [first, second] = await listSteps(id);
    // Wall thickness works on volumes alone: a mesh that it needs is waited for, and not its source.
    expect(second.inputDataObjectIds).toEqual(first.inputDataObjectIds);
  });

  it('fails with a message if its data are missing, and does not start dependent steps', async () => {
    const id = await run(
      { steps: [mesh, { ...thickness, needs: ['mesh'] }] },
      await harness.newProject('Empty'),
    );
    const row = await ended(id);
    expect([row.status, row.verdict, row.archiveKey]).toEqual(['failed', null, null]);
    expect(row.error?.detail).toBe(
      'The step “mesh” (Mesh) failed: Mesh needs data of the kind volume; upload it to the project first.',
    );
    expect(row.steps.map(({ status }) => status)).toEqual(['failed', 'cancelled']);
    expect(await listSteps(id)).toHaveLength(1);
  });

  it('continues with steps that do not depend on a failed step, and resumes at the failed step on retry', async () => {
    const broken = { surface: { mode: 'value', value: 70_000 } };
    const id = await run({
      steps: [
        mesh,
        { ...thickness, parameters: broken },
        { key: 'last', operation: 'createMesh', needs: ['thickness'] },
      ],
      gates: [{ key: 'volume', measure: 'mesh.volumeMm3', comparison: '>', limit: 1 }],
    });
    const failed = await ended(id);
    expect(failed.status).toBe('failed');
    expect(failed.steps.map(({ status }) => status)).toEqual(['completed', 'failed', 'cancelled']);
    expect(failed.error?.detail).toContain('The step “thickness” (Wall thickness) failed: ');
    expect(failed.gates[0].verdict).toBe('pass');
    expect(failed.archiveKey).not.toBeNull();

    // The cause of the failure is removed: here wrong parameters, in practice a file or a full disk.
    const definition = {
      ...failed.definition,
      steps: failed.definition.steps.map((step) =>
        step.key === 'thickness' ? { ...step, parameters: {} } : step,
      ),
    };
    await harness.db.update(recipeInvocations).set({ definition }).where(eq(recipeInvocations.id, id));
    await harness.db.transaction((tx) => retryInvocation(tx, id));
    const row = await ended(id);
    expect([row.status, row.verdict]).toEqual(['completed', 'pass']);
    expect((await listSteps(id)).map(({ stepKey, status }) => [stepKey, status])).toEqual([
      ['mesh', 'completed'],
      ['thickness', 'failed'],
      ['thickness', 'completed'],
      ['last', 'completed'],
    ]);
    // A pipeline gives no verdict on the part.
    const [project] = await harness.db.select().from(projects).where(eq(projects.id, harness.projectId));
    expect(project.verdict).toBe('indeterminate');
  });

  it('stops with its steps when it is cancelled, and resumes when it is retried', async () => {
    const held = holdThreads(harness);
    const id = await run({ steps: [thickness, { ...mesh, needs: ['thickness'] }] });
    await held.reached;
    await harness.db.transaction((tx) => cancelInvocation(tx, id));
    const row = await ended(id);
    held.release();
    expect([row.status, row.error, row.archiveKey]).toEqual(['cancelled', null, null]);
    expect(row.steps.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect((await listSteps(id)).map(({ status }) => status)).toEqual(['cancelled']);
    await harness.db.transaction((tx) => retryInvocation(tx, id));
    expect((await ended(id)).status).toBe('completed');
  });

  it('continues after the worker was killed in the middle of a step, and does nothing twice', async () => {
    await harness.stopWorker();
    const release = await holdResult(harness, 'wallThickness');
    const child = harness.spawnWorker();
    const id = await run({ steps: [mesh, { ...thickness, needs: ['mesh'] }] });
    await harness.until(isRunning(id, 'thickness'));
    await harness.killWorker(child);
    const killedAt = Date.now();
    await release();
    await harness.startWorker();
    const row = await ended(id);
    expect([row.status, row.error]).toEqual(['completed', null]);
    const steps = await listSteps(id);
    expect(steps.map(({ stepKey, startedAt }) => [stepKey, (startedAt?.getTime() ?? 0) > killedAt])).toEqual([
      ['mesh', false],
      ['thickness', true],
    ]);
    const ofSteps = inArray(
      dataObjects.createdByOperationId,
      steps.map((step) => step.id),
    );
    expect(await harness.db.$count(dataObjects, ofSteps)).toBe(2);
  });

  it('of a bulk run does not delay a single analysis', async () => {
    const ids: string[] = [];
    await harness.db.transaction(async (tx) => {
      const [project] = await tx.select().from(projects).where(eq(projects.id, harness.projectId));
      const { steps } = pipeline.parameters.parse({ steps: [mesh] });
      for (let i = 0; i < 5; i += 1) {
        const bulkItemId = crypto.randomUUID();
        const made = { project, steps, gates: [], recipe: null, createdBy: null, bulkItemId };
        ids.push((await createInvocation(tx, made)).id);
      }
    });
    await harness.until(async () => (await listSteps(ids[0])).length > 0);
    const single = await harness.ended(await harness.request('createMesh'));
    const steps = (await Promise.all(ids.map(listSteps))).flat();
    const wasFirst = steps.filter(
      ({ finishedAt }) =>
        finishedAt && finishedAt > single.createdAt && finishedAt < (single.finishedAt ?? new Date(0)),
    );
    // Only those that a worker had already claimed.
    expect(wasFirst.length).toBeLessThanOrEqual(3);
    for (const id of ids) expect((await ended(id)).status).toBe('completed');
  });
});
