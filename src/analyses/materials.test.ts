import { beforeAll, describe, expect, it } from 'vitest';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import { joinBytes } from '#formats/bytes/join-bytes.ts';
import { readGlb } from '#formats/glb/read-glb.ts';
import type { KernelPool } from '#kernels/arena.ts';
import type { Vector3, Volume } from '#kernels/grid/volume.ts';
import { measureMesh } from '#kernels/mesh/measure.ts';
import { inlinePool } from '#kernels/pool.ts';
import { seededNormal } from '#kernels/random.ts';
import { blurVolume } from '#kernels/testing/blur.ts';
import { type Body, box, hollowCylinder, movedBody, sphere, turnedBody } from '#kernels/testing/bodies.ts';
import { addNoise } from '#kernels/testing/carve.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import type { VolumeInput } from './analysis.ts';
import { makeInput, runOnScan } from './testing/scan-run.ts';

const voxelMm = 0.1;
const grey = { air: 8000, aluminium: 22_000, steel: 45_000 };
const dimensions: Vector3 = [44, 38, 38];

/** A block of aluminium with steel in it: grey values blurred over about a voxel, and noisy. */
function renderScan(insert: Body, noise = 700, lighter = grey.aluminium): Volume {
  const block = box([3.2, 2.6, 2.6]);
  const shape = {
    dimensions,
    voxelSizeMm: [voxelMm, voxelMm, voxelMm] as Vector3,
    dataType: 'float32' as const,
  };
  const share = (body: Body) => renderBody(body, { ...shape, air: 0, material: 1 }).data;
  const [whole, steel] = [
    share(movedBody(block, [0.013, 0.027, 0.041])),
    share(movedBody(insert, [0.013, 0.027, 0.041])),
  ];
  const sharp = Float32Array.from(whole, (inBlock, i) => {
    const inSteel = Math.min(steel[i], inBlock);
    return grey.air * (1 - inBlock) + lighter * (inBlock - inSteel) + grey.steel * inSteel;
  });
  const blurred = blur(blur(blur(sharp, 1), dimensions[0]), dimensions[0] * dimensions[1]);
  const normal = seededNormal(5);
  const data = Uint16Array.from(blurred, (value) => Math.max(0, Math.round(value + noise * normal())));
  return { ...renderBody(block, shape), dataType: 'uint16', data };
}

/** Along one axis with a Gauss of 0.7 voxels; beyond the ends there is air. */
function blur(values: Float32Array, step: number): Float32Array {
  const weights = [-2, -1, 0, 1, 2].map((k) => Math.exp(-(k * k) / (2 * 0.49)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return values.map((_, i) =>
    weights.reduce((sum, weight, k) => sum + (weight / total) * (values[i + (k - 2) * step] ?? grey.air), 0),
  );
}

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule(), 2);
});

const mesh = async (volume: VolumeInput, parameters: object = {}) =>
  runOnScan('createMesh', parameters, volume, { pool });

interface MaterialSummary {
  number: number;
  grayValue: number;
  isoValue: number;
  upperIsoValue: number | null;
  volumeMm3: number;
  areaMm2: number;
  components: number;
  watertight: boolean;
}
const blockMm3 = 3.2 * 2.6 * 2.6;
const blockMm2 = 2 * (3.2 * 2.6 * 2 + 2.6 * 2.6);
const ball = sphere(0.9);

