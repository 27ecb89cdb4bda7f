/** The kernels that are measured: ours as the analyses call it, and the programs to compare with. */
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type CellBox, wholeGrid } from '#kernels/grid/region.ts';
import { identityDirections, makeSlabs, type SlabSource } from '#kernels/grid/volume.ts';
import { makeBitGrid, thresholdBits } from '#kernels/integrity/bit-grid.ts';
import { findComponents } from '#kernels/integrity/components.ts';
import { farthestCells, squaredDistances } from '#kernels/integrity/distance.ts';
import { tabulate, thresholdCells } from '#kernels/integrity/tasks.ts';
import { plainDetector } from '#kernels/reconstruction/geometry.ts';
import { reconstruct } from '#kernels/reconstruction/reconstruct.ts';
import { extractSurface, makeMesh } from '#kernels/surface/extract.ts';
import { inOneWindow } from '#kernels/surface/grid-layout.ts';
import { loadGrid } from '#kernels/surface/load-grid.ts';
import { measureSurface } from '#kernels/surface/measure-surface.ts';
import { kernelTasks } from '#kernels/task.ts';
import { distancesOnThreads } from '#kernels/testing/open-tree-here.ts';
import * as programs from '../peers/programs.ts';
import { enclosedVolume, type Figures, samplePlaces } from './figures.ts';
import { gauss, median } from './filters.ts';
import { openCast, type Rival, type Row, seconds } from './row.ts';
import { closestFiles, levels, maskFile, projectedBody } from './scene.ts';
import { timed } from './timed-pool.ts';

const isosurface: Row = {
  word: 'isosurface',
  name: 'Isosurface with normals',
  async prepare(place) {
    const file = await openCast(place);
    const { pool, edge } = place;
    return {
      rivals: [
        {
          peer: programs.vtk('isosurface', file.file, edge),
          atLeast: 2,
          agreement: { shares: { areaMm2: 0.001, volumeMm3: 0.0001, triangles: 0.001 } },
        },
      ],
      withOurs: (work) =>
        pool.withArena(async (arena) => {
          const source = makeSlabs(file.volume);
          const cells = wholeGrid(source.grid);
          const grid = await loadGrid(source, arena, { ...levels, cells, smoothing: 0 });
          const mark = arena.mark();
          const extract = () => {
            arena.release(mark);
            return extractSurface(inOneWindow(grid), arena);
          };
          let surface = await extract();
          await work({
            run: () =>
              seconds(async () => {
                surface = await extract();
              }),
            async result() {
              const { areaMm2, triangles } = await measureSurface(grid, surface, arena);
              const { mesh } = await makeMesh(arena, surface, { grid: source.grid, cells });
              return { areaMm2, volumeMm3: enclosedVolume(mesh.positions, mesh.indices), triangles };
            },
          });
        }),
    };
  },
};

const components: Row = {
  word: 'components',
  name: 'Threshold and connected components (26) with cells and boxes',
  async prepare(place) {
    const file = await openCast(place);
    const { pool, edge, folder } = place;
    const agreement = { shares: { count: 0, cells: 0, largest: 0 } };
    return {
      rivals: [
        { peer: programs.itk('components', file.file, edge, folder), atLeast: 3, agreement },
        { peer: programs.scipy('components', file.file, edge), atLeast: 3, agreement },
      ],
      withOurs: (work) =>
        pool.withArena(async (arena) => {
          const source = makeSlabs(file.volume);
          const cells: CellBox = wholeGrid(source.grid);
          // Without a margin, which would connect regions that touch the border.
          const grid = makeBitGrid(arena, [edge, edge, edge], [0, 0, 0]);
          let sizes = new Float64Array();
          const mark = arena.mark();
          await work({
            async run() {
              arena.release(mark);
              const clock = timed(pool, [thresholdCells]);
              arena.pool = clock.pool;
              const [bits] = await thresholdBits(
                source,
                { cells, thresholds: [{ level: levels.isoValue, keep: 'air' }] },
                { grid, arena },
              );
              const rest = await seconds(async () => {
                const found = await findComponents(bits, 26, { grid, arena });
                const table = await arena.run(tabulate, { grid, components: found, mask: 0 });
                sizes = table.voxels as Float64Array<ArrayBuffer>;
              });
              return clock.seconds() + rest;
            },
            async result() {
              const cellCount = sizes.reduce((sum, count) => sum + count, 0);
              return { count: sizes.length, cells: cellCount, largest: Math.max(...sizes) };
            },
          });
        }),
    };
  },
};

