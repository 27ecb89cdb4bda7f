import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isClosed } from '#kernels/mesh/measure.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { type FileSource, openFileSource } from './bytes/file-source.ts';
import { FormatError } from './format-error.ts';
import { openMesh } from './open-mesh.ts';
import { type OpenedVolume, openVolume } from './open-volume.ts';
import { recognise } from './recognise.ts';
import type { ImportHints } from './volume/volume-header.ts';

/** The figures below are those of the README of this folder, measured there by other programs. */
const folder = resolve(process.env['SCANWRIGHT_DATA'] ?? '../shared/data');

const opened: FileSource[] = [];
async function files(...paths: string[]): Promise<FileSource[]> {
  const sources = await Promise.all(paths.map((path) => openFileSource(join(folder, path))));
  opened.push(...sources);
  return sources;
}
const inFolder = (path: string) =>
  readdirSync(join(folder, path))
    .sort()
    .map((name) => `${path}/${name}`);
const millimetre: ImportHints = { voxelSizeMm: [1, 1, 1], unit: 'mm' };

/** How often each value up to 255 occurs, read slab by slab. */
async function counts({ slabs, grid }: OpenedVolume): Promise<number[]> {
  const histogram: number[] = new Array(256).fill(0);
  for (let z = 0; z < grid.dimensions[2]; z += 50) {
    const slab = await slabs.readSlab(z, Math.min(grid.dimensions[2], z + 50));
    for (let i = 0; i < slab.length; i++) histogram[slab[i]]++;
  }
  return histogram;
}
const from = (histogram: number[], least: number) =>
  histogram.slice(least).reduce((sum, count) => sum + count, 0);
const values = async (volume: OpenedVolume) => [
  ...(await volume.slabs.readSlab(0, volume.grid.dimensions[2])),
];

function renderVolume({ positions: p, indices }: TriangleMesh): number {
  let six = 0;
  for (let t = 0; t < indices.length; t += 3) {
    const [a, b, c] = [indices[t] * 3, indices[t + 1] * 3, indices[t + 2] * 3];
    six +=
      p[a] * (p[b + 1] * p[c + 2] - p[b + 2] * p[c + 1]) -
      p[a + 1] * (p[b] * p[c + 2] - p[b + 2] * p[c]) +
      p[a + 2] * (p[b] * p[c + 1] - p[b + 1] * p[c]);
  }
  return six / 6;
}

