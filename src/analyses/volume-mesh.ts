/** From a stored volume to a closed mesh in the scan's frame; every mesh of a volume is made here. */

import type { PartMeasures } from '#contract/metadata/surface.ts';
import type { Uncertainty } from '#contract/metadata/uncertainty.ts';
import type { Arena } from '#kernels/arena.ts';
import { wholeGrid } from '#kernels/grid/region.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { inPieces } from '#kernels/pool.ts';
import { type CutFaces, findCutFaces } from '#kernels/surface/cut-faces.ts';
import { listVertices, makeMesh, placeSurface } from '#kernels/surface/extract.ts';
import { measureSurface } from '#kernels/surface/measure-surface.ts';
import { refineSurface } from '#kernels/surface/refine-surface.ts';
import { settleVertices } from '#kernels/surface/settle.ts';
import type { Smoothing } from '#kernels/surface/smoothing.ts';
import { findLevelOffset } from '#kernels/surface/surface-uncertainty.ts';
import { type Algorithm, chooseFilter, listVersions, readCurrent, refinedBy } from './algorithms.ts';
import type { AnalysisContext, VolumeInput } from './analysis.ts';
import type { DeterminedSurface } from './found-level.ts';
import { chooseNoiseFilter, type NoiseFilterParameters } from './noise-filter.ts';
import { placeUncertainties } from './place-uncertainties.ts';
import {
  findAreaUncertainty,
  findRounding,
  findSurfaceUncertainty,
  findVolumeUncertainty,
  measureShape,
} from './surface-interval.ts';
import {
  doubtCut,
  type FixedSurface,
  findVolumeSurface,
  listDoubts,
  type SurfaceDoubt,
  type SurfaceParameters,
  type VolumeSurface,
} from './volume-surface.ts';

/** A per-vertex value to be stored with the mesh, computed while the grid is available. */
export interface VertexValues {
  stage: string;
  find(found: VolumeSurface, arena: Arena, progress: (fraction: number) => void): Promise<Float32Array>;
}

export interface MeshOptions {
  atVertices?: VertexValues | undefined;
  /** also compute the uncertainty of each vertex */
  hasUncertainties?: boolean;
  /** one of several materials: its number from 1, and the grey values of air and all materials */
  material?: { number: number; peaks: readonly number[] };
}

/** Distance to either side of a surface, in voxels, within which the adjacent materials are identified. */
const interfaceReach = 2;

/**
 * Extracts the surface, restores curved shapes rounded by smoothing, measures and positions it. Progress runs from 0 to
 * `share`.
 * @throws KernelError NO_SURFACE, EMPTY_REGION, TOO_LARGE
 */
export async function makeVolumeMesh(
  volume: VolumeInput,
  parameters: SurfaceParameters,
  context: AnalysisContext,
  found: DeterminedSurface | FixedSurface,
  { share, ...options }: MeshOptions & { share: number },
) {
  const { pool, signal } = context;
  const made = await pool.withArena(async (arena) => {
    const { atVertices, hasUncertainties = false, material } = options;
    const wanted = { share: 0.8 * share, rises: hasUncertainties };
    const extracted = await findVolumeSurface(volume, arena, parameters, context, found, wanted);
    const { surface, grey, grid, level, local, oneLevel, levelledBy, doubts, cells, smoothing } = extracted;
    context.progress(0.8 * share, 'Curvature');
    const refinement =
      parameters.smoothing === 'auto'
        ? await refineSurface(grey, surface, smoothing.filter, arena, {
            isShapeKept: atVertices !== undefined,
            scanBlurMm: findScanBlur(extracted, context),
          })
        : { edgeBlurMm: 0 };
    if (material) await settle(extracted, material, volume.grid.voxelSizeMm, arena);
    const values = await atVertices?.find(extracted, arena, (fraction) =>
      context.progress(share * (0.8 + 0.1 * fraction), atVertices.stage),
    );
    context.progress(0.9 * share, 'Measuring the mesh');
    const facts = await measureSurface(grid, surface, arena);
    const { faces: cut, nearAreaMm2: nearCutMm2 } = findCutFaces(surface, grid, arena);
    const isKept = 'keepPart' in found && isWhole(parameters);
    const areaMm2 = findOwnArea(facts, cut);
    const measured = { edgeBlurMm: refinement.edgeBlurMm, areaMm2, nearCutMm2, volumeMm3: facts.volumeMm3 };
    const sureness =
      isKept || hasUncertainties ? describeSureness(volume, extracted, measured, arena, context) : null;
    // A large mesh may not fit twice. With several materials, all surfaces are kept until the last one is finished,
    // without their working memory.
    const isHandedOver = !grey.isWhole && !material;
    const take = (count: number) =>
      isHandedOver ? arena.floats(arena.allocate(4 * count, 'The mesh'), count) : new Float32Array(count);
    const uncertaintiesMm = placeUncertainties(extracted, refinement.edgeBlurMm, arena, context, take);
    const placed = await (isHandedOver ? placeSurface : makeMesh)(arena, surface, {
      grid: volume.grid,
      cells,
    });
    if (isHandedOver) arena.handOver();
    if (isKept && sureness) {
      keepPart(found, { ...facts, ...sureness }, cut, partAlgorithms(extracted, refinement.edgeBlurMm));
    }
    // Rotations and reflections preserve volume and area.
    return {
      level,
      local,
      oneLevel,
      levelledBy,
      doubts: [...doubts, ...doubtCut(cut, volume.grid, cells)],
      cut,
      cells,
      smoothing,
      sureness,
      ...refinement,
      values,
      uncertaintiesMm,
      mesh: placed.mesh,
      facts: withoutCut({ ...facts, boundsMm: placed.boundsMm }, cut),
    };
  });
  signal.throwIfAborted();
  return made;
}