const closest: Row = {
  word: 'closest',
  name: 'Signed closest point, with building the tree',
  async prepare({ pool, edge, folder }) {
    const files = await closestFiles(folder, edge);
    const { positions, indices } = files;
    const places = Float64Array.from(files.points);
    const rivals: Rival[] = [
      {
        peer: programs.open3d(files.pointsFile, files.meshFile),
        atLeast: 1.5,
        agreement: { shares: { meanMm: 1e-4, rmsMm: 1e-4 } },
      },
      {
        peer: programs.cloudCompare(files.pointsPly, files.meshPly),
        atLeast: 3,
        agreement: { shares: { signedMeanMm: 1e-3 } },
      },
    ];
    return {
      rivals,
      async withOurs(work) {
        let distancesMm = new Float32Array();
        await work({
          run: () =>
            seconds(async () => {
              const found = await distancesOnThreads(
                pool,
                { positions, indices },
                { points: places, limitMm: Infinity },
              );
              distancesMm = found.distancesMm as Float32Array<ArrayBuffer>;
            }),
          async result() {
            let [signed, absolute, squares] = [0, 0, 0];
            for (const distance of distancesMm) {
              signed += distance;
              absolute += Math.abs(distance);
              squares += distance * distance;
            }
            const count = distancesMm.length;
            return {
              signedMeanMm: signed / count,
              meanMm: absolute / count,
              rmsMm: Math.sqrt(squares / count),
            };
          },
        });
      },
    };
  },
};

/** Projections on a circle, the distances of source and detector, and the size of the reconstruction. */
const scan = { angles: 180, sourceToAxisMm: 1000, sourceToDetectorMm: 1500, detectorMm: 600, sizeMm: 256 };

/** Rows of a portable float map are stored bottom-up; plastimatch writes its own top-down. */
async function projectionsIn(folder: string, edge: number): Promise<SlabSource> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.pfm')).sort();
  const size = edge * edge;
  const data = new Float32Array(size * names.length);
  for (const [i, name] of names.entries()) {
    const file = await readFile(path.join(folder, name));
    data.set(new Float32Array(file.buffer.slice(file.byteOffset + file.length - 4 * size)), i * size);
  }
  return makeSlabs({
    dimensions: [edge, edge, names.length],
    voxelSizeMm: [1, 1, 1],
    originMm: [0, 0, 0],
    directions: identityDirections(),
    dataType: 'float32',
    data,
  });
}