describe('a mesh of an aluminium part with a steel ball in it', () => {
  let scan: VolumeInput;
  beforeAll(async () => {
    scan = await makeInput(renderScan(ball), pool);
  });

  it('has one surface of the whole and a closed one per material, with true volumes', async () => {
    const { dataObjects, algorithms } = await mesh(scan, { materials: 'auto' });
    expect(dataObjects.map(({ kind, name }) => [kind, name])).toEqual([
      ['mesh', 'Mesh'],
      ['mesh', 'Material 1'],
      ['mesh', 'Material 2'],
    ]);
    expect(algorithms).toHaveProperty('materials');
    const [whole, light, dense] = dataObjects.map(({ metadata }) => metadata as unknown as MaterialSummary);
    const { materials } = dataObjects[0].metadata as { materials: MaterialSummary[] };
    expect(Math.abs(whole.volumeMm3 / blockMm3 - 1)).toBeLessThan(0.01);
    expect(Math.abs(light.volumeMm3 / (blockMm3 - ball.volumeMm3) - 1)).toBeLessThan(0.015);
    // The scan's own blur has shrunk the ball: by s² / r = 0.05 voxels, which is 1.8 % of its volume.
    expect(Math.abs(dense.volumeMm3 / ball.volumeMm3 - 1)).toBeLessThan(0.02);
    expect(Math.abs(dense.areaMm2 / ball.areaMm2 - 1)).toBeLessThan(0.015);
    // The light one has its outside and the inside around the ball; blur has rounded the block’s edges.
    expect(Math.abs(light.areaMm2 / (blockMm2 + ball.areaMm2) - 1)).toBeLessThan(0.05);
    expect([light.components, dense.components]).toEqual([2, 1]);
    expect(light.volumeMm3 + dense.volumeMm3).toBeCloseTo(whole.volumeMm3, 3);
    expect(materials.map(({ volumeMm3, watertight }) => [volumeMm3, watertight])).toEqual([
      [light.volumeMm3, true],
      [dense.volumeMm3, true],
    ]);
    for (const [i, { grayValue }] of materials.entries()) {
      expect(Math.abs(grayValue - [grey.aluminium, grey.steel][i])).toBeLessThan(250);
    }
    expect(Math.abs(materials[0].isoValue - (grey.air + grey.aluminium) / 2)).toBeLessThan(250);
    expect(materials[0].upperIsoValue).toBe(materials[1].isoValue);
    expect(Math.abs(materials[1].isoValue - (grey.aluminium + grey.steel) / 2)).toBeLessThan(250);
    expect(materials[1].upperIsoValue).toBeNull();
    for (const { files, metadata } of dataObjects) {
      const { positions, indices } = readGlb(joinBytes(files[0].parts));
      const facts = measureMesh(positions, indices);
      expect(facts.watertight).toBe(true);
      expect(facts.volumeMm3).toBeCloseTo(metadata['volumeMm3'] as number, 2);
    }
  });

  it('separates them equally with a given number, by Otsu too, and is a single surface unless several are requested', async () => {
    for (const parameters of [{ materials: 2 }, { materials: 'auto', surface: { mode: 'otsu' } }]) {
      const { dataObjects } = await mesh(scan, parameters);
      expect(dataObjects).toHaveLength(3);
      // Otsu's threshold is not midway, which shifts a blurred edge by one or two tenths of a voxel.
      expect(Math.abs((dataObjects[2].metadata['volumeMm3'] as number) / ball.volumeMm3 - 1)).toBeLessThan(
        0.05,
      );
    }
    const { dataObjects } = await mesh(scan);
    expect(dataObjects).toHaveLength(1);
    expect(dataObjects[0].metadata).not.toHaveProperty('materials');
  });

  it.each([
    { share: 0.31, isWarned: false },
    { share: 0.2, isWarned: true },
    { share: 0.13, isWarned: true },
  ])(
    'is never reduced to its densest material: plastic of $share of the metal’s height',
    async ({ share, isWarned }) => {
      const plastic = grey.air + share * (grey.steel - grey.air);
      const insert = box([1.6, 1.2, 1.3]);
      const volume = await makeInput(renderScan(insert, 700, plastic), pool);
      const [made, wall, defects] = [
        await mesh(volume),
        await runOnScan('runWallThickness', { method: 'ray' }, volume, { pool }),
        await runOnScan('runIntegrityAnalysis', {}, volume, { pool }),
      ];
      const whole = 3.2 * 2.6 * 2.6;
      expect(Math.abs((made.dataObjects[0].metadata['volumeMm3'] as number) / whole - 1)).toBeLessThan(0.02);
      const { materialVolumeMm3, porosity } = defects.dataObjects[0].metadata;
      expect(Math.abs((materialVolumeMm3 as number) / whole - 1)).toBeLessThan(0.03);
      expect(porosity).toBe(0);
      // In the first scan, the two histogram peaks are air and plastic, so nothing would have been cut.
      for (const { warnings } of [made, wall, defects]) {
        expect(warnings.map(({ code }) => code)).toEqual(isWarned ? ['SEVERAL_MATERIALS'] : []);
      }
      // At that level small voids in the metal are missed.
      if (isWarned)
        expect(defects.warnings[0].measures).toEqual(
          expect.arrayContaining(['porosity', 'closedPorosity', 'defectCount', 'largestVolumeMm3']),
        );
    },
  );

  it('warns once about several materials, with the warning that invalidates the numbers if there is one', async () => {
    const plastic = grey.air + 0.2 * (grey.steel - grey.air);
    const volume = await makeInput(renderScan(box([1.6, 1.2, 1.3]), 700, plastic), pool);
    const quality: ScanQuality = {
      ...{ hasContrast: true, contrastToNoise: 20, airGrey: grey.air, blurVoxels: 0.6, unevenness: null },
      materials: [
        { grey: plastic, share: 0.8 },
        { grey: grey.steel, share: 0.2 },
      ],
      ...{ gradient: 0, rings: 0, border: [], thinnestWallVoxels: null, thinShare: 0, saturatedShare: 0 },
      lostSlices: 0,
    };
    const codes = async (kind: 'createMesh' | 'runIntegrityAnalysis') => {
      const { warnings } = await runOnScan(kind, {}, volume, { pool, quality: async () => quality });
      return warnings.map(({ code, invalidates }) => [code, invalidates ?? false]);
    };
    expect(await codes('createMesh')).toEqual([['SEVERAL_MATERIALS', false]]);
    expect(await codes('runIntegrityAnalysis')).toEqual([['SCAN_MATERIALS', true]]);
  });

  it('is simplified per material and stays closed', async () => {
    const { dataObjects, algorithms } = await mesh(scan, {
      materials: 'auto',
      targetTriangles: 2500,
      formats: ['stl'],
    });
    expect(algorithms).toHaveProperty('simplification');
    for (const { metadata, files } of dataObjects) {
      expect(metadata['watertight']).toBe(true);
      expect(files).toHaveLength(2);
    }
    expect(dataObjects[2].metadata['triangles']).toBeLessThanOrEqual(2500);
    expect(Math.abs((dataObjects[2].metadata['volumeMm3'] as number) / ball.volumeMm3 - 1)).toBeLessThan(
      0.02,
    );
  });

  it('has one material for a coarse scan whose thin walls have intermediate grey values without a volume', async () => {
    const tube = hollowCylinder(5, 3, 10);
    for (const size of [20, 26, 36]) {
      const voxel = 13 / size;
      const shape = {
        dimensions: [size, size, size] as Vector3,
        voxelSizeMm: [voxel, voxel, voxel] as Vector3,
      };
      const { dataObjects } = await mesh(await makeInput(renderBody(tube, shape), pool), {
        materials: 'auto',
      });
      expect(dataObjects).toHaveLength(1);
      expect(Math.abs((dataObjects[0].metadata['volumeMm3'] as number) / tube.volumeMm3 - 1)).toBeLessThan(
        0.02,
      );
    }
  });

  it('reports if there are fewer materials than requested', async () => {
    const block = box([2, 2, 2]);
    const shape = { dimensions: [30, 30, 30] as Vector3, voxelSizeMm: [0.1, 0.1, 0.1] as Vector3 };
    const plain = await makeInput(renderBody(block, shape), pool);
    await expect(mesh(plain, { materials: 4 })).rejects.toThrow(/do not separate into air and 4 materials/);
    expect((await mesh(plain, { materials: 'auto' })).dataObjects).toHaveLength(1);
    await expect(async () => mesh(plain, { materials: 9 })).rejects.toThrow(/5/);
  });
});

