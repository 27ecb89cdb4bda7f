import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fillUnits } from '#contract/analyses/gates.ts';
import { fillDefaults, pipeline } from '#contract/analyses/pipeline.ts';
import { readGlb } from '#formats/glb/read-glb.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { writeStl } from '#formats/stl/write-stl.ts';
import { type Block, blockVolume, buildStep } from '#formats/testing/build-step.ts';
import { collect } from '#formats/testing/collect.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { type Body, box, movedBody, steppedWedge, turnedBody } from '#kernels/testing/bodies.ts';
import { cubesMesh } from '#kernels/testing/meshes.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { workspaceMembers } from '#storage/db/schema-accounts.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations, recipeInvocations } from '#storage/db/schema-work.ts';
import { createInvocation } from '#storage/recipes/invocations.ts';
import { cancelWork } from '#storage/work/life.ts';
import { contention, expectWithin } from '../testing/contention.ts';
import { openWorkerHarness, type WorkerHarness } from '../testing/worker-harness.ts';

let harness: WorkerHarness;
let scanId: string;
let cadId: string;

const wedge = () => {
  const { positions, indices } = cubesMesh([
    [0, 0, 0],
    [1, 0, 0],
    [1, 0, 1],
  ]);
  const [size, shift] = [
    [4, 5, 3],
    [-4, -2.5, -3],
  ];
  return { positions: positions.map((value, i) => value * size[i % 3] + shift[i % 3]), indices };
};

beforeAll(async () => {
  harness = await openWorkerHarness();
  await harness.startWorker();
  const body = movedBody(turnedBody(steppedWedge([3, 6], 4, 5), [15, -25, 40]), [0.3, 0.2, -0.1]);
  const scan = renderBody(body, { dimensions: [56, 56, 56], voxelSizeMm: [0.2, 0.2, 0.2], noise: 900 });
  const output = async (id: string) => {
    await harness.ended(id);
    return (await harness.outputs(id))[0].id;
  };
  scanId = await output(await harness.upload('wedge.nrrd', await collect(writeNrrd(makeSlabs(scan)))));
  cadId = await output(await harness.upload('wedge.stl', writeStl(wedge()), { kind: 'cad', unit: 'mm' }));
});
afterAll(() => harness.close());

it('aligns a scan with its CAD', async () => {
  const id = await harness.request('runAutoAlignLite', { referenceDataObjectId: cadId });
  const row = await harness.ended(id);
  expect(row.error).toBeNull();
  // And the surface of the scan that it was laid by.
  expect(row.inputDataObjectIds).toEqual([scanId, cadId, expect.any(String)]);
  const alignment = await harness.output(id, 'alignment');
  expect(alignment.metadata).toMatchObject({ ambiguous: false, initial: 'principalAxes' });
  expect(alignment.metadata['matrix']).toHaveLength(16);
  expect(alignment.metadata['rmsMm']).toBeLessThan(0.06);
});

