/** Measures each defect from its runs and one more reading of the scan. */

import { findKind } from '../grid/data-type.ts';
import { eachPlanes } from '../grid/plane-reader.ts';
import type { CellBox } from '../grid/region.ts';
import { bytesPerVoxel, type SlabSource, type Vector3 } from '../grid/volume.ts';
import { inPieces } from '../pool.ts';
import { kernelTasks } from '../task.ts';
import { planesPerRead } from './bit-grid.ts';
import type { Components } from './bit-layout.ts';
import type { BitStage } from './bit-stage.ts';
import {
  type DefectTriangles,
  directionCount,
  greySteps,
  measureRoom,
  placeScan,
  type SlabMeasures,
  sumCount,
  sumOf,
} from './measure-slab.ts';
import type { Mouths } from './mouths.ts';
import { levelsFor, type OuterIndex } from './outer-distance.ts';
import type { PlaneVisitor } from './pale-regions.ts';
import type { DefectRuns } from './shape.ts';
import {
  listMouths,
  listRuns,
  measureOuterDistances,
  measurePlanes,
  projectRuns,
  raiseOuterLevels,
} from './tasks.ts';

/** Mean grey values deep in material and in air, and their spread. */
export interface PhaseGrey {
  air: number;
  material: number;
  /** standard deviation in the material; 0 when there is no deep material */
  noise: number;
}

export interface GreyLevels {
  /** peaks of air and material */
  air: number;
  material: number;
  /** the threshold and its uncertainty */
  level: number;
  uncertainty: number;
}

export interface RawMeasures {
  /** sumCount numbers per defect */
  sums: Float64Array;
  /** see Tallies */
  outermost: Float64Array;
  /** measured deep within the phases, in grey values */
  grey: PhaseGrey;
  triangles: DefectTriangles[];
}

export interface MeasureRequest {
  source: SlabSource;
  cells: CellBox;
  defects: Components;
  /** defects are numbered 0 … count−1 */
  count: number;
  phase: number;
  others: number;
  levels: GreyLevels;
  meshed: number;
  /** also visits the planes that are read */
  visitor: PlaneVisitor | null;
}

/** With fewer deep cells, the peaks of the histogram are used instead. */
const enoughCells = 200;
/** Planes per task. */
const planesPerMeasure = 8;

/** Reads the region once more and sums; the result does not depend on slabs or threads. */
export async function measureDefects(request: MeasureRequest, stage: BitStage): Promise<RawMeasures> {
  const { source, cells, levels, count } = request;
  const { grid, arena, progress } = stage;
  const [nx, ny] = source.grid.dimensions;
  const bytesPerCell = bytesPerVoxel[source.dataType];
  const mark = arena.mark();
  const rooms = Array.from({ length: arena.threads }, () => measureRoom(arena, grid, count));
  const scan = placeScan(arena, {
    kind: findKind(source.dataType),
    bytesPerCell,
    pitch: nx,
    planeCells: nx * ny,
    spacingMm: source.grid.voxelSizeMm,
    levels,
    phase: request.phase,
    others: request.others,
    meshed: request.meshed,
  });
  const pieces: { z: number; measures: SlabMeasures }[] = [];
  const { every, visit } = request.visitor ?? { every: 1, visit: null };
  const most = Math.min(grid.cells[2], planesPerRead(source, stage));
  const size = every * Math.max(1, Math.floor(most / every));
  const range = { from: cells.from[2], to: cells.to[2], size, after: 1, purpose: 'Measuring defects' };
  await eachPlanes(source, cells, arena, { ...range, progress }, async (from, to, { address }, lane) => {
    // Few planes per task: a single task would delay cancellation too long.
    for (let z = from; z < to; z += planesPerMeasure) {
      const zFrom = z - cells.from[2];
      const input = {
        grid,
        scan,
        defects: request.defects,
        zFrom,
        zTo: Math.min(z + planesPerMeasure, to) - cells.from[2],
        grey: address + (((z - from) * ny + cells.from[1]) * nx + cells.from[0]) * bytesPerCell,
        planeBytes: nx * ny * bytesPerCell,
        room: rooms[lane],
      };
      const measures = await arena.run(measurePlanes, input);
      pieces.push({ z: zFrom, measures });
    }
    await visit?.(from, to, { arena, address });
  });
  arena.release(mark);
  pieces.sort((a, b) => a.z - b.z);
  return merged(
    pieces.map(({ measures }) => measures),
    count,
    levels,
  );
}

