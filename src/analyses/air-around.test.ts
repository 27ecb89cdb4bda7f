/** The air around a part is skipped without changing the result. */
import { beforeAll, expect, it } from 'vitest';
import type { StepKind } from '#contract/analyses/steps.ts';
import { joinBytes } from '#formats/bytes/join-bytes.ts';
import { readGlb } from '#formats/glb/read-glb.ts';
import type { KernelPool } from '#kernels/arena.ts';
import { measureBounds } from '#kernels/color/vertex-areas.ts';
import { summarizeVolume } from '#kernels/grid/summarize.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { inlinePool } from '#kernels/pool.ts';
import { movedBody, sphere } from '#kernels/testing/bodies.ts';
import { blockWith } from '#kernels/testing/carve.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import type { VolumeInput } from './analysis.ts';
import { runOnScan } from './testing/scan-run.ts';

let pool: KernelPool;
let volume: VolumeInput;
let cellsRead = 0;
beforeAll(async () => {
  pool = inlinePool(await kernelModule(), 2);
  const holes = [movedBody(sphere(4), [0.4, 0.2, 1]), movedBody(sphere(3), [8, 10.6, -9.5])];
  const scan = blockWith(holes, { dimensions: [140, 120, 64], blockMm: [31, 27, 70], noise: 100 });
  const source = makeSlabs(scan);
  const readSlab: VolumeInput['readSlab'] = (from, to, signal) => {
    cellsRead += (to - from) * 140 * 120;
    return source.readSlab(from, to, signal);
  };
  volume = { ...source, readSlab, ...(await summarizeVolume(source, pool)) };
});

async function readFigures(kind: StepKind, parameters: Record<string, unknown>, input: VolumeInput) {
  const { dataObjects } = await runOnScan(kind, parameters, input, { pool });
  const [{ metadata, files }] = dataObjects;
  const drawn = files.filter(({ fileName }) => fileName.endsWith('.glb'));
  expect(drawn).toHaveLength(1);
  const { positions } = readGlb(joinBytes(drawn[0].parts));
  return { ...metadata, drawnWithin: measureBounds(positions) };
}

/**
 * Compares except for the last digits: positions count from another cell, and the grey value of air is the mean of fewer
 * cells. A value near the border of two histogram bins may fall into the other one.
 */
function expectAlike(one: unknown, other: unknown, where: string): void {
  if (typeof one === 'number' && typeof other === 'number') {
    expect(Math.abs(one - other), `${where}: ${one} and ${other}`).toBeLessThanOrEqual(
      1e-4 * Math.max(1, Math.abs(one)),
    );
  } else if (where.endsWith('.histogram')) {
    expect(one).toBeDefined();
  } else if (typeof one === 'object' && one !== null) {
    expect(Object.keys(one)).toEqual(Object.keys(other as object));
    for (const [key, value] of Object.entries(one))
      expectAlike(value, Reflect.get(other as object, key), `${where}.${key}`);
  } else expect(one, where).toEqual(other);
}

const region = { min: [-40, -7, -20], max: [60, 40, 60] };
it.each<[string, StepKind, Record<string, unknown>]>([
  ['a mesh', 'createMesh', {}],
  ['a mesh of a region', 'createMesh', { region }],
  ['wall thickness, sphere', 'runWallThickness', { method: 'sphere' }],
  ['wall thickness, ray', 'runWallThickness', { method: 'ray' }],
  ['integrity', 'runIntegrityAnalysis', {}],
  ['integrity of a region', 'runIntegrityAnalysis', { region }],
])('%s of a part that reaches from border to border along z', async (_, kind, parameters) => {
  const known = await readFigures(kind, parameters, volume);
  const unknown = await readFigures(kind, parameters, { ...volume, outline: undefined });
  expectAlike(known, unknown, kind);
});

it('does not read planes that contain only air', async () => {
  const [nx, ny] = volume.grid.dimensions;
  const [alongX, alongY, alongZ] = volume.outline?.greatest ?? [[], [], []];
  // As if all of the part lay in the first planes.
  const low = alongZ.map((value, i) => (i < 2 ? value : 8000));
  const flat: VolumeInput = { ...volume, outline: { step: 8, greatest: [alongX, alongY, low] } };
  cellsRead = 0;
  await readFigures(
    'runIntegrityAnalysis',
    { threshold: { mode: 'iso50' }, includeSurfaceConnected: false },
    flat,
  );
  // One pass for the part's surface, three for voids, their surfaces and volumes, one for pale regions; a few layers of the
  // whole volume for level and noise.
  expect(cellsRead).toBeLessThanOrEqual((4 * (16 + 24 + 8) + 24 * 4 + 8 * 5) * nx * ny);
});