it('compares it, writes the verdict to the project, and states what the result is based on', async () => {
  const tolerance = { lowerMm: -0.1, upperMm: 0.1 };
  const id = await harness.request('runMeshCompare', { referenceDataObjectId: cadId, tolerance });
  const row = await harness.ended(id);
  expect(row.error).toBeNull();
  const compared = await harness.output(id, 'meshCompare');
  expect(compared.metadata).toMatchObject({ verdict: 'pass', tolerance, groups: [] });
  expect(Math.abs(compared.metadata['meanMm'] as number)).toBeLessThan(0.01);
  expect(row.provenance).toMatchObject({
    inputs: [
      { dataObjectId: scanId, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { dataObjectId: cadId, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ],
    parameters: { alignment: 'autoAlign', maxDistanceMm: 1, tolerance },
    algorithms: { alignment: expect.any(String), deviation: expect.any(String) },
  });
  const files = await harness.files(compared.id);
  const glb = files.find(({ fileName }) => fileName === 'deviation.glb');
  const mesh = readGlb(await harness.store.read(glb?.blobKey ?? ''));
  expect(mesh.scalars?.['deviationMm']).toHaveLength(compared.metadata['vertices'] as number);
  const [project] = await harness.db.select().from(projects);
  expect(project.verdict).toBe('pass');
});

it('compares it part by part', async () => {
  const id = await harness.request('runDecomposeMeshCompare', {
    referenceDataObjectId: cadId,
    groupBy: 'region',
  });
  const row = await harness.ended(id);
  expect(row.error).toBeNull();
  const compared = await harness.output(id, 'meshCompare');
  const groups = compared.metadata['groups'] as { name: string; verdict: string }[];
  expect(groups).toHaveLength(8);
  expect(groups.every(({ verdict }) => verdict === 'pass')).toBe(true);
});

it('gives an explicitly requested self-check no verdict, and states why', async () => {
  const made = await harness.request('createMesh');
  await harness.ended(made);
  const [own] = await harness.outputs(made);
  const [before] = await harness.db.select().from(projects);
  for (const kind of ['runMeshCompare', 'runDecomposeMeshCompare'] as const) {
    // The alignment does not matter here and would take longest.
    const parameters = { sourceDataObjectId: scanId, referenceDataObjectId: own.id, alignment: 'none' };
    const id = await harness.request(kind, parameters);
    const row = await harness.ended(id);
    expect(row.error).toBeNull();
    const { metadata } = await harness.output(id, 'meshCompare');
    expect(metadata).toMatchObject({
      verdict: null,
      verdictReason: { code: 'SELF_COMPARISON', message: expect.stringContaining('no verdict') },
    });
    for (const group of metadata['groups'] as { verdict: unknown }[]) expect(group.verdict).toBeNull();
  }
  const [after] = await harness.db.select().from(projects);
  expect(after.verdict).toBe(before.verdict);
});

it('aligns once per recipe, and each later comparison uses that alignment', async () => {
  const tolerance = { lowerMm: -0.1, upperMm: 0.1 };
  const { steps, gates } = pipeline.parameters.parse({
    steps: [
      { key: 'deviation', operation: 'runMeshCompare', parameters: { tolerance }, needs: ['align'] },
      {
        key: 'parts',
        operation: 'runDecomposeMeshCompare',
        parameters: { tolerance, groupBy: 'region' },
        needs: ['align'],
      },
      { key: 'align', operation: 'runAutoAlignLite' },
    ],
    gates: [
      { key: 'fit', measure: 'align.rmsMm', comparison: '<', limit: 60, unit: 'µm' },
      { key: 'shape', measure: 'deviation.inToleranceShare', comparison: '>', limit: 99, unit: '%' },
      { key: 'regions', measure: 'parts.groupCount', comparison: '>=', limit: 8 },
      // The wedge equals its model; the scan cannot show that to a micrometre.
      { key: 'too strict', measure: 'deviation.rmsMm', comparison: '<', limit: 0.001 },
      { key: 'too many', measure: 'parts.groupCount', comparison: '>=', limit: 100 },
    ],
  });
  const { id } = await inTransaction(harness.db, async (tx) => {
    const [project] = await tx.select().from(projects).where(eq(projects.id, harness.projectId));
    const written = { steps: fillDefaults(steps), gates: fillUnits(gates, steps) };
    return createInvocation(tx, { project, ...written, recipe: null, createdBy: harness.userId });
  });
  const read = async () =>
    (await harness.db.select().from(recipeInvocations).where(eq(recipeInvocations.id, id)))[0];
  await harness.until(async () => (await read()).finishedAt !== null);
  const row = await read();
  expect([row.error, row.status, row.verdict]).toEqual([null, 'completed', 'fail']);
  expect(row.gates.map(({ key, verdict }) => [key, verdict])).toEqual([
    ['fit', 'pass'],
    ['shape', 'pass'],
    ['regions', 'pass'],
    ['too strict', 'indeterminate'],
    ['too many', 'fail'],
  ]);
  const made = await harness.db.select().from(operations).where(eq(operations.invocationId, id));
  const step = (key: string) => made.find(({ stepKey }) => stepKey === key) ?? made[0];
  expect(made).toHaveLength(3);
  const alignment = await harness.output(step('align').id, 'alignment');
  for (const key of ['deviation', 'parts']) {
    const { parameters, inputDataObjectIds, createdAt } = step(key);
    const [surface] = await harness.db
      .select()
      .from(dataObjects)
      .where(and(eq(dataObjects.id, inputDataObjectIds[2] ?? ''), eq(dataObjects.kind, 'surface')));
    expect(inputDataObjectIds).toEqual([scanId, cadId, surface?.id]);
    expect(parameters).toMatchObject({ alignment: 'matrix', matrix: alignment.metadata['matrix'] });
    expect(createdAt.getTime()).toBeGreaterThanOrEqual(step('align').finishedAt?.getTime() ?? Infinity);
    const compared = await harness.output(step(key).id, 'meshCompare');
    expect(compared.metadata).toMatchObject({ verdict: 'pass' });
    expect(Math.abs(compared.metadata['meanMm'] as number)).toBeLessThan(0.01);
  }
});

it('fails with a message if the reference has another size', async () => {
  const bytes = writeStl({ ...wedge(), positions: wedge().positions.map((value) => 2 * value) });
  const upload = await harness.upload('large.stl', bytes, { kind: 'cad', unit: 'mm' });
  await harness.ended(upload);
  const [{ id: referenceDataObjectId }] = await harness.outputs(upload);
  const row = await harness.ended(await harness.request('runMeshCompare', { referenceDataObjectId }));
  expect(row.error).toMatchObject({
    code: 'NOT_ALIGNED',
    detail: expect.stringMatching(/0\.\d+ times as large/),
  });
});

it('imports a STEP file, and triangulates it again if the tolerance requires finer triangles', async () => {
  const block: Block = { size: [12, 9, 6], holeRadius: 2.5 };
  const into = await harness.newProject('Block');
  const upload = await harness.upload('block.stp', new TextEncoder().encode(buildStep(block)), {}, into);
  const imported = await harness.ended(upload);
  expect(imported.error).toBeNull();
  const cad = await harness.output(upload, 'cad');
  expect(cad.name).toBe('block');
  expect(cad.metadata).toMatchObject({ format: 'step', faces: 7, bodies: 1, unit: 'mm', watertight: true });
  const deflectionMm = cad.metadata['deflectionMm'] as number;
  expect(deflectionMm).toBeCloseTo(9 * 2e-4, 4);
  expect(Math.abs((cad.metadata['volumeMm3'] as number) / blockVolume(block) - 1)).toBeLessThan(0.001);
  const files = (await harness.files(cad.id)).map(({ fileName }) => fileName);
  expect(files).toEqual(['block.stp', 'faces.json', 'mesh.glb']);

  const solid = box([12, 9, 6]);
  const body: Body = {
    ...solid,
    distanceMm: (x, y, z) => Math.max(solid.distanceMm(x, y, z), 2.5 - Math.hypot(x, y)),
  };
  const scan = renderBody(body, { dimensions: [64, 52, 40], voxelSizeMm: [0.2, 0.2, 0.2] });
  await harness.ended(
    await harness.upload('block.nrrd', await collect(writeNrrd(makeSlabs(scan))), {}, into),
  );
  const compare = async (upperMm: number) => {
    const parameters = {
      referenceDataObjectId: cad.id,
      alignment: 'none',
      groupBy: 'cadFace',
      tolerance: { lowerMm: -upperMm, upperMm },
    };
    const id = await harness.request('runDecomposeMeshCompare', parameters, into);
    expect((await harness.ended(id)).error).toBeNull();
    return (await harness.output(id, 'meshCompare')).metadata;
  };
  const usual = await compare(0.15);
  expect(usual).toMatchObject({ deflectionMm, groupCount: 7, unmeasuredGroups: [] });
  const fine = await compare(0.01);
  expect(fine['deflectionMm']).toBeCloseTo(0.001, 9);
  const hole = (fine['groups'] as { key: string; meanMm: number }[]).find(({ key }) => key === 'face-7');
  expect(Math.abs(hole?.meanMm ?? Number.NaN)).toBeLessThan(0.02);
});

it('stops within a second while aligning, and leaves nothing', async () => {
  /** Null where it was over before anybody could stop it. */
  const stopWhileAligning = async () => {
    const id = await harness.request('runMeshCompare', { referenceDataObjectId: cadId, maxDistanceMm: 2 });
    await harness.until(async () => {
      const { stage, finishedAt } = await harness.read(id);
      return finishedAt !== null || stage === 'Aligning';
    });
    const startedAt = performance.now();
    await harness.db.transaction((tx) => cancelWork(tx, 'operation', id));
    const { status } = await harness.ended(id);
    const stoppedAfterMs = performance.now() - startedAt;
    if (status === 'completed') return null;
    expect(status).toBe('cancelled');
    expect(await harness.outputs(id)).toEqual([]);
    return stoppedAfterMs / contention();
  };
  await expectWithin(1000, async () => {
    for (let attempt = 0; attempt < 10; attempt++) {
      const stoppedAfterMs = await stopWhileAligning();
      if (stoppedAfterMs !== null) return stoppedAfterMs;
    }
    throw new Error('it was over each time before it could be stopped');
  });
});

it('does not pass a plate that is thinner than its CAD model by the tolerance if the scan can’t resolve it', async () => {
  const project = await harness.newProject('Plates');
  const plate = renderBody(movedBody(box([4, 3.6, 0.3]), [0.013, 0.027, 0.041]), {
    ...{ dimensions: [56, 52, 32], voxelSizeMm: [0.1, 0.1, 0.1], noise: 1600 },
  });
  const { positions, indices } = cubesMesh([[0, 0, 0]]);
  const size = [4, 3.6, 0.4];
  const nominal = {
    positions: positions.map((value, i) => (value - 0.5) * size[i % 3] + [0.013, 0.027, 0.041][i % 3]),
    indices,
  };
  await harness.ended(
    await harness.upload('plate.nrrd', await collect(writeNrrd(makeSlabs(plate))), {}, project),
  );
  const upload = await harness.upload('plate.stl', writeStl(nominal), { kind: 'cad', unit: 'mm' }, project);
  await harness.ended(upload);
  const [cad] = await harness.outputs(upload);
  const tolerance = { lowerMm: -0.1, upperMm: 0.1 };
  const parameters = { referenceDataObjectId: cad.id, tolerance, alignment: 'none' };
  const id = await harness.request('runMeshCompare', parameters, project);
  const row = await harness.ended(id);
  expect(row.error).toBeNull();
  expect(row).toMatchObject({ verdict: 'indeterminate' });
  expect(row.warnings).toContainEqual(
    expect.objectContaining({ code: 'SCAN_THIN_WALLS', invalidates: true }),
  );
  const compared = await harness.output(id, 'meshCompare');
  expect(compared.metadata).toMatchObject({
    verdict: 'indeterminate',
    verdictReason: { code: 'SCAN_QUALITY', message: expect.stringContaining('thinnest walls have') },
  });
});

it('compares it with a scan of another project, in which the owner must have a role', async () => {
  const block = async (name: string, sizeMm: [number, number, number]) => {
    const project = await harness.newProject(name);
    const scan = renderBody(movedBody(box(sizeMm), [0.013, 0.027, 0.041]), {
      ...{ dimensions: [64, 56, 48], voxelSizeMm: [0.1, 0.1, 0.1], noise: 900 },
    });
    const upload = await harness.upload('block.nrrd', await collect(writeNrrd(makeSlabs(scan))), {}, project);
    await harness.ended(upload);
    return { project, id: (await harness.outputs(upload))[0].id };
  };
  const [own, other] = [await block('Worn', [4.8, 4, 3.2]), await block('New', [4.8, 4, 3.3])];
  const parameters = { referenceDataObjectId: other.id, alignment: 'none' };
  const strange = await harness.ended(await harness.request('runMeshCompare', parameters, own.project));
  expect(strange.error).toMatchObject({ code: 'MISSING_INPUT', detail: expect.stringContaining(other.id) });
  const [project] = await harness.db.select().from(projects).where(eq(projects.id, other.project));
  const membership = { workspaceId: project.workspaceId, userId: harness.userId, role: 'viewer' as const };
  await harness.db.insert(workspaceMembers).values(membership);
  const id = await harness.request('runMeshCompare', parameters, own.project);
  const row = await harness.ended(id);
  expect(row.error).toBeNull();
  const { metadata } = await harness.output(id, 'meshCompare');
  // Top and bottom are 0.05 mm too low: half of the difference in height.
  expect(metadata).toMatchObject({ verdict: 'pass', deflectionMm: null });
  expect((metadata['percentilesMm'] as { p5: number }).p5).toBeCloseTo(-0.05, 2);
  // The other scan's surface is stored in the comparing project; the scan's own project is unchanged.
  const surfaces = await harness.db.select().from(dataObjects).where(eq(dataObjects.kind, 'surface'));
  const holders = surfaces.map(({ projectId }) => projectId);
  expect(holders.filter((holder) => holder === own.project)).toHaveLength(2);
  expect(holders).not.toContain(other.project);
});