/**
 * Blur of the scan in mm, from its steepest edges or from its walls; 0 when neither shows it, or in a scan of so few
 * voxels that it was not judged: its walls are too curved.
 */
const findScanBlur = ({ level, grid }: VolumeSurface, { judged }: Pick<AnalysisContext, 'judged'>) =>
  (judged ? (judged.blurVoxels ?? level.blurVoxels ?? 0) : 0) * Math.min(...grid.voxelSizeMm);

/** Settings for which the measures of the part are stored for reuse. */
const isWhole = ({ smoothing, region }: SurfaceParameters) => smoothing === 'auto' && region === undefined;

const partAlgorithms = (
  { levelledBy, smoothing }: Pick<VolumeSurface, 'levelledBy' | 'smoothing'>,
  edgeBlurMm: number,
): Algorithm[] => [...levelledBy, 'isosurface', ...refinedBy(smoothing.filter, edgeBlurMm)];

/** Uncertainty of the surface of a part as a whole. */
type Sureness = Required<Pick<PartMeasures, 'levelOffset' | 'volumeUncertainty'>>;
type FoundSureness = Sureness & { areaUncertainty: Uncertainty | null };

function describeSureness(
  volume: VolumeInput,
  { surface, ...found }: VolumeSurface,
  {
    edgeBlurMm,
    areaMm2,
    nearCutMm2,
    volumeMm3,
  }: { edgeBlurMm: number; areaMm2: number; nearCutMm2: number; volumeMm3: number | null },
  arena: Arena,
  context: AnalysisContext,
): FoundSureness {
  const { voxelSizeMm } = volume.grid;
  const { edgeMiddles = null, vertices, triangles } = surface;
  const blurVoxels = edgeBlurMm / Math.min(...voxelSizeMm);
  const known = findSurfaceUncertainty(
    volume,
    { ...found, edgeMiddles, withThin: true },
    blurVoxels,
    context,
  );
  const mesh = {
    positions: arena.floats(surface.positions, 3 * vertices),
    normals: arena.floats(surface.normals, 3 * vertices),
    indices: arena.integers(surface.indices, 3 * triangles),
  };
  const shape = known && {
    ...measureShape(mesh, areaMm2, known, voxelSizeMm),
    rounding: findRounding(volume, found.smoothing.filter, known),
  };
  const hiddenMm3 = (context.judged?.faintGapShare ?? 0) * (volumeMm3 ?? 0);
  return {
    levelOffset: edgeMiddles && findLevelOffset(edgeMiddles, 1),
    volumeUncertainty:
      shape && findVolumeUncertainty(known, { ...shape, nearCutMm2, hiddenMm3 }, voxelSizeMm),
    areaUncertainty: shape && findAreaUncertainty(known, shape, voxelSizeMm),
  };
}

function keepPart(
  found: DeterminedSurface,
  {
    volumeMm3,
    areaMm2,
    levelOffset,
    volumeUncertainty,
  }: Sureness & { volumeMm3: number | null; areaMm2: number },
  cut: CutFaces,
  algorithms: Algorithm[],
): void {
  if (volumeMm3 === null) return;
  found.keepPart({
    volumeMm3,
    levelOffset,
    volumeUncertainty,
    areaMm2: findOwnArea({ areaMm2 }, cut),
    closedAt: cut.sides,
    closedAreaMm2: cut.areaMm2,
    algorithms: listVersions(...algorithms),
  });
}

/**
 * The volume of the mesh that the same settings would give, without creating the mesh, or as stored earlier. Progress
 * runs from 0 to `share`.
 * @throws KernelError NO_SURFACE, EMPTY_REGION, TOO_LARGE
 */
