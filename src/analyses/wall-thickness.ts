import { wallThickness } from '#contract/analyses/wall-thickness.ts';
import type { GreyPeaks } from '#kernels/grid/histogram.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import { findCutFaces } from '#kernels/surface/cut-faces.ts';
import { findBlurVariance } from '#kernels/surface/edge-blur.ts';
import { makeMesh } from '#kernels/surface/extract.ts';
import { weightsAlong } from '#kernels/surface/filter-weights.ts';
import { eachPiece, listPieces } from '#kernels/surface/pieces.ts';
import { kernelTasks } from '#kernels/task.ts';
import type { ThinRegion } from '#kernels/thickness/statistics.ts';
import { measureThinWalls } from '#kernels/thickness/thin-walls.ts';
import { measureThickness, wallSmoothing } from '#kernels/thickness/wall-thickness.ts';
import { chooseFilter, listVersions } from './algorithms.ts';
import { implementAnalysis } from './analysis.ts';
import { determineSurface } from './determine-surface.ts';
import { behindNoiseFilter, chooseNoiseFilter } from './noise-filter.ts';
import { histogramFile, jsonFile, tableFile } from './number-files.ts';
import { runMeshWork } from './run-mesh-work.ts';
import { findSurfaceUncertainty } from './surface-interval.ts';
import { describeShape, findThicknessUncertainties } from './thickness-intervals.ts';
import { describeThinWalls, warnOfThinWalls } from './thin-walls.ts';
import {
  doubtCut,
  findVolumeSurface,
  levelFacts,
  smoothingFacts,
  surfaceWarnings,
} from './volume-surface.ts';

/** Regions beyond this number are omitted from the list, smallest first; their total count is reported. */
const listedRegions = 200;

const allPaths = wallThickness.measures.map(({ path }) => path);
const measureSpan = ({ air, material }: GreyPeaks) => material - air;

