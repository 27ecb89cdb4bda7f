import { beforeAll, expect, it } from 'vitest';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import { inlinePool, type KernelPool } from '#kernels/pool.ts';
import { judgeScan } from '#kernels/quality/judge-scan.ts';
import { movedBody, sphere } from '#kernels/testing/bodies.ts';
import { impairedScan } from '#kernels/testing/impaired-scans.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { runIntegrity } from './testing/integrity-run.ts';
import { makeInput } from './testing/scan-run.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

it('porosity of a hardened scan, and of one whose edges moved inward, has an interval that reaches further', async () => {
  const part = sphere(17);
  const holes = [movedBody(sphere(5), [1, 0, 2])];
  const edge = 44;
  const measure = async (rim: number, known: Partial<ScanQuality> = {}) => {
    const volume = impairedScan(part, [edge, edge, edge], { contrastToNoise: 30, blur: 0.6 }, holes);
    volume.data.forEach((grey, i) => {
      const place = [i % edge, Math.floor(i / edge) % edge, Math.floor(i / edge ** 2)];
      const inside = Math.max(0, 1 - Math.hypot(...place.map((n) => n - (edge - 1) / 2)) / 17);
      volume.data[i] = grey + rim * (1 - Math.sqrt(inside * (2 - inside))) * Math.max(0, grey - 8000);
    });
    const input = await makeInput(volume, pool);
    const judged = await judgeScan(input);
    const quality = judged && { ...judged, ...known };
    const { defects, metadata } = await runIntegrity(input, pool, {}, quality);
    const [low = 0, high = 0] = defects[0]?.volumeBandMm3 ?? [];
    const { porosity, voidVolumeMm3, materialVolumeMm3 } = metadata.uncertainties ?? {};
    return {
      band: (high - low) / metadata.voidVolumeMm3,
      ofPart: porosity?.contributions.find(({ name }) => name === 'volume of the part')?.value,
      void: voidVolumeMm3?.contributions.length,
      material: (materialVolumeMm3?.expanded ?? 0) / metadata.materialVolumeMm3,
    };
  };
  const even = await measure(0);
  // Of the level of air only what the void holds of it counts.
  expect(even.band).toBeLessThan(0.045);
  // That of the mesh within the same surface.
  expect(even.material).toBeGreaterThan(0.001);
  expect(even.material).toBeLessThan(0.01);
  const hardened = await measure(0.3);
  expect(hardened.band).toBeGreaterThan(1.5 * even.band);
  expect((await measure(0.3, { viewDoubts: ['HARDENING_LEFT'] })).band).toBeGreaterThan(1.2 * hardened.band);
  const moved = await measure(0, { edgesInwardVoxels: 0.4 });
  expect(moved.band).toBeGreaterThan(1.3 * even.band);
  // What the part's own surface is off by moves a share of it, and no volume of a void.
  expect(moved.material).toBeGreaterThan(2 * even.material);
  expect(moved.ofPart).toBeGreaterThan(2 * (even.ofPart ?? Number.NaN));
  expect(moved.void).toBe(2);
});
