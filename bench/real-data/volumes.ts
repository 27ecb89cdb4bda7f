/** Voxel counts, fractions, connected parts, surfaces and walls of the published volumes. */
import type { ImportHints } from '#formats/volume/volume-header.ts';
import type { KernelPool } from '#kernels/arena.ts';
import { wholeGrid } from '#kernels/grid/region.ts';
import type { SlabSource } from '#kernels/grid/volume.ts';
import { makeBitGrid, type Threshold, thresholdBits } from '#kernels/integrity/bit-grid.ts';
import { type Connectivity, findComponents } from '#kernels/integrity/components.ts';
import { tabulate } from '#kernels/integrity/tasks.ts';
import { against, number, type PublishedRow } from './published.ts';
import { analysed, filesIn, readVolume } from './sources.ts';

const millimetre: ImportHints = { voxelSizeMm: [1, 1, 1], unit: 'mm' };

async function measureHistogram(source: SlabSource): Promise<number[]> {
  const counts = new Array<number>(256).fill(0);
  const planes = source.grid.dimensions[2];
  for (let z = 0; z < planes; z += 20) {
    for (const value of await source.readSlab(z, Math.min(planes, z + 20))) counts[value]++;
  }
  return counts;
}
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Voxels of each connected part above a level, largest first; `inverted`: below it. */
async function partsAbove(source: SlabSource, level: number, connectivity: Connectivity, pool: KernelPool) {
  return pool.withArena(async (arena) => {
    const grid = makeBitGrid(arena, source.grid.dimensions, [3, 3, 3]);
    const threshold: Threshold[] = [{ level, keep: 'above' }];
    const stage = { grid, arena };
    const request = { cells: wholeGrid(source.grid), thresholds: threshold };
    const [bits] = await thresholdBits(source, request, stage);
    const components = await findComponents(bits, connectivity, stage);
    const { voxels } = await arena.run(tabulate, { grid, components, mask: 0 });
    return [...voxels].sort((a, b) => b - a);
  });
}

/** Inverted grey values: low becomes high. */
const inverted = (source: SlabSource): SlabSource => ({
  ...source,
  readSlab: async (from, to, signal) =>
    (await source.readSlab(from, to, signal)).map((value: number) => 255 - value) as Uint8Array<ArrayBuffer>,
});

/** Faces between voxels of a value and others, divided by the volume, in 1/voxel. */
async function facesPerCell(source: SlabSource, value: number): Promise<number> {
  const [nx, ny, nz] = source.grid.dimensions;
  const cells = await source.readSlab(0, nz);
  let faces = 0;
  for (const [step, count, stride] of [
    [1, nx, 1],
    [nx, ny, nx],
    [nx * ny, nz, nx * ny],
  ]) {
    for (let i = 0; i < cells.length; i++) {
      if (Math.floor(i / stride) % count === count - 1) continue;
      if ((cells[i] === value) !== (cells[i + step] === value)) faces++;
    }
  }
  return faces / cells.length;
}

