import { wallThickness } from '#contract/analyses/wall-thickness.ts';
import type { Warning } from '#contract/metadata/warning.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import { meshOf } from '#kernels/surface/extract.ts';
import { eachPiece, piecesOf } from '#kernels/surface/pieces.ts';
import { kernelTasks } from '#kernels/task.ts';
import type { ThinRegion } from '#kernels/thickness/statistics.ts';
import { measureThickness, wallSmoothing } from '#kernels/thickness/wall-thickness.ts';
import { filterOf, versionsOf } from './algorithms.ts';
import { implementAnalysis } from './analysis.ts';
import { behindNoiseFilter, noiseFilterOf } from './noise-filter.ts';
import { histogramFile, jsonFile, tableFile } from './number-files.ts';
import { runMeshWork } from './run-mesh-work.ts';
import {
  levelAlgorithm,
  levelFacts,
  smoothingFacts,
  surfaceOfVolume,
  surfaceWarnings,
} from './volume-surface.ts';

/** Regions beyond this many are left out of the list, the smallest first; their number is kept. */
const listedRegions = 200;

/** A wall of so many voxels is not mistaken for one of those that are too thin for the scan. */
const safeVoxels = 5;

/** What is said against thin walls says nothing against a thickest one that is well above them. */
const narrowThinWalls = (doubts: readonly Warning[], maxMm: number, voxelMm: number) =>
  doubts
    .filter(({ code }) => code === 'SCAN_THIN_WALLS')
    .map((doubt) => ({
      ...doubt,
      measures: wallThickness.measures
        .map(({ path }) => path)
        .filter((path) => path !== 'maxMm' || maxMm < safeVoxels * voxelMm),
    }));

/** Wall thickness at every vertex of a volume's surface, with statistics and the regions below the minimum. */
export const wallThicknessAnalysis = implementAnalysis(wallThickness, async (parameters, inputs, context) => {
  const { pool, signal } = context;
  const stored = await context.volume(inputs.sourceDataObjectId);
  const volume = await behindNoiseFilter(stored, parameters, context);
  const { level, local, materialGrays, smoothing, ...measured } = await pool.withArena(async (arena) => {
    const { surface, level, local, materialGrays, grey, grid, cells, smoothing } = await surfaceOfVolume(
      volume,
      arena,
      parameters,
      context,
      0.4,
      wallSmoothing,
    );
    const { thickness, ray } = await measureThickness(grey, surface, pool, arena, {
      method: parameters.method,
      ...(parameters.maxThicknessMm === undefined ? {} : { maxThicknessMm: parameters.maxThicknessMm }),
      searchAngleDeg: parameters.searchAngleDeg,
      signal,
      progress: (fraction) => context.progress(0.4 + 0.45 * fraction, 'Wall thickness'),
    });
    const { positions, indices, vertices } = surface;
    const areas = arena.allocate(vertices * 4, 'The wall thickness');
    const { memory } = arena;
    const input = { memory, positions, indices, areas };
    await eachPiece(pool, piecesOf(surface, grid, arena), signal, kernelTasks.vertexAreas, (piece) => ({
      ...input,
      ...piece,
    }));
    return {
      level,
      local,
      materialGrays,
      smoothing,
      mesh: (await meshOf(pool, arena, surface, volume.grid, cells, signal)).mesh,
      thicknessMm: new Float32Array(arena.floats(thickness, vertices)),
      ...(ray === null ? {} : { rayMm: new Float32Array(arena.floats(ray, vertices)) }),
      areaMm2: new Float32Array(arena.floats(areas, vertices)),
    };
  });
  signal.throwIfAborted();
  context.progress(0.87, 'Statistics');
  const { minThicknessMm } = parameters;
  const { statistics, regions, mesh, thicknessMm, disagreement } = await runMeshWork(
    'summarizeThickness',
    { ...measured, minThicknessMm, voxelMm: Math.max(...volume.grid.voxelSizeMm) },
    signal,
  );
  if (!statistics) {
    throw new KernelError(
      'NO_SURFACE',
      parameters.maxThicknessMm === undefined
        ? 'No opposite surface was found anywhere: there is no wall to measure.'
        : `No wall is thinner than the maximum thickness of ${parameters.maxThicknessMm} mm: raise it.`,
    );
  }
  context.progress(0.92, 'Writing');
  const metadata = {
    method: parameters.method,
    ...statistics,
    belowMinimumShare: statistics.belowMinimumShare,
    minThicknessMm: minThicknessMm ?? null,
    maxThicknessMm: parameters.maxThicknessMm ?? null,
    disagreementShare: disagreement?.share ?? null,
    notMeasured: thicknessMm.length - statistics.count,
    regionCount: regions.length,
    regions: regions.slice(0, listedRegions),
    vertices: thicknessMm.length,
    triangles: mesh.indices.length / 3,
    ...levelFacts({ level, local }),
    ...smoothingFacts(parameters, smoothing),
  };
  const files = await runMeshWork(
    'writeFiles',
    {
      mesh: {
        ...mesh,
        scalars: { thicknessMm, ...(disagreement ? { raySphereDisagreement: disagreement.flags } : {}) },
      },
      baseName: 'thickness',
      formats: [],
    },
    signal,
  );
  return {
    dataObjects: [
      {
        kind: wallThickness.makes,
        name: wallThickness.title,
        metadata,
        files: [
          ...files,
          jsonFile('thickness.json', { ...metadata, regions }),
          regionsFile(regions),
          histogramFile(statistics.histogram),
        ],
      },
    ],
    warnings: [
      ...surfaceWarnings({ materialGrays }, 'minMm', 'meanMm', 'maxMm'),
      ...narrowThinWalls(context.doubts, metadata.maxMm, Math.max(...volume.grid.voxelSizeMm)),
    ],
    algorithms: versionsOf(
      ...noiseFilterOf(parameters),
      levelAlgorithm({ local }),
      'isosurface',
      'wallThicknessRay',
      ...(parameters.method === 'sphere' ? (['wallThicknessSphere'] as const) : []),
      ...filterOf(smoothing.filter),
      ...(parameters.smoothing === 'auto' ? (['noise'] as const) : []),
    ),
  };
});

const point = (name: string) => ['X', 'Y', 'Z'].map((axis) => `${name}${axis}Mm`);

const regionsFile = (regions: readonly ThinRegion[]) =>
  tableFile(
    'regions.csv',
    ['region', 'areaMm2', 'minMm', ...point('thinnest'), ...point('center'), 'disagreementShare'],
    regions.map(({ areaMm2, minMm, thinnestMm, centerMm, disagreementShare }, i) => [
      ...[i + 1, areaMm2, minMm],
      ...[...thinnestMm, ...centerMm],
      disagreementShare,
    ]),
  );