const backProjection: Row = {
  word: 'fdk',
  name: `Back-projection of ${scan.angles} cone-beam projections`,
  async prepare({ pool, edge, folder }) {
    const target = await mkdtemp(path.join(folder, 'projections-'));
    const { angles, detectorMm, sizeMm, sourceToAxisMm, sourceToDetectorMm } = scan;
    const cell = sizeMm / edge;
    const makeFigures = (voxels: Float32Array): Figures => ({
      samples: [...samplePlaces(edge)].map(([x, y, z]) => voxels[(z * edge + y) * edge + x]),
    });
    const peer = programs.plastimatch(
      target,
      { edge, sizeMm },
      path.join(folder, `reconstructed-${edge}.mha`),
      makeFigures,
    );
    return {
      // Its grey values have another scale and its ramp filter is damped: ours uses the window that comes closest.
      rivals: [{ peer, atLeast: 3, agreement: { correlation: 0.99 } }],
      async withOurs(work) {
        await programs.drawProjections(await projectedBody(folder), target, { angles, edge, detectorMm });
        const projections = await projectionsIn(target, edge);
        const voxels = new Float32Array(edge ** 3);
        const pixel = detectorMm / edge;
        const start = -((edge - 1) / 2) * cell;
        await work({
          async run() {
            const clock = timed(pool, [kernelTasks.backProject, kernelTasks.turnPlanes]);
            let at = 0;
            await reconstruct(
              {
                geometry: {
                  beam: 'cone',
                  sourceToAxisMm,
                  sourceToDetectorMm,
                  columns: edge,
                  rows: edge,
                  pixelSizeMm: [pixel, pixel],
                  // It rotates in the opposite direction.
                  anglesDeg: Array.from({ length: angles }, (_, i) => (-360 * i) / angles),
                  detector: plainDetector(sourceToAxisMm, sourceToDetectorMm),
                },
                projections,
                values: 'lineIntegrals',
              },
              clock.pool,
              {
                maxDimension: edge,
                filter: 'hann',
                centerOfRotationMm: 0,
                cells: {
                  dimensions: [edge, edge, edge],
                  voxelSizeMm: cell,
                  originMm: [start, start, start],
                  radiusMm: sizeMm,
                },
              },
              async () => async (planes) => {
                voxels.set(planes, at);
                at += planes.length;
              },
            );
            return clock.seconds();
          },
          result: async () => makeFigures(voxels),
        });
      },
    };
  },
};

const distance = (kind: 'walls' | 'solid', atLeast: number): Row => ({
  word: kind,
  name: `Distance transform, ${kind === 'walls' ? 'thin walls' : 'solid block'}`,
  async prepare({ pool, edge, folder }) {
    const file = await maskFile(folder, edge, kind);
    // Squared distances in whole cells: the results are bitwise equal.
    const agreement = { samples: { mean: 1e-3, largest: 0.5 } };
    return {
      rivals: [
        { peer: programs.itk('distance', file.file, edge, folder), atLeast, agreement },
        // It takes minutes at 512³, so it is not a useful comparison there.
        ...(edge < 512 ? [{ peer: programs.scipy('distance', file.file, edge), atLeast, agreement }] : []),
      ],
      withOurs: (work) =>
        pool.withArena(async (arena) => {
          const grid = makeBitGrid(arena, [edge, edge, edge], [0, 0, 0]);
          const source = makeSlabs(file.volume);
          const cells = wholeGrid(source.grid);
          const air = [{ level: 0.5, keep: 'air' as const }];
          const [bits] = await thresholdBits(source, { cells, thresholds: air }, { grid, arena });
          const mark = arena.mark();
          const places = [...samplePlaces(edge)];
          const plane = grid.words * 64 * edge;
          const samples = new Array<number>(places.length).fill(Number.NaN);
          const wanted = { bits, reach: Math.min(farthestCells, edge) };
          const transform = (use: (squared: number, zFrom: number, zTo: number) => void) => {
            arena.release(mark);
            return squaredDistances(wanted, { grid, arena }, async (...planes) => use(...planes));
          };
          await work({
            run: () => seconds(() => transform(() => undefined)),
            async result() {
              await transform((squared, zFrom, zTo) => {
                const values = new Uint16Array(arena.memory.buffer, squared, plane * (zTo - zFrom));
                for (const [i, [x, y, z]] of places.entries()) {
                  if (z >= zFrom && z < zTo) {
                    samples[i] = values[(z - zFrom) * plane + y * grid.words * 64 + x];
                  }
                }
              });
              return { samples };
            },
          });
        }),
    };
  },
});

export const rows: readonly Row[] = [
  gauss,
  median,
  distance('walls', 10),
  distance('solid', 1),
  isosurface,
  components,
  closest,
  backProjection,
];
