import { KernelError } from '#kernels/kernel-error.ts';
import { meshOf } from '#kernels/surface/extract.ts';
import { eachPiece, piecesOf } from '#kernels/surface/pieces.ts';
import type { ThicknessStatistics, ThinRegion } from '#kernels/thickness/statistics.ts';
import { measureThickness, wallSmoothing } from '#kernels/thickness/wall-thickness.ts';
import { filterOf, versionsOf } from './algorithms.ts';
import type { Analysis, ResultFile } from './analysis.ts';
import { behindNoiseFilter, noiseFilterOf } from './noise-filter.ts';
import { runMeshWork } from './run-mesh-work.ts';
import { smoothingFacts, surfaceOfVolume } from './volume-surface.ts';

/** Regions beyond this many are left out of the list, the smallest first; their number is kept. */
const listedRegions = 200;

/** Wall thickness at every vertex of a volume's surface, with statistics and the regions below the minimum. */
export const runWallThickness: Analysis<'runWallThickness'> = async (parameters, inputs, context) => {
  const { pool, signal } = context;
  const stored = await context.volume(inputs.sourceDataObjectId);
  const volume = await behindNoiseFilter(stored, parameters, context);
  const { level, smoothing, ...measured } = await pool.withArena(async (arena) => {
    const { surface, level, grey, grid, cells, smoothing } = await surfaceOfVolume(
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
    await eachPiece(pool, piecesOf(surface, grid, arena), signal, 'vertexAreas', (piece) => ({
      ...input,
      ...piece,
    }));
    return {
      level,
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
    isoValue: level.isoValue,
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
        kind: 'wallThickness',
        name: 'Wall thickness',
        metadata,
        files: [
          ...files,
          jsonFile('thickness.json', { ...metadata, regions }),
          { fileName: 'regions.csv', mediaType: 'text/csv', bytes: utf8(regionsCsv(regions)) },
          { fileName: 'histogram.csv', mediaType: 'text/csv', bytes: utf8(histogramCsv(statistics)) },
        ],
      },
    ],
    algorithms: versionsOf(
      ...noiseFilterOf(parameters),
      'surfaceLevel',
      'isosurface',
      'wallThicknessRay',
      ...(parameters.method === 'sphere' ? (['wallThicknessSphere'] as const) : []),
      ...filterOf(smoothing.filter),
      ...(parameters.smoothing === 'auto' ? (['noise'] as const) : []),
    ),
  };
};

const utf8 = (text: string) => new TextEncoder().encode(text);

function jsonFile(fileName: string, value: unknown): ResultFile {
  return { fileName, mediaType: 'application/json', bytes: utf8(`${JSON.stringify(value, null, 2)}\n`) };
}

function regionsCsv(regions: readonly ThinRegion[]): string {
  const point = (name: string) => ['X', 'Y', 'Z'].map((axis) => `${name}${axis}Mm`);
  const heading = [
    'region',
    'areaMm2',
    'minMm',
    ...point('thinnest'),
    ...point('center'),
    'disagreementShare',
  ];
  const rows = regions.map((region, i) =>
    [
      i + 1,
      region.areaMm2,
      region.minMm,
      ...region.thinnestMm,
      ...region.centerMm,
      region.disagreementShare ?? '',
    ].join(','),
  );
  return `${[heading.join(','), ...rows].join('\n')}\n`;
}

function histogramCsv({ histogram }: ThicknessStatistics): string {
  const rows = histogram.areaMm2.map(
    (area, i) => `${histogram.edgesMm[i]},${histogram.edgesMm[i + 1]},${area}`,
  );
  return `${['fromMm,toMm,areaMm2', ...rows].join('\n')}\n`;
}
