import { beforeAll, expect, it } from 'vitest';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import type { KernelPool } from '#kernels/arena.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { inlinePool } from '#kernels/pool.ts';
import { judgeScan } from '#kernels/quality/judge-scan.ts';
import { movedBody, sphere } from '#kernels/testing/bodies.ts';
import { impairedScan } from '#kernels/testing/impaired-scans.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { families } from './testing/families/list.ts';
import { measureCase } from './testing/families/measure-case.ts';
import { runIntegrity } from './testing/integrity-run.ts';
import { makeInput } from './testing/scan-run.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

it('the interval of porosity is wider for a scan with beam hardening, or with edges moved inward', async () => {
  const part = sphere(17);
  const edge = 44;
  const measure = async (rim: number, known: Partial<ScanQuality> = {}, radius = 5) => {
    const holes = [movedBody(sphere(radius), [1, 0, 2])];
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
  // The uncertainty of the air level counts only in proportion to the void.
  expect(even.band).toBeLessThan(0.045);
  // The material volume has the uncertainty of the surface mesh.
  expect(even.material).toBeGreaterThan(0.001);
  expect(even.material).toBeLessThan(0.01);
  const hardened = await measure(0.3);
  expect(hardened.band).toBeGreaterThan(1.5 * even.band);
  // The correction is read in the middle of a void; the smallest voids have no middle.
  const left: Partial<ScanQuality> = { viewDoubts: ['HARDENING_LEFT'] };
  expect((await measure(0.3, left)).band).toBeLessThan(1.1 * hardened.band);
  const small = (await measure(0.3, {}, 1.6)).band;
  expect((await measure(0.3, left, 1.6)).band).toBeGreaterThan(1.2 * small);
  const moved = await measure(0, { edgesInwardVoxels: 0.4 });
  expect(moved.band).toBeGreaterThan(1.3 * even.band);
  // An error of the part's surface changes its volume and the porosity, but no void volume.
  expect(moved.material).toBeGreaterThan(2 * even.material);
  expect(moved.ofPart).toBeGreaterThan(2 * (even.ofPart ?? Number.NaN));
  expect(moved.void).toBe(2);
});

it('finds small pores in noise that hides none, and gives no interval of porosity if the filter hides them', async () => {
  const edge = 48;
  const places: Vector3[] = [
    [6.3, 0.2, 3.4],
    [-7.1, 2.6, -4.3],
    [0.4, -8.2, 6.1],
    [1.2, 7.6, -7.4],
  ];
  const holes = [1.75, 1.65, 1.7, 1.6].map((radius, n) => movedBody(sphere(radius), places[n] ?? [0, 0, 0]));
  const scanned = async (contrastToNoise: number) => {
    const volume = impairedScan(sphere(17), [edge, edge, edge], { contrastToNoise, blur: 0.6 }, holes);
    const input = await makeInput(volume, pool);
    const { metadata } = await runIntegrity(input, pool, {}, await judgeScan(input));
    return { ...metadata, expanded: metadata.uncertainties?.['porosity']?.expanded ?? Number.NaN };
  };
  const truth = holes.reduce((sum, { volumeMm3 }) => sum + volumeMm3, 0) / sphere(17).volumeMm3;
  // The median filter left one of them at the most.
  for (const contrastToNoise of [7.5, 9]) {
    const found = await scanned(contrastToNoise);
    expect(found.defectCount).toBe(4);
    expect(Math.abs(found.porosity - truth)).toBeLessThan(found.expanded);
  }
  // Behind the filter they are lost, and nothing is known of porosity.
  const filtered = await scanned(5);
  expect(filtered.defectCount).toBeLessThan(4);
  expect(filtered.uncertainties?.['porosity']).toBeUndefined();
});

it('the more edges are blurred, the larger the missed pores that the interval of porosity allows for', async () => {
  const edge = 56;
  const part = sphere(22);
  // Evenly distributed sizes down to 3 voxels; at a blur of 1.2, voids under 3.9 voxels are lost.
  for (const seed of [0, 1, 2]) {
    const holes = Array.from({ length: 9 }, (_, n) => {
      const turn = (2 * Math.PI * (n % 4)) / 4 + 0.3 * seed;
      const ring: Vector3 = [11.2 * Math.cos(turn), 11.2 * Math.sin(turn), n < 4 ? 6.3 : -6.4];
      return movedBody(sphere(1.5 + 0.17 * n + 0.05 * seed), n === 8 ? [0.2, -0.3, 14] : ring);
    });
    const truth = holes.reduce((sum, { volumeMm3 }) => sum + volumeMm3, 0) / part.volumeMm3;
    const volume = impairedScan(part, [edge, edge, edge], { contrastToNoise: 20, blur: 1.2, seed }, holes);
    const input = await makeInput(volume, pool);
    const { metadata } = await runIntegrity(input, pool, {}, await judgeScan(input));
    const expanded = metadata.uncertainties?.['porosity']?.expanded ?? Number.NaN;
    expect(metadata.defectCount).toBeLessThan(9);
    expect(Math.abs(metadata.porosity - truth)).toBeLessThan(expanded);
    expect(expanded).toBeLessThan(0.6 * truth);
  }
});

/** Numbers of the voids of the porous scans of a family, with an interval. */
async function measureFamily(title: string, name: RegExp, seeds: readonly number[]) {
  const [family] = families.filter((each) => each.title === title);
  const cases = seeds.flatMap((seed) => family?.listCases(seed) ?? []);
  const wanted = cases.filter(
    ({ part, ...each }) => (part.pores.length > 0 || part.flaws) && name.test(each.name),
  );
  const judged = await Promise.all(wanted.map((each) => measureCase(each, pool)));
  return judged.flat().flatMap(({ path, measured, truth, expanded }) => {
    if (!['porosity', 'largestVolumeMm3'].includes(path) || expanded === null) return [];
    return [{ path, error: Math.abs((measured ?? Number.NaN) / truth - 1), expanded: expanded / truth }];
  });
}

it('haze, brightest beside material, makes voids less certain than the grey values at their centres suggest', async () => {
  const known = await measureFamily('Haze', /2 voxels/, [3, 21]);
  expect(known.length).toBe(4);
  for (const { path, error, expanded } of known) expect(error, path).toBeLessThan(expanded);
});

it('with a rising background, voids allow for the varying level of air and read it at their centres', async () => {
  const known = await measureFamily('Ramps', /15 %/, [3, 21, 71]);
  expect(known.length).toBe(6);
  for (const { path, error, expanded } of known) {
    expect(error, path).toBeLessThan(expanded);
    expect(expanded, path).toBeLessThan(0.035);
  }
});

it('noise clipped at the lowest grey value raises the mean of air, and makes no void as pale as beam hardening does', async () => {
  const known = await measureFamily('Contrast to noise', /3\.5/, [3, 71]);
  expect(known.length).toBe(4);
  for (const { path, error, expanded } of known) {
    expect(error, path).toBeLessThan(expanded);
    expect(expanded, path).toBeLessThan(path === 'porosity' ? 0.06 : 0.068);
  }
});

it('air read in the pores of a part that fills the scan is less certain than air around a part', async () => {
  const known = await measureFamily('Blocks that fill the scan', /^20$/, [901, 3]);
  expect(known.length).toBe(2);
  for (const { path, error, expanded } of known) {
    expect(error, path).toBeLessThan(expanded);
    expect(expanded, path).toBeLessThan(0.03);
  }
});

it('grains of a denser material beside pores make these neither larger nor less certain', async () => {
  const grains = await measureFamily('Inclusions', /with pores, number 1/, [3]);
  const blocks = await measureFamily('Several materials with pores', /^0\.45/, [3]);
  const known = [...grains, ...blocks];
  expect(known.length).toBe(3);
  for (const { path, error, expanded } of known) {
    expect(error, path).toBeLessThan(expanded);
    expect(error, path).toBeLessThan(0.02);
    expect(expanded, path).toBeLessThan(0.08);
  }
  // With a histogram peak of its own, the denser material is left out of the shells.
  expect(blocks.length).toBe(2);
  for (const { path, expanded } of blocks) expect(expanded, path).toBeLessThan(0.04);
});
