/** Single extreme grey values, as left by defective detector pixels and divisions by almost zero. */
import { expect, it } from 'vitest';
import type { Volume } from '#kernels/grid/volume.ts';
import { inlinePool } from '#kernels/pool.ts';
import { type Body, sphere } from '#kernels/testing/bodies.ts';
import { emptyVolume, renderPart } from '#kernels/testing/families/render-part.ts';
import { addGrain } from '#kernels/testing/impaired-scans.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { renderScan } from './testing/families/reconstruct-case.ts';
import { runOnScan } from './testing/scan-run.ts';

const pool = inlinePool(await kernelModule());

const [outer, pore] = [sphere(14.3), sphere(3.4)];
const hollow: Body = {
  ...outer,
  distanceMm: (x, y, z) => Math.max(outer.distanceMm(x, y, z), -pore.distanceMm(x - 5, y + 2, z)),
};
const rendered = renderPart(
  { body: hollow, edgesMm: 0, pores: [], phases: [] },
  [44, 44, 44],
  [1, 1, 1],
  0.6,
);

/** Attenuations with noise, and some values that are none. */
async function measure(outliers: readonly [cell: number, value: number][]) {
  const data = Float32Array.from(rendered.heights, (height) => 0.1 * height);
  const volume: Volume = { ...emptyVolume(rendered), dataType: 'float32', data };
  addGrain(volume, 0.005, 0, 3);
  for (const [cell, value] of outliers) data[cell] = value;
  const { input, quality } = await renderScan(volume, pool);
  const context = { pool, quality: async () => quality };
  const mesh = await runOnScan('createMesh', {}, input, context);
  const voids = await runOnScan('runIntegrityAnalysis', {}, input, context);
  return {
    contrastToNoise: quality === 'unjudged' ? null : quality?.contrastToNoise,
    volumeMm3: mesh.dataObjects[0].metadata.volumeMm3 ?? Number.NaN,
    components: mesh.dataObjects[0].metadata.components,
    defectCount: voids.dataObjects[0].metadata.defectCount,
    porosity: voids.dataObjects[0].metadata.porosity,
  };
}

const clean = await measure([]);

const cellAt = (x: number, y: number, z: number) => (z * 44 + y) * 44 + x;

it.each<[string, [number, number][]]>([
  ['one of ten million times the contrast', [[cellAt(5, 6, 7), 1e6]]],
  ['one far below air, within the part', [[cellAt(18, 20, 22), -1e5]]],
  [
    'a row of eight, hot and cold',
    Array.from({ length: 8 }, (_, i) => [cellAt(4, 5 + 4 * i, 9), i % 2 ? 1e4 : -1e4]),
  ],
])('moves no number: %s', async (_name, outliers) => {
  const spoilt = await measure(outliers);
  expect(Math.abs((spoilt.contrastToNoise ?? 0) - (clean.contrastToNoise ?? 0))).toBeLessThan(0.2);
  expect(spoilt.components).toBe(clean.components);
  expect(Math.abs(spoilt.volumeMm3 / clean.volumeMm3 - 1)).toBeLessThan(5e-4);
  expect(spoilt.defectCount).toBe(1);
  expect(Math.abs(spoilt.porosity / clean.porosity - 1)).toBeLessThan(0.01);
});