export async function volumeRows(folder: string, pool: KernelPool): Promise<PublishedRow[]> {
  const rows: PublishedRow[] = [];
  const add = (subject: string, figure: string, published: string, ours: string, because?: string) =>
    rows.push({ subject, figure, published, ours, because });
  const open = (path: string, hints = millimetre) => readVolume(folder, [path], hints);

  const sphere = await open('volumes/sphere-r40-100.tif');
  add(
    'sphere',
    'voxels from 128 on',
    '267731',
    against(sum((await measureHistogram(sphere)).slice(128)), 267731),
  );
  const ball = await analysed('createMesh', { surface: { mode: 'value', value: 128 } }, sphere, pool);
  const closedForm =
    'the closed form is of the ball; the file has steps of whole grey values and edges that are sharper than partial volume would make them';
  add(
    'sphere',
    'volume, mm³',
    '268082.6 by closed form',
    against(ball.metadata['volumeMm3'] as number, 268082.6),
    closedForm,
  );
  add(
    'sphere',
    'area, mm²',
    '20106.2 by closed form; 20094.9 by scikit-image',
    against(ball.metadata['areaMm2'] as number, 20106.2),
    'marching cubes alone cuts arcs short, which the correction by curvature gives back',
  );
  const wallParameters = { surface: { mode: 'value', value: 128 } };
  const wall = await analysed('runWallThickness', wallParameters, sphere, pool);
  add(
    'sphere',
    'largest wall, mm',
    '80',
    against(wall.metadata['maxMm'] as number, 80),
    'the wall is smoothed by 1.3 voxels and its surface read between cells: within 0.3 of a voxel',
  );

  const electrode = await open('volumes/electrode-3phase-256.tiff', {
    voxelSizeMm: [0.000390625, 0.000390625, 0.000390625],
  });
  const phases = await measureHistogram(electrode);
  for (const [value, name, fraction, surface] of [
    [0, 'pore', 0.449917, 785502],
    [85, 'NMC', 0.400466, 374028],
    [170, 'binder', 0.149616, 876100],
  ] as const) {
    add('electrode', `share of ${name}`, String(fraction), against(phases[value] / sum(phases), fraction));
    add(
      'electrode',
      `specific surface of ${name} by faces, 1/m`,
      String(surface),
      against((await facesPerCell(electrode, value)) / 0.390625e-6, surface),
      'faces of voxels, all inside of the volume, over its whole volume',
    );
  }
  const pore = inverted(electrode);
  const bySides = await partsAbove(pore, 254.5, 6, pool);
  add('electrode', 'pores by 6 neighbours', '2317', against(bySides.length, 2317));
  add('electrode', 'largest pore by 6 neighbours, voxels', '7540311', against(bySides[0], 7540311));
  add(
    'electrode',
    'pores by 26 neighbours',
    '789',
    against((await partsAbove(pore, 254.5, 26, pool)).length, 789),
  );

  const bone = inverted(await open('volumes/osteocyte-lacunae-7H3B.tif'));
  const canals = await partsAbove(bone, 254.5, 26, pool);
  add('lacunae', 'voxels of pores', '2066250', against(sum(canals), 2066250));
  add('lacunae', 'pores by 26 neighbours', '7886', against(canals.length, 7886));
  add(
    'lacunae',
    'pores by 6 neighbours',
    '8186',
    against((await partsAbove(bone, 254.5, 6, pool)).length, 8186),
  );
  add('lacunae', 'largest three', '414728, 150462, 74350', canals.slice(0, 3).join(', '));

  const berea = inverted(
    await open('volumes/berea-200.raw.zip', {
      ...millimetre,
      dimensions: [200, 200, 200],
      dataType: 'uint8',
    }),
  );
  const sand = await partsAbove(berea, 254.5, 26, pool);
  add('Berea', 'porosity', '0.199013625', against(sum(sand) / 200 ** 3, 0.199013625, 9));
  add('Berea', 'pores by 26 neighbours', '259', against(sand.length, 259));
  const sandBySides = await partsAbove(berea, 254.5, 6, pool);
  add('Berea', 'pores by 6 neighbours', '328', against(sandBySides.length, 328));
  add('Berea', 'largest pore by 6 neighbours, voxels', '1579501', against(sandBySides[0], 1579501));

  const ellipsoids = await readVolume(
    folder,
    filesIn(folder, 'volumes/nist-ellipsoids-tiff-stack'),
    millimetre,
  );
  const bodies = await partsAbove(ellipsoids, 127.5, 26, pool);
  add('NIST ellipsoids', 'bodies', '512', against(bodies.length, 512));
  add('NIST ellipsoids', 'voxels of each', '3155', `${bodies.at(-1)} to ${bodies[0]}`);

  const trabecular = await readVolume(folder, filesIn(folder, 'volumes/lhdl-bone-tiff-stack'), {
    voxelSizeMm: [0.0195, 0.0195, 0.0195],
  });
  const above = sum((await measureHistogram(trabecular)).slice(63));
  add('bone', 'voxels from 63 on', '1840671', against(above, 1840671));
  const mesh = await analysed('createMesh', { surface: { mode: 'value', value: 62.5 } }, trabecular, pool);
  const share = (mesh.metadata['volumeMm3'] as number) / (200 * 0.0195) ** 3;
  add(
    'bone',
    'BV/TV, of the mesh',
    '0.230084 by voxels',
    against(share, 0.230084),
    'the mesh runs between voxels, and single voxels of noise are smoothed away',
  );
  const felt = await open('volumes/fiberform-100.tif', { voxelSizeMm: [0.0013, 0.0013, 0.0013] });
  add(
    'FiberForm',
    'voxels from 90 on',
    '167140',
    against(sum((await measureHistogram(felt)).slice(90)), 167140),
  );
  add(
    'FiberForm',
    'porosity of ≥ 90, %',
    '83.286',
    number(100 - sum((await measureHistogram(felt)).slice(90)) / 1e4, 5),
  );
  return rows;
}
