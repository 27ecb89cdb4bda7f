/** Scans with one grey value where nothing was seen: beyond the circle that turns through the view, and above and below it. */
import { describe, expect, it } from 'vitest';
import { inlinePool } from '#kernels/pool.ts';
import { seededNormal } from '#kernels/random.ts';
import { type Body, hollowCylinder, sphere } from '#kernels/testing/bodies.ts';
import { emptyVolume, renderPart } from '#kernels/testing/families/render-part.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { renderScan } from './testing/families/reconstruct-case.ts';
import { runOnScan } from './testing/scan-run.ts';

const pool = inlinePool(await kernelModule());

const edge = 60;
const [outer, pore] = [sphere(15.3), sphere(3.4)];
const hollow: Body = {
  ...outer,
  distanceMm: (x, y, z) => Math.max(outer.distanceMm(x, y, z), -pore.distanceMm(x - 5, y + 2, z)),
};
const render = (body: Body) =>
  renderPart({ body, edgesMm: 0, pores: [], phases: [] }, [edge, edge, edge], [1, 1, 1], 0.6);
const [ball, rod] = [render(hollow), render(hollowCylinder(40, 0, 26))];

type IsUnseen = (x: number, y: number, z: number) => boolean;
/** Air at 8000 with noise, material at 40,000, and one value where nothing was seen; x, y, z from the middle. */
function scanSeen(rendered: typeof ball, isUnseen: IsUnseen, value = 0) {
  const volume = emptyVolume(rendered);
  const normal = seededNormal(5);
  const middle = (edge - 1) / 2;
  rendered.heights.forEach((height, at) => {
    const grey = 8000 + 32_000 * (height + normal() / 20);
    const place = [at % edge, Math.floor(at / edge) % edge, Math.floor(at / edge ** 2)].map(
      (n) => n - middle,
    );
    volume.data[at] = isUnseen(place[0], place[1], place[2]) ? value : Math.max(1, Math.round(grey));
  });
  return renderScan(volume, pool);
}

async function measure(isUnseen: IsUnseen) {
  const { input, quality } = await scanSeen(ball, isUnseen);
  const context = { pool, quality: async () => quality };
  const mesh = await runOnScan('createMesh', {}, input, context);
  const voids = await runOnScan('runIntegrityAnalysis', {}, input, context);
  return {
    quality: quality === 'unjudged' ? null : quality,
    volumeMm3: mesh.dataObjects[0].metadata.volumeMm3 ?? Number.NaN,
    porosity: voids.dataObjects[0].metadata.porosity,
    warnings: [...mesh.warnings, ...voids.warnings].map(({ code }) => code),
  };
}

const whole = await measure(() => false);

describe('regions outside the field of view', () => {
  it.each<[string, IsUnseen, object]>([
    ['a circle about z', (x, y) => Math.hypot(x, y) > 29, { axis: 2, planes: [0, edge] }],
    ['a narrower one about y', (x, _y, z) => Math.hypot(x, z) > 25.5, { axis: 1, planes: [0, edge] }],
    ['planes below', (_x, _y, z) => z < -19.5, { radiusVoxels: null }],
    [
      'a circle, and planes on both sides',
      (x, y, z) => Math.hypot(x, y) > 29 || Math.abs(z) > 22,
      { axis: 2 },
    ],
  ])('count as air: %s', async (_name, isUnseen, field) => {
    const { quality, ...found } = await measure(isUnseen);
    expect(quality?.unseen).toMatchObject({ value: 0, ...field });
    expect(quality?.materials).toHaveLength(1);
    expect(found.warnings).toEqual(whole.warnings);
    expect(Math.abs(found.volumeMm3 / whole.volumeMm3 - 1)).toBeLessThan(1e-3);
    expect(Math.abs(found.porosity / whole.porosity - 1)).toBeLessThan(0.01);
  });

  it('cut a part that reaches into them', async () => {
    const { quality } = await scanSeen(rod, (x, y) => Math.hypot(x, y) > 26);
    expect(quality).toMatchObject({ unseen: { axis: 2 }, border: ['x-', 'x+', 'y-', 'y+'] });
  });

  it.each<[string, IsUnseen, number]>([
    ['a background that was taken away', (x, y, z) => hollow.distanceMm(x, y, z) > 0.5, 0],
    ['a frame brighter than air', (x, y) => Math.hypot(x, y) > 29, 20_000],
    ['a circle beside the middle, which may be a part of the scan', (x, y) => Math.hypot(x - 6, y) > 26, 0],
  ])('is not taken for that: %s', async (_name, isUnseen, value) => {
    const { quality } = await scanSeen(ball, isUnseen, value);
    expect(quality === 'unjudged' ? null : (quality?.unseen ?? null)).toBeNull();
  });
});