describe.skipIf(!existsSync(folder))(`Published files in ${folder}`, () => {
  afterAll(async () => {
    for (const source of opened) await source.close();
  });

  it('counts the voxels of the sphere, the felt and the bone', async () => {
    const sphere = await counts(await openVolume(await files('volumes/sphere-r40-100.tif'), millimetre));
    expect(from(sphere, 128)).toBe(267731);
    const felt = await counts(await openVolume(await files('volumes/fiberform-100.tif'), millimetre));
    expect(from(felt, 90)).toBe(167140);
    const stack = await openVolume(await files(...inFolder('volumes/lhdl-bone-tiff-stack')), millimetre);
    expect(stack.grid.dimensions).toEqual([200, 200, 200]);
    expect(from(await counts(stack), 63)).toBe(1840671);
  });

  it('finds the published fractions of the electrode', async () => {
    const electrode = await counts(
      await openVolume(await files('volumes/electrode-3phase-256.tiff'), millimetre),
    );
    expect([0, 85, 170].map((label) => Number((electrode[label] / 256 ** 3).toFixed(6)))).toEqual([
      0.449917, 0.400466, 0.149616,
    ]);
  });

  it('reads 600 Deflate pages of bone and LZW slices of ellipsoids', async () => {
    const bone = await openVolume(await files('volumes/osteocyte-lacunae-7H3B.tif'), millimetre);
    expect(bone.grid.dimensions).toEqual([350, 250, 600]);
    expect((await counts(bone))[0]).toBe(2066250);
    const ellipsoids = await openVolume(
      await files(...inFolder('volumes/nist-ellipsoids-tiff-stack')),
      millimetre,
    );
    expect([...ellipsoids.grid.dimensions].sort((a, b) => a - b)).toEqual([168, 184, 200]);
    expect((await counts(ellipsoids))[255]).toBe(1615360);
  });

  it('reads the RAW inside a ZIP and a RAW in gzip with typed headers', async () => {
    const berea = await openVolume(await files('volumes/berea-200.raw.zip'), {
      ...millimetre,
      dimensions: [200, 200, 200],
      dataType: 'uint8',
    });
    expect((await counts(berea))[0] / 8e6).toBeCloseTo(0.199013625, 9);
    const chest = await openVolume(await files('volumes/lidc2-256x256x133-uint8.raw.gz'), {
      voxelSizeMm: [1.40625, 1.40625, 2.5],
      dimensions: [256, 256, 133],
      dataType: 'uint8',
    });
    expect(from(await counts(chest), 0)).toBe(256 * 256 * 133);
  });

  it('reads compressed, plain and detached MetaImage', async () => {
    const lung = await openVolume(await files('volumes/3DCT_lung_baseline_small.mha'), { unit: 'mm' });
    expect(lung.grid).toMatchObject({
      dimensions: [57, 78, 64],
      voxelSizeMm: [2.732, 2.732, 5],
      originMm: [-152.461, -148.986, -1432],
    });
    expect(lung.dataType).toBe('int16');
    expect(await values(lung)).toHaveLength(57 * 78 * 64);
    const ball = await openVolume(await files('volumes/test_mha.mha'), { unit: 'mm' });
    expect((await values(ball)).reduce((sum, value) => sum + value, 0)).toBe(81);
    const tiny = await openVolume(await files('volumes/test4x4x4.mhd', 'volumes/test4x4x4.raw'), {
      unit: 'mm',
      sizeConfirmed: true,
    });
    expect(tiny.grid.dimensions).toEqual([4, 4, 4]);
    expect(await values(tiny)).toHaveLength(64);
  });

  it('decodes one ball from four kinds of NRRD equally', async () => {
    const path = 'formats/nrrd/BallBinary30x30x30';
    const all = await Promise.all(
      [
        [`${path}.nrrd`],
        [`${path}_gz.nrrd`],
        [`${path}.nhdr`, `${path}.raw`],
        [`${path}_nifti.nhdr`, `${path}.nii.gz`],
      ].map(async (paths) => values(await openVolume(await files(...paths)))),
    );
    expect(all[0]).toHaveLength(27000);
    expect(all[0].some((value) => value > 0)).toBe(true);
    for (const other of all.slice(1)) expect(other).toEqual(all[0]);
  });

  it('reads a big-endian NIfTI and the ball in NIfTI like the one in NRRD', async () => {
    const anatomical = await openVolume(await files('formats/nifti/anatomical.nii'));
    expect(anatomical.grid.dimensions).toEqual([33, 41, 25]);
    expect(anatomical.dataType).toBe('int16');
    expect(anatomical.grid.voxelSizeMm).toEqual([2, 2, 2]);
    expect(anatomical.grid.directions[0]).toBe(1);
    const ball = await values(await openVolume(await files('formats/nrrd/BallBinary30x30x30.nii.gz')));
    expect(ball).toEqual(await values(await openVolume(await files('formats/nrrd/BallBinary30x30x30.nrrd'))));
  });

  it('does not take channels for slices', async () => {
    const opened5 = await openVolume(await files('volumes/multi-channel-z-series.ome.tif'), millimetre);
    expect(opened5.grid.dimensions).toEqual([439, 167, 5]);
    expect(opened5.dataType).toBe('int8');
  });

  it('decodes TIFFs of one name stem and checksum equally, or refuses them by name', async () => {
    const groups = new Map<string, { path: string; values: number[] }[]>();
    let refused = 0;
    for (const path of inFolder('formats/tiff-seq')) {
      // seq-1c-8b-lzw-20f3db0c.tiff: the last part is the checksum of the samples.
      const checksum = /([0-9a-f]{8})\.tiff$/.exec(path)?.[1] ?? '';
      try {
        const read = { path, values: await values(await openVolume(await files(path), millimetre)) };
        groups.set(checksum, [...(groups.get(checksum) ?? []), read]);
      } catch (error) {
        expect(error, path).toMatchObject({ code: 'UNSUPPORTED' });
        expect(path).toMatch(/-[34]c-|fax/);
        refused++;
      }
    }
    expect(refused).toBe(13);
    for (const group of groups.values())
      for (const one of group) expect(one.values, one.path).toEqual(group[0].values);
    // All depths show one ramp: 16 × 16 values that rise from 0 to their largest.
    expect(groups.get('20f3db0c')?.[0].values).toEqual(Array.from({ length: 256 }, (_, i) => i));
  });

  it('shows one flower at every depth of 2 to 32 bits', async () => {
    const flower = async (bits: string) =>
      values(await openVolume(await files(`formats/tiff-depth/flower-minisblack-${bits}.tif`), millimetre));
    const fine = await flower('16');
    for (const bits of ['02', '04', '06', '08', '10', '12', '14', '24', '32']) {
      const coarse = await flower(bits);
      const largest = 2 ** Number(bits) - 1;
      const worst = Math.max(...coarse.map((value, i) => Math.abs(value / largest - fine[i] / 65535)));
      expect(worst, bits).toBeLessThan(1.01 / Math.min(largest, 255));
    }
  });

  it.each([
    ['20mm-xyz-cube.stl', 260, undefined],
    ['7_8ths_cube.stl', 24, 56000],
    ['plate_holes.STL', 1252, 767362],
    ['1002_tray_bottom.STL', 4520, 347866],
    ['t13_data.stl', 1580, 67815.8],
    ['featuretype.STL', 3476, 11.6277],
    ['featuretype.ply', 3476, 11.6277],
    ['lens-clamp-A.stl', 18808, undefined],
    ['unit_sphere.STL', 1280, 4.15274],
  ])('reads %s as a closed surface', async (name, triangles, volume) => {
    const { mesh } = await openMesh(await files(`cad/${name}`), { unit: 'mm' });
    expect(isClosed(mesh.positions.length / 3, mesh.indices)).toBe(true);
    if (triangles) expect(mesh.indices.length / 3).toBe(triangles);
    if (volume) expect(renderVolume(mesh) / volume).toBeCloseTo(1, 5);
  });

  it('gives the inch part its right size', async () => {
    const { mesh } = await openMesh(await files('cad/featuretype.STL'), { unit: 'inch' });
    expect(renderVolume(mesh) / 190532).toBeCloseTo(1, 3);
  });

  it('gives the inch part in 3MF its right size without being told the unit', async () => {
    const { mesh } = await openMesh(await files('cad/featuretype.3MF'));
    expect(renderVolume(mesh) / 190532).toBeCloseTo(1, 2);
    const extent = [0, 1, 2].map((axis) => {
      const along = mesh.positions.filter((_, i) => i % 3 === axis);
      return along.reduce((a, b) => Math.max(a, b)) - along.reduce((a, b) => Math.min(a, b));
    });
    for (const axis of [0, 1, 2]) expect(extent[axis]).toBeCloseTo([127, 63.5, 34.925][axis], 3);
  });

  it('ends every malformed file in a sentence or in data, within bounded time and memory', async () => {
    const before = process.memoryUsage().rss;
    const outcomes: Record<string, number> = { refused: 0, read: 0 };
    for (const path of ['tiff-fuzz', 'tiff-pillow', 'mesh', 'dicom', 'step'].flatMap((name) =>
      inFolder(`malformed/${name}`),
    )) {
      const sources = await files(path);
      try {
        const found = await recognise(sources, millimetre);
        if (found.content === 'mesh') await openMesh(sources, millimetre);
        else if (found.content === 'volume') await values(await openVolume(sources, millimetre));
        outcomes['read']++;
      } catch (error) {
        expect(error, path).toBeInstanceOf(FormatError);
        expect((error as FormatError).message, path).toMatch(/^.{10,}[.)]$/s);
        outcomes['refused']++;
      }
    }
    expect(outcomes['refused']).toBeGreaterThan(80);
    expect(process.memoryUsage().rss - before).toBeLessThan(300e6);
  });
});
