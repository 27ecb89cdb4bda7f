import { afterAll, beforeAll, expect, it } from 'vitest';
import { openVolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { collect } from '#formats/testing/collect.ts';
import { writeTiff } from '#formats/tiff/write-tiff.ts';
import { writeZip, type ZipInput } from '#formats/zip/write-zip.ts';
import { rotate } from '#kernels/grid/vectors.ts';
import { plainDetector } from '#kernels/reconstruction/geometry.ts';
import { anglesOver, simulateRadiographs } from '#kernels/testing/radiographs.ts';
import { retryWork } from '#storage/work/life.ts';
import { expectStopped } from '../testing/expect-stopped.ts';
import { holdThreads } from '../testing/hold.ts';
import { openWorkerHarness, type WorkerHarness } from '../testing/worker-harness.ts';

let harness: WorkerHarness;
beforeAll(async () => {
  harness = await openWorkerHarness();
  await harness.startWorker();
});
afterAll(() => harness.close());

const geometry = {
  sourceToAxisMm: 150,
  sourceToDetectorMm: 450,
  pixelSizeMm: 2,
  totalAngleDeg: 360,
  turntable: 'clockwise',
};
const makeZip = async (count: number, json: object, turnDeg = 360): Promise<Uint8Array> => {
  const { projections } = simulateRadiographs({
    bodies: [
      { kind: 'ellipsoid', attenuation: 0.1, center: [3, 0, 0], radiiMm: [9, 9, 9] },
      { kind: 'ellipsoid', attenuation: 0.1, center: [0, 5, 3], radiiMm: [2, 2, 2] },
    ],
    geometry: {
      beam: 'cone',
      sourceToAxisMm: 150,
      sourceToDetectorMm: 450,
      columns: 64,
      rows: 48,
      pixelSizeMm: [2, 2],
      anglesDeg: anglesOver(turnDeg, count),
      detector: plainDetector(150, 450, { offsetMm: [-1, 0] }),
    },
    flatLevel: 50_000,
  });
  const files: ZipInput[] = [
    { path: 'projections.tif', data: writeTiff(projections), compress: true },
    { path: 'geometry.json', data: new TextEncoder().encode(JSON.stringify(json)) },
  ];
  return collect(writeZip(files));
};
const ask = async (parameters: object, projectId: string) => {
  const id = await harness.request('runReconstructionPreview', { ...parameters }, projectId);
  const row = await harness.ended(id);
  expect(row.error).toBeNull();
  const volume = await harness.output(id, 'volume');
  const reader = await openVolumeReader(harness.store, volume.volumeKey ?? '');
  return { row, volume, values: await reader.slabs(0).readSlab(0, reader.meta.dimensions[2]) };
};

it('radiographs become a volume: missing geometry is requested, the rest is determined and recorded', async () => {
  const projectId = await harness.newProject('Ball');
  const { pixelSizeMm: _pixel, ...lacking } = geometry;
  const id = await harness.upload('scan.zip', await makeZip(90, lacking), {}, projectId);
  const failed = await harness.ended(id);
  expect(failed.error).toMatchObject({ code: 'INPUT_INCOMPLETE', missing: ['pixelSizeMm'] });
  await harness.db.transaction((tx) => retryWork(tx, 'operation', id, { parameters: { pixelSizeMm: 2 } }));
  expect((await harness.ended(id)).error).toBeNull();
  const [radiographs] = await harness.outputs(id);
  expect(radiographs).toMatchObject({
    kind: 'radiographs',
    metadata: {
      projections: 90,
      detector: [64, 48],
      pixelSizeMm: 2,
      geometry: { beam: 'cone', sourceToAxisMm: 150, turntable: 'clockwise' },
      flats: 0,
      darks: 0,
    },
  });

  const first = await ask({ maxDimension: 48 }, projectId);
  const { metadata } = first.volume;
  expect(first.volume.kind).toBe('volume');
  expect(metadata['dimensions']).toEqual([48, 48, 37]);
  const facts = metadata['reconstruction'] as Record<string, unknown>;
  expect(facts).toMatchObject({ beam: 'cone', projections: 90, centerFoundBy: 'symmetry', filter: 'ramLak' });
  // The detector stands 1 mm to the left of the central ray: half a pixel of 2 mm.
  expect(Math.abs((facts['centerOfRotationMm'] as number) - 1)).toBeLessThan(0.2);
  expect(facts['freeBeamLevel']).toBe(50_000);
  const [nx, ny] = metadata['dimensions'] as number[];
  const [voxel] = metadata['voxelSizeMm'] as number[];
  const origin = metadata['originMm'] as number[];
  const at = (...point: number[]) => {
    const [i, j, k] = point.map((value, axis) => Math.round((value - origin[axis]) / voxel));
    return first.values[(k * ny + j) * nx + i];
  };
  expect(Math.abs(at(3, -3, -2) / 0.1 - 1)).toBeLessThan(0.05);
  expect(Math.abs(at(0, 5, 3) / 0.2 - 1)).toBeLessThan(0.15);
  expect(Math.abs(at(-12, 0, 0))).toBeLessThan(0.01);
  expect(first.row.provenance).toMatchObject({
    inputs: [{ dataObjectId: radiographs.id, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    algorithms: { filteredBackProjection: '4', centerOfRotation: '2' },
  });

  const second = await ask({ maxDimension: 48 }, projectId);
  expect(second.values).toEqual(first.values);
  expect(second.volume.metadata).toEqual(metadata);
  const given = await ask({ maxDimension: 48, centerOfRotationMm: -6 }, projectId);
  expect(given.volume.metadata['reconstruction']).toMatchObject({
    centerFoundBy: 'given',
    centerOfRotationMm: -6,
  });

  // One energy hardens nothing: no correction is found, or next to none.
  const asked = await ask({ maxDimension: 48, findBeamHardening: true, scatterShare: 0.001 }, projectId);
  const corrected = asked.volume.metadata['reconstruction'] as Record<string, unknown>;
  expect(corrected).toMatchObject({ scatterShare: 0.001 });
  expect(corrected['beamHardening']).toBeLessThan(0.01);
  expect(asked.row.provenance).toMatchObject({ algorithms: { beamHardening: '1' } });

  // The reconstructed volume is like any other.
  const meshId = await harness.request('createMesh', { sourceDataObjectId: first.volume.id }, projectId);
  expect((await harness.ended(meshId)).error).toBeNull();
  const mesh = await harness.output(meshId, 'mesh');
  const truth = (4 / 3) * Math.PI * 9 ** 3;
  expect(Math.abs((mesh.metadata['volumeMm3'] as number) / truth - 1)).toBeLessThan(0.05);
});

it('a scan with drift is reconstructed with the per-projection poses of its scenario', async () => {
  const count = 90;
  const mm = (value: number, drifts: object[] = []) => ({ value, unit: 'mm', drifts });
  const vector = (x: number, y: number, z: number) => ({ x: { value: x }, y: { value: y }, z: { value: z } });
  const center = (x: number, y = mm(0)) => ({ x: mm(x), y, z: mm(0) });
  const scenario = {
    file: { file_type: 'CTSimU Scenario' },
    geometry: {
      // Over the scan, the focal spot wanders by 8 mm across the beam.
      source: { type: 'cone', center: center(0, mm(0, [{ value: [-4, 4], unit: 'mm' }])) },
      stage: { center: center(150), vector_u: vector(1, 0, 0), vector_w: vector(0, 0, 1) },
      detector: { center: center(450), vector_u: vector(0, -1, 0), vector_w: vector(1, 0, 0) },
    },
    detector: {
      columns: { value: 64 },
      rows: { value: 48 },
      pixel_pitch: { u: mm(2), v: mm(2) },
      gray_value: { imax: { value: 50_000 } },
    },
    acquisition: {
      start_angle: { value: 0 },
      stop_angle: { value: 360 },
      direction: 'CCW',
      number_of_projections: count,
      include_final_angle: false,
    },
  };
  const circle = { columns: 64, rows: 48, pixelSizeMm: [2, 2] as [number, number] };
  const center3 = [9, -5, 3] as [number, number, number];
  const { projections } = simulateRadiographs({
    bodies: [{ kind: 'ellipsoid', attenuation: 0.1, center: center3, radiiMm: [4, 4, 4] }],
    geometry: {
      ...circle,
      beam: 'cone',
      sourceToAxisMm: 150,
      sourceToDetectorMm: 450,
      anglesDeg: anglesOver(360, count),
      detector: plainDetector(150, 450),
      // The part sees the scanner turn against the stage.
      views: Array.from({ length: count }, (_, i) => {
        const turn = (x: number, y: number, z: number) =>
          rotate([x, y, z], [0, 0, 1], (-2 * Math.PI * i) / count);
        return {
          sourceMm: turn(-150, -4 + (8 * i) / (count - 1), 0),
          detector: {
            centerMm: turn(300, 0, 0),
            alongColumns: turn(0, -1, 0),
            alongRows: turn(0, 0, -1),
          },
        };
      }),
    },
    flatLevel: 50_000,
  });
  const files: ZipInput[] = [
    { path: 'scan.tif', data: writeTiff(projections), compress: true },
    { path: 'scan.json', data: new TextEncoder().encode(JSON.stringify(scenario)) },
  ];
  const projectId = await harness.newProject('Drift');
  const upload = await harness.ended(
    await harness.upload('scan.zip', await collect(writeZip(files)), {}, projectId),
  );
  expect(upload.error).toBeNull();
  const { volume, values } = await ask({ maxDimension: 48 }, projectId);
  expect(volume.metadata['reconstruction']).toMatchObject({ centerFoundBy: 'geometry' });
  const [nx, ny] = volume.metadata['dimensions'] as number[];
  const [voxel] = volume.metadata['voxelSizeMm'] as number[];
  const origin = volume.metadata['originMm'] as number[];
  const directions = volume.metadata['directions'] as number[];
  const middle = [0, 0, 0];
  let weight = 0;
  for (const [n, value] of values.entries()) {
    if (value < 0.05) continue;
    const cell = [n % nx, Math.floor(n / nx) % ny, Math.floor(n / (nx * ny))];
    weight++;
    for (const k of [0, 1, 2])
      middle[k] += origin[k] + cell.reduce((sum, i, axis) => sum + i * voxel * directions[3 * axis + k], 0);
  }
  // Without the poses the ball is off by more than a voxel.
  expect(Math.hypot(...middle.map((sum, k) => sum / weight - center3[k]))).toBeLessThan(0.1 * voxel);
});

it('a reconstruction stops within a second when it is cancelled, and leaves nothing', async () => {
  const projectId = await harness.newProject('Cancelled');
  const upload = await harness.ended(
    await harness.upload('scan.zip', await makeZip(120, geometry), {}, projectId),
  );
  expect(upload.error).toBeNull();
  await expectStopped(harness, async () => {
    const { reached, release } = holdThreads(harness, 'backProject');
    const id = await harness.request('runReconstructionPreview', {}, projectId);
    await reached;
    return { id, release };
  });
});

it('flaws of the radiographs invalidate the numbers measured in their volume', async () => {
  const projectId = await harness.newProject('Seen from one side');
  const turned = { ...geometry, totalAngleDeg: 120 };
  const id = await harness.upload('side.zip', await makeZip(30, turned, 120), {}, projectId);
  expect((await harness.ended(id)).error).toBeNull();
  const { volume } = await ask({}, projectId);
  expect(volume.warnings.map(({ code }) => code)).toContain('ANGLES_MISSING');
  const mesh = await harness.request('createMesh', {}, projectId);
  expect((await harness.ended(mesh)).error).toBeNull();
  const { warnings } = await harness.output(mesh, 'mesh');
  expect(warnings.find(({ code }) => code === 'ANGLES_MISSING')).toMatchObject({
    invalidates: true,
    measures: expect.arrayContaining(['volumeMm3']),
  });
});