/** Measures wall thickness at every vertex of a volume's surface, with statistics and the regions below the minimum. */
export const wallThicknessAnalysis = implementAnalysis(wallThickness, async (parameters, inputs, context) => {
  const { pool, signal } = context;
  const stored = await context.volume(inputs.sourceDataObjectId);
  const volume = await behindNoiseFilter(stored, parameters, context);
  const determined = await determineSurface(inputs.sourceDataObjectId, volume, parameters, context);
  const { doubts, smoothing, walls, levels, blurVoxels, ...measured } = await pool.withArena(
    async (arena) => {
      const wanted = { ...wallSmoothing, share: 0.4 };
      const found = await findVolumeSurface(volume, arena, parameters, context, determined, wanted);
      const { surface, level, local, oneLevel, levelledBy, doubts, grey, grid, cells, smoothing } = found;
      const measured = await measureThickness(grey, surface, arena, {
        method: parameters.method,
        ...(parameters.maxThicknessMm === undefined ? {} : { maxThicknessMm: parameters.maxThicknessMm }),
        searchAngleDeg: parameters.searchAngleDeg,
        progress: (fraction) => context.progress(0.4 + 0.4 * fraction, 'Wall thickness'),
      });
      const cut = findCutFaces(surface, grid, arena);
      if (cut.faces.sides.length > 0) {
        const values = arena.floats(measured.thickness, surface.vertices);
        for (let v = 0; v < values.length; v++) if (cut.isCut(v)) values[v] = Number.NaN;
      }
      context.progress(0.8, 'Thin walls');
      const { source, sourceLevel } = found;
      const walls = await measureThinWalls(
        source,
        { surface, grid, cells, level: sourceLevel },
        measured,
        arena,
      );
      const { thickness, ray } = measured;
      const { positions, indices, vertices } = surface;
      const areas = arena.allocate(vertices * 4, 'The wall thickness');
      const input = { positions, indices, areas };
      await eachPiece(arena, listPieces(surface, grid, arena), kernelTasks.vertexAreas, (piece) => ({
        ...input,
        ...piece,
      }));
      const blurMm = Math.sqrt(findBlurVariance(surface.edgeVariances ?? [], vertices, grid.voxelSizeMm));
      return {
        blurVoxels: blurMm / Math.min(...grid.voxelSizeMm),
        levels: { level, local, oneLevel, edgeMiddles: surface.edgeMiddles ?? null },
        doubts: [...doubts, ...doubtCut(cut.faces, volume.grid, cells)],
        smoothing,
        walls: {
          ...{ ...walls, levelledBy },
          methods: new Float32Array(arena.floats(walls.methods, vertices)),
          weights: weightsAlong(smoothing.filter, volume.grid.voxelSizeMm),
          // From the scale of local levels to the scan's own grey values.
          toGrey:
            level.peaks && sourceLevel.peaks ? measureSpan(level.peaks) / measureSpan(sourceLevel.peaks) : 1,
        },
        mesh: (await makeMesh(arena, surface, { grid: volume.grid, cells })).mesh,
        thicknessMm: new Float32Array(arena.floats(thickness, vertices)),
        ...(ray === null ? {} : { rayMm: new Float32Array(arena.floats(ray, vertices)) }),
        areaMm2: new Float32Array(arena.floats(areas, vertices)),
      };
    },
  );
  signal.throwIfAborted();
  context.progress(0.87, 'Statistics');
  const { minThicknessMm } = parameters;
  const thinWalls = describeThinWalls(walls, measured, volume.grid.voxelSizeMm);
  const { statistics, narrowed, rimless, regions, mesh, thicknessMm, disagreement } = await runMeshWork(
    'summarizeThickness',
    { ...measured, minThicknessMm, voxelMm: Math.max(...volume.grid.voxelSizeMm) },
    signal,
  );
  if (!statistics) throw nothingMeasured(parameters.maxThicknessMm);
  context.progress(0.92, 'Writing');
  const metadata = {
    method: parameters.method,
    ...statistics,
    minThicknessMm: minThicknessMm ?? null,
    maxThicknessMm: parameters.maxThicknessMm ?? null,
    disagreementShare: disagreement?.share ?? null,
    notMeasured: thicknessMm.length - statistics.count,
    thinWalls,
    uncertainties: findThicknessUncertainties(
      { ...statistics, narrowed, rimless, thinWalls, minThicknessMm: minThicknessMm ?? null },
      findSurfaceUncertainty(volume, { ...levels, doubts, smoothing }, blurVoxels, context),
      describeShape(mesh, parameters.method, thicknessMm, statistics.percentilesMm.p50, volume.grid),
      context.doubts,
    ),
    regionCount: regions.length,
    regions: regions.slice(0, listedRegions),
    vertices: thicknessMm.length,
    triangles: mesh.indices.length / 3,
    ...levelFacts(levels),
    ...smoothingFacts(parameters, smoothing),
  };
  const files = await runMeshWork(
    'writeFiles',
    {
      mesh: {
        ...mesh,
        scalars: {
          thicknessMm,
          ...(disagreement ? { raySphereDisagreement: disagreement.flags } : {}),
          ...(thinWalls ? { thicknessMethod: walls.methods } : {}),
        },
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
      ...surfaceWarnings(doubts, ...allPaths),
      ...(await warnOfThinWalls(metadata, volume.grid.voxelSizeMm, inputs.sourceDataObjectId, context)),
    ],
    algorithms: listVersions(
      ...chooseNoiseFilter(parameters),
      ...walls.levelledBy,
      'isosurface',
      'wallThicknessRay',
      ...(parameters.method === 'sphere' ? (['wallThicknessSphere'] as const) : []),
      ...(thinWalls?.profileShare ? (['wallProfile'] as const) : []),
      ...chooseFilter(smoothing.filter),
      ...(parameters.smoothing === 'auto' ? (['noise'] as const) : []),
    ),
  };
});

const nothingMeasured = (maxThicknessMm: number | undefined) =>
  new KernelError(
    'NO_SURFACE',
    maxThicknessMm === undefined
      ? 'No opposite surface was found anywhere: there is no wall to measure.'
      : `No wall is thinner than the maximum thickness of ${maxThicknessMm} mm: raise it.`,
  );

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
