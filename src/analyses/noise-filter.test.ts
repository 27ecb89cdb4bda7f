import { beforeAll, describe, expect, it } from 'vitest';
import type { StepKind } from '#contract/analyses/steps.ts';
import type { KernelPool } from '#kernels/arena.ts';
import { inlinePool } from '#kernels/pool.ts';
import { seededRandom } from '#kernels/random.ts';
import { makeScan } from '#kernels/testing/accuracy/scans.ts';
import { type Body, hollowCylinder, sphere } from '#kernels/testing/bodies.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import type { VolumeInput } from './analysis.ts';
import { makeInput, runOnScan } from './testing/scan-run.ts';

let one: KernelPool;
let three: KernelPool;
beforeAll(async () => {
  const module = await kernelModule();
  [one, three] = [inlinePool(module), inlinePool(module, 3)];
});

const ball = sphere(2.63);
const tube = hollowCylinder(1.5, 1, 1.4);

/** Noise of 5 % of the contrast, and four cells of a thousand that are wild, as of a detector with faults. */
async function wildScan(body: Body): Promise<VolumeInput> {
  const volume = makeScan(body, { pose: 'tilted', voxels: 'cubic', greys: 'noise' });
  const random = seededRandom(7);
  for (let i = 0; i < volume.data.length; i++) {
    if (random() < 0.004) volume.data[i] = random() < 0.5 ? 0 : 65_535;
  }
  return makeInput(volume, one);
}

const run = <Kind extends StepKind>(kind: Kind, parameters: object, volume: VolumeInput, pool = one) =>
  runOnScan(kind, parameters, volume, { pool });

describe('the noise filter before a surface', () => {
  it('makes one closed body from a scan with outliers, accurate within 0.2 percent', async () => {
    const volume = await wildScan(ball);
    const { dataObjects, algorithms } = await run('createMesh', { noiseFilter: 'median' }, volume);
    const { metadata } = dataObjects[0];
    expect(metadata).toMatchObject({ noiseFilter: 'median', components: 1, watertight: true });
    expect(Math.abs((metadata.volumeMm3 as number) / ball.volumeMm3 - 1)).toBeLessThan(0.002);
    expect(algorithms).toHaveProperty('medianFilter', '1');
    const raw = await run('createMesh', {}, volume);
    expect(raw.dataObjects[0].metadata.components).toBeGreaterThan(50);
    expect(raw.dataObjects[0].metadata.noiseFilter).toBe('none');
    expect(raw.algorithms).not.toHaveProperty('medianFilter');
  });

  it('yields equal bytes for any number of threads, different from those without the filter', async () => {
    const volume = await wildScan(tube);
    const runToBytes = async (parameters: object, pool: KernelPool) => {
      const { dataObjects } = await run('createMesh', { formats: ['stl'], ...parameters }, volume, pool);
      return dataObjects[0].files.map(({ parts }) => Buffer.concat(parts).toString('base64'));
    };
    const filtered = await runToBytes({ noiseFilter: 'median' }, one);
    expect(await runToBytes({ noiseFilter: 'median' }, three)).toEqual(filtered);
    const asItIs = await runToBytes({}, one);
    expect(await runToBytes({ noiseFilter: 'none' }, one)).toEqual(asItIs);
    expect(filtered).not.toEqual(asItIs);
  });

  it('works for wall thickness and textured meshes, too', async () => {
    const volume = await wildScan(tube);
    const walls = await run('runWallThickness', { noiseFilter: 'median' }, volume);
    const { percentilesMm, noiseFilter } = walls.dataObjects[0].metadata;
    expect(Math.abs((percentilesMm as { p50: number }).p50 - 0.5)).toBeLessThan(0.015);
    expect(noiseFilter).toBe('median');
    expect(walls.algorithms).toHaveProperty('medianFilter');
    const wanted = { noiseFilter: 'median', textureSize: 256, targetTriangles: 2_000 };
    const textured = await run('createTexturedMesh', wanted, volume);
    expect(textured.dataObjects[0].metadata).toMatchObject({ noiseFilter: 'median', components: 1 });
    expect(textured.algorithms).toHaveProperty('medianFilter');
  });
});
