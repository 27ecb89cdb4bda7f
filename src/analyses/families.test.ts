import { beforeAll, describe, expect, it } from 'vitest';
import type { KernelPool } from '#kernels/arena.ts';
import { inlinePool } from '#kernels/pool.ts';
import { sphere } from '#kernels/testing/bodies.ts';
import { renderPart } from '#kernels/testing/families/render-part.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { families } from './testing/families/list.ts';
import { measureCase } from './testing/families/measure-case.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

const findCase = (title: string, name: string, seed = 1) => {
  const found = families
    .find((family) => family.title === title)
    ?.listCases(seed)
    .find((each) => each.name === name);
  if (!found) throw new Error(`there is no case ${name} of ${title}`);
  return found;
};

it('a rendered part has the volume and area of its formula, whatever its blur', () => {
  for (const blur of [0, 0.6, 1.5]) {
    const body = sphere(9.3);
    const part = { body, edgesMm: 0, pores: [], phases: [] };
    const { volumeMm3, areaMm2 } = renderPart(part, [28, 28, 28], [1, 1, 1], blur);
    expect(Math.abs(volumeMm3 / body.volumeMm3 - 1)).toBeLessThan(3e-4);
    expect(Math.abs(areaMm2 / body.areaMm2 - 1)).toBeLessThan(0.05);
  }
});

describe('no result is wrong without a warning', () => {
  it.each([
    ['Plates', '2.5 voxels, tilted'],
    ['Cut scans', 'plainPart, 64 × 64 × 22'],
    ['Rings', 'porousPart, 45 %, 20 voxels off the middle'],
    ['Lost slices', 'randomPart, twelve empty'],
    ['Few voxels', '24 voxels along each axis, torus'],
    ['Cupping', 'randomPart, 60 %'],
    ['Lattices', 'struts of radius 2.6'],
    ['Stacks of foils', '1.2 voxels, 2.2 apart'],
    ['Stacks of foils', '2.5 voxels, 3.5 apart'],
    ['Light layers', '1.5 voxels, core of 200 %'],
    ['Seals and gaskets', 'gasket of 12 %'],
    ['Seals and gaskets', 'seal of 12 %'],
    ['Simulated, drift of the axis', 'block, axis told 3 pixels off'],
    ['Simulated, truncated field', 'tube, 38 columns'],
  ])('of %s, %s', async (title, name) => {
    const judged = await measureCase(findCase(title, name), pool);
    expect(judged.length).toBeGreaterThan(1);
    expect(judged.filter((each) => each.class === 'silent')).toEqual([]);
  });

  it.each([
    ['Closed pores of any shape', 'number 2'],
    ['Inclusions', 'alone, number 1'],
    ['Several materials with pores', '0.45, 1'],
    ['Blocks that fill the scan', '6'],
  ])('of flaws: %s, %s', async (title, name) => {
    const judged = await measureCase(findCase(title, name, 3), pool);
    expect(judged).toHaveLength(9);
    expect(judged.filter((each) => each.class === 'silent')).toEqual([]);
    expect(judged.filter((each) => each.class === 'right').length).toBeGreaterThan(4);
  });

  it('of a block with only an edge at the border', async () => {
    const judged = await measureCase(findCase('Simulated, truncated field', 'block, 38 columns', 3), pool);
    expect(judged.filter((each) => each.class === 'silent')).toEqual([]);
    const material = judged.find(({ path }) => path === 'materialVolumeMm3');
    expect(material).toMatchObject({ class: 'marked', codes: ['SCAN_CUT'] });
  });

  it('of a steel tube whose hazy bore is not a second material', async () => {
    const judged = await measureCase(findCase('Simulated, beam hardening', 'tube, steel'), pool);
    expect(judged.filter((each) => each.class === 'silent' || each.measured === null)).toEqual([]);
    expect(judged.flatMap(({ codes }) => codes)).not.toContain('SCAN_MATERIALS');
  });

  it('of a laminate whose layers are not cupping', async () => {
    const judged = await measureCase(findCase('Textured materials', 'laminate, along the axes, 1', 41), pool);
    expect(judged.filter((each) => each.class === 'silent' || each.isWarned)).toEqual([]);
  });

  it('and all results of a good scan are right and without warnings', async () => {
    const judged = await measureCase(findCase('Plain parts', 'number 1'), pool);
    expect(judged.filter((each) => each.class !== 'right' || each.isWarned)).toEqual([]);
  });
});