export async function volumeWithinSurface(
  volume: VolumeInput,
  parameters: SurfaceParameters,
  context: AnalysisContext,
  determined: DeterminedSurface,
  share: number,
): Promise<
  Sureness & { volumeMm3: number; areaMm2: number; doubts: SurfaceDoubt[]; algorithms: Algorithm[] }
> {
  const { pool } = context;
  const known = isWhole(parameters) ? determined.part : undefined;
  const knownBy = known && readCurrent(known.algorithms);
  if (known?.levelOffset !== undefined && known.volumeUncertainty !== undefined && knownBy) {
    const { volumeMm3, areaMm2, levelOffset, volumeUncertainty } = known;
    const cut = { sides: known.closedAt, areaMm2: known.closedAreaMm2 };
    // If nothing else cuts the part, the end of the scan does.
    const doubts = [...listDoubts(determined), ...doubtCut(cut, volume.grid, wholeGrid(volume.grid))];
    return { volumeMm3, areaMm2, levelOffset, volumeUncertainty, doubts, algorithms: knownBy };
  }
  return pool.withArena(async (arena) => {
    const found = await findVolumeSurface(volume, arena, parameters, context, determined, { share });
    const { surface, grey, grid, cells, smoothing } = found;
    const refining = { isShapeKept: false, scanBlurMm: findScanBlur(found, context) };
    const { edgeBlurMm } = await refineSurface(grey, surface, smoothing.filter, arena, refining);
    const { volumeMm3, areaMm2 } = await measureSurface(grid, surface, arena);
    if (volumeMm3 === null) throw new Error('a surface from a volume is always closed');
    const { faces, nearAreaMm2: nearCutMm2 } = findCutFaces(surface, grid, arena);
    const algorithms = partAlgorithms(found, edgeBlurMm);
    const ownAreaMm2 = findOwnArea({ areaMm2 }, faces);
    const measured = { edgeBlurMm, areaMm2: ownAreaMm2, nearCutMm2, volumeMm3 };
    const sureness = describeSureness(volume, found, measured, arena, context);
    if (isWhole(parameters)) keepPart(determined, { volumeMm3, areaMm2, ...sureness }, faces, algorithms);
    return {
      volumeMm3,
      areaMm2: ownAreaMm2,
      ...sureness,
      doubts: [...found.doubts, ...doubtCut(faces, volume.grid, cells)],
      algorithms,
    };
  });
}

/** Area without the closing faces; rounding leaves no less than zero where there is nothing else. */
const findOwnArea = (all: { areaMm2: number }, cut: CutFaces) => Math.max(0, all.areaMm2 - cut.areaMm2);

/** Faces that close a cut part are not part of its area; they are reported separately. */
export const withoutCut = <Facts extends { areaMm2: number }>(facts: Facts, cut: CutFaces) =>
  cut.sides.length === 0
    ? facts
    : { ...facts, areaMm2: findOwnArea(facts, cut), closedAt: cut.sides, closedAreaMm2: cut.areaMm2 };

/** Algorithms used for a mesh of a volume. */
export const meshAlgorithms = (
  parameters: SurfaceParameters & NoiseFilterParameters,
  {
    smoothing,
    edgeBlurMm,
    levelledBy,
  }: Pick<VolumeSurface, 'levelledBy'> & { smoothing: Smoothing; edgeBlurMm: number },
): Algorithm[] => [
  ...chooseNoiseFilter(parameters),
  ...levelledBy,
  'isosurface',
  ...(parameters.smoothing === 'auto'
    ? refinedBy(smoothing.filter, edgeBlurMm)
    : chooseFilter(smoothing.filter)),
];

/** Moves the surface to the true end of its material where its neighbour there is another material and not air. */
async function settle(
  { grey, grid, level, surface }: VolumeSurface,
  { number, peaks }: NonNullable<MeshOptions['material']>,
  voxelSizeMm: Readonly<Vector3>,
  arena: Arena,
): Promise<void> {
  const gain = (grid.iso - grid.air) / (level.isoValue - level.air);
  const interfaces = {
    peaks: peaks.map((peak) => grid.iso + (peak - level.isoValue) * gain),
    material: number,
    level: grid.iso,
    reachMm: interfaceReach * Math.max(...voxelSizeMm),
  };
  const { positions, normals } = surface;
  // A vertex lies up to one plane above its own, and corrections have moved it by less than another.
  const reach = Math.ceil(interfaces.reachMm / voxelSizeMm[2]) + 3;
  await grey.eachWindow(reach, async (window, zFrom, zTo) => {
    const [from, to] = listVertices(surface, grid, arena, zFrom, zTo);
    await inPieces(arena, { from, to, size: 8192 }, async (first, last) => {
      const input = {
        grid: window,
        positions,
        normals,
        from: first,
        to: last,
        interfaces,
      };
      await arena.run(settleVertices, input);
    });
  });
}