it('a steel bar that passes through aluminium gets no aluminium skin where it is exposed', async () => {
  const bar = box([4.4, 0.9, 0.9]);
  // It ends flush with the block, where steel meets air.
  const { dataObjects } = await mesh(await makeInput(renderScan(bar, 300), pool), { materials: 'auto' });
  const [, light, dense] = dataObjects.map(({ metadata }) => metadata['volumeMm3'] as number);
  const steelMm3 = 3.2 * 0.9 * 0.9;
  // Of nine voxels: its grey value is read from the few in its middle.
  expect(Math.abs(dense / steelMm3 - 1)).toBeLessThan(0.01);
  expect(Math.abs(light / (blockMm3 - steelMm3) - 1)).toBeLessThan(0.015);
});

it('air that fades over many cells towards the edge of the field of view is not a material', async () => {
  const shape = { dimensions: [64, 38, 38] as Vector3, voxelSizeMm: [0.1, 0.1, 0.1] as Vector3 };
  for (const [unevenness, noise] of [
    [0, 200],
    [0.4, 700],
  ]) {
    const part = turnedBody(box([1.6, 2.2, 2.2]), [9, 5, 0]);
    const volume = renderBody(part, { ...shape, air: 20_000, material: 45_000 });
    blurVolume(volume, 0.07);
    for (let i = 0; i < volume.data.length; i++) {
      const t = Math.max(0, 1 - (i % shape.dimensions[0]) / 20);
      volume.data[i] -= 15_000 * (t - (unevenness * Math.sin(4 * Math.PI * t)) / (4 * Math.PI));
    }
    addNoise(volume, noise, 1);
    const { dataObjects } = await mesh(await makeInput(volume, pool), { materials: 'auto' });
    expect(dataObjects).toHaveLength(1);
    expect(Math.abs((dataObjects[0].metadata['volumeMm3'] as number) / part.volumeMm3 - 1)).toBeLessThan(
      0.01,
    );
  }
});