function merged(pieces: SlabMeasures[], count: number, levels: GreyLevels): RawMeasures {
  const sums = new Float64Array(count * sumCount);
  const outermost = new Float64Array(count * 4 * directionCount).fill(Number.NEGATIVE_INFINITY);
  const deep = [0, 0, 0, 0, 0, 0];
  for (const tally of pieces.flatMap(({ tallies }) => tallies)) {
    for (const [i, number] of tally.numbers.entries()) {
      for (let k = 0; k < sumCount; k++) sums[number * sumCount + k] += tally.sums[i * sumCount + k];
      for (let d = 0; d < directionCount; d++) {
        const [from, to] = [4 * (i * directionCount + d), 4 * (number * directionCount + d)];
        if (tally.outermost[from] <= outermost[to]) continue;
        outermost.set(tally.outermost.subarray(from, from + 4), to);
      }
    }
  }
  for (const plane of pieces.flatMap((piece) => piece.deep)) for (let k = 0; k < 6; k++) deep[k] += plane[k];
  const [materialCells, material, materialSquares, airCells, air] = deep;
  const span = levels.material - levels.air;
  const meanMaterial = materialCells >= enoughCells ? material / materialCells : 1;
  const meanAir = airCells >= enoughCells ? air / airCells : 0;
  const variance = materialCells >= enoughCells ? materialSquares / materialCells - meanMaterial ** 2 : 0;
  return {
    sums,
    outermost,
    triangles: pieces.flatMap(({ triangles }) => triangles),
    grey: {
      air: levels.air + meanAir * span,
      material: levels.air + meanMaterial * span,
      noise: Math.abs(span) * Math.sqrt(Math.max(0, variance)),
    },
  };
}

export interface GreyFigures {
  /** volume in cells, from the grey values */
  cells: number;
  /** its centroid, in cells of the region */
  center: Vector3;
  /** number of cells of the defect and around it below the lower and the upper threshold */
  low: number;
  high: number;
}

/** Σ (material − grey) / (material − air) and its centroid; `defectGrey`: grey value of a cell full of defect. */
export function greyFigures(
  { sums }: RawMeasures,
  number: number,
  levels: GreyLevels,
  material: number,
  defectGrey: number,
): GreyFigures {
  const at = (name: keyof typeof sumOf) => sums[number * sumCount + sumOf[name]];
  const span = levels.material - levels.air;
  const solid = ((material - levels.air) / span) * greySteps;
  const empty = ((defectGrey - levels.air) / span) * greySteps;
  const weight = (cells: number, grey: number) => (cells * solid - grey) / (solid - empty);
  const cells = weight(at('cells'), at('grey'));
  const center: Vector3 = [
    weight(at('x'), at('greyX')) / cells,
    weight(at('y'), at('greyY')) / cells,
    weight(at('z'), at('greyZ')) / cells,
  ];
  return { cells, center, low: at('low'), high: at('high') };
}

const placesPurpose = 'The places of defects';

/** Groups the runs by defect. */
export async function gatherDefects(
  defects: Components,
  count: number,
  { grid, arena }: BitStage,
): Promise<DefectRuns> {
  const runs: DefectRuns = {
    starts: arena.allocate((count + 1) * 4, placesPurpose),
    runs: arena.allocate(defects.runCount * 4, placesPurpose),
    rows: arena.allocate(defects.runCount * 4, placesPurpose),
    count,
    runCount: defects.runCount,
  };
  const input = { grid, components: defects, target: runs };
  await arena.run(listRuns, input);
  return runs;
}

/** For each defect: its distance to the outside, its projections along the axes (cells), and its mouths. */
export interface DefectPlaces {
  distancesMm: Float64Array;
  projected: Float64Array;
  mouths: Mouths[];
}

/** Distance of each defect to the outside in mm, and its projections along x, y and z in cells. */
export async function placeDefects(
  request: { runs: DefectRuns; outside: number; spacingMm: Vector3; isOpen: Uint8Array },
  { grid, arena, progress }: BitStage,
): Promise<DefectPlaces> {
  const { runs, outside, spacingMm, isOpen } = request;
  const { count } = runs;
  const mark = arena.mark();
  const index: OuterIndex = {
    outside,
    levels: levelsFor(grid).map((size) => ({
      address: arena.allocate(size[0] * size[1] * size[2], placesPurpose),
      size,
    })),
  };
  const [{ size: blocks, address }] = index.levels;
  await inPieces(arena, { from: 0, to: blocks[2], size: 4 }, async (from, to) => {
    await arena.run(kernelTasks.markOuter, {
      grid: grid.at,
      bits: outside,
      from,
      to,
      blocks: address,
    });
  });
  await arena.run(raiseOuterLevels, { index });
  const distancesMm = new Float64Array(count);
  const projected = new Float64Array(count * 3);
  const mouths: Mouths[] = new Array(count);
  const range = { from: 0, to: count, size: Math.max(1, Math.min(200, Math.ceil(count / 8))) };
  await inPieces(arena, { ...range, progress }, async (from, to) => {
    const input = { grid, runs, from, to };
    projected.set(await arena.run(projectRuns, input), 3 * from);
    distancesMm.set(await arena.run(measureOuterDistances, { ...input, index, spacingMm }), from);
    const open = { ...input, outside, spacingMm, isOpen: isOpen.slice(from, to) };
    for (const [i, found] of (await arena.run(listMouths, open)).entries()) mouths[from + i] = found;
  });
  arena.release(mark);
  return { distancesMm, projected, mouths };
}