describe('a segmented volume', () => {
  const dimensionsOfLabels: Vector3 = [50, 44, 40];
  const voxelSizeMm: Vector3 = [0.1, 0.1, 0.1];
  /** Air, a block, a ball in it, and a plate three cells thin through both: each cell has one label. */
  function segmented(labels: readonly number[]): { volume: Volume; cells: number[] } {
    const shape = { dimensions: dimensionsOfLabels, voxelSizeMm, dataType: 'uint8' as const };
    const isIn = (body: Body) => renderBody(body, { ...shape, air: 0, material: 200 }).data;
    const [block, inner] = [isIn(box([4, 3.2, 2.8])), isIn(sphere(1))];
    const [nx] = dimensionsOfLabels;
    const cells = labels.map(() => 0);
    const data = block.map((value, i) => {
      const x = i % nx;
      const kind = value < 100 ? 0 : x >= 12 && x < 15 && labels.length > 3 ? 3 : inner[i] >= 100 ? 2 : 1;
      cells[kind]++;
      return labels[kind];
    }) as Uint8Array<ArrayBuffer>;
    return { volume: { ...renderBody(box([1, 1, 1]), shape), data }, cells };
  }

  it('has one material per label other than air, thin ones included, each with the volume of its cells', async () => {
    for (const labels of [
      [0, 85, 170],
      [0, 1, 2],
      [0, 10, 20, 255],
    ]) {
      const { volume, cells } = segmented(labels);
      const { dataObjects } = await mesh(await makeInput(volume, pool), { materials: 'auto' });
      expect(dataObjects).toHaveLength(labels.length);
      for (const [i, { metadata }] of dataObjects.slice(1).entries()) {
        const { volumeMm3, material } = metadata as unknown as MaterialSummary & {
          material: { grayValue: number };
        };
        expect(material.grayValue).toBe(labels[i + 1]);
        expect(Math.abs(volumeMm3 / (cells[i + 1] * 1e-3) - 1), `${labels} ${i}`).toBeLessThan(0.05);
      }
    }
  });

  it('has one material for a single label other than air', async () => {
    const { volume } = segmented([0, 0, 7]);
    expect((await mesh(await makeInput(volume, pool), { materials: 'auto' })).dataObjects).toHaveLength(1);
  });
});
