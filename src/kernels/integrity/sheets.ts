import type { CellBox } from '../grid/region.ts';
import type { SlabSource } from '../grid/volume.ts';
import { inPieces } from '../pool.ts';
import { loadGrid } from '../surface/load-grid.ts';
import { kernelTasks } from '../task.ts';
import { allocateBits, ballRows, countBytes, dilateBits } from './bit-grid.ts';
import { dropped } from './bit-layout.ts';
import type { BitStage } from './bit-stage.ts';
import { findComponents } from './components.ts';
import type { GreyLevels } from './measure-defects.ts';
import { findSheetPlanes, renumber, sumSheets } from './tasks.ts';

/** Standard deviation of the Gaussian filter applied before the curvature, in smallest voxel edges. */
const scale = 1;
/** Planes needed on either side by the filter, the differences and the check of both sides. */
const halo = 8;
/**
 * Standard deviation of the curvature of filtered noise, for noise of standard deviation 1: square root of 3/(32 π^1.5
 * σ⁷).
 */
const noiseCurvature = 0.13;
/** Smallest curvature in standard deviations of the noise: for all cells of a sheet, and for the strongest one. */
const [minDeviations, strongDeviations] = [4.5, 7];
/** Curvature of a sheet with an opening of about 0.1 voxels; weaker ones are not searched, even without noise. */
const minCurvature = 0.035;
/** Number of middle cells of the smallest sheet. */
const minCells = 12;

export interface Sheets {
  /** bits of the sheets' cells */
  bits: number;
  pieces: Float64Array[];
}

interface SheetRequest {
  cells: CellBox;
  /** bits of the air around the part */
  outside: number;
  levels: GreyLevels;
  /** standard deviation of the grey values in the material */
  noise: number;
  range: [number, number];
  /** receives the bits of the sheets */
  target: number;
}

/** Thin dark sheets within the material, down to openings of a fraction of a voxel. */
export async function findSheets(
  source: SlabSource,
  request: SheetRequest,
  stage: BitStage,
): Promise<Sheets> {
  const { progress, ...quiet } = stage;
  const { grid, arena, slabPlanes } = quiet;
  const { cells, levels, target } = request;
  const span = levels.material - levels.air;
  const deviation = (noiseCurvature * request.noise) / span;
  const least = Math.max(minDeviations * deviation, minCurvature);
  const mark = arena.mark();
  const near = allocateBits(arena, grid);
  const ball = ballRows(3, [1, 1, 1]);
  await dilateBits({ bits: request.outside, ball, make: 'dilation', target: near }, quiet);
  const found = allocateBits(arena, grid);
  arena.bytes(found, countBytes(grid)).fill(0);
  const [nx, ny, nz] = grid.cells;
  const size = slabPlanes ?? Math.max(16, Math.floor(16e6 / (nx * ny)));
  const pieces: { z: number; found: Float64Array }[] = [];
  const inner = arena.mark();
  for (let zFrom = 0; zFrom < nz; zFrom += size) {
    const zTo = Math.min(nz, zFrom + size);
    const [greyFrom, greyTo] = [Math.max(0, zFrom - halo), Math.min(nz, zTo + halo)];
    const part: CellBox = {
      from: [cells.from[0], cells.from[1], cells.from[2] + greyFrom],
      to: [cells.to[0], cells.to[1], cells.from[2] + greyTo],
    };
    const grey = await loadGrid(source, arena, {
      cells: part,
      isoValue: levels.level,
      range: request.range,
      air: levels.air,
      smoothing: scale,
      everywhere: true,
    });
    // Size of one grey value in the grid's own units.
    const unit = levels.level === levels.air ? 1 : (grey.iso - grey.air) / (levels.level - levels.air);
    await inPieces(arena, { from: zFrom, to: zTo, size: 4 }, async (a, b) => {
      const input = {
        grid,
        grey,
        greyFrom,
        zFrom: a,
        zTo: b,
        near,
        target: found,
        level: grey.iso,
        air: grey.air,
        span: span * unit,
        least,
      };
      pieces.push({ z: a, found: await arena.run(findSheetPlanes, input) });
    });
    arena.release(inner);
    progress?.(zTo / nz);
  }
  pieces.sort((a, b) => a.z - b.z);
  const ordered = pieces.map((piece) => piece.found);
  const components = await findComponents(found, 26, quiet);
  const { count, numbers, runCount } = components;
  const totals = await arena.run(sumSheets, { grid, components, count, pieces: ordered });
  const map = new Uint32Array(count).fill(dropped);
  for (let c = 0; c < count; c++) {
    const isStrong = totals.strongest[c] >= Math.max(strongDeviations * deviation, minCurvature);
    if (totals.cells[c] >= minCells && isStrong) map[c] = 0;
  }
  await arena.run(renumber, { numbers, runCount, map });
  const input = { grid: grid.at, components: components.at, wanted: 0, target };
  await inPieces(arena, { from: 0, to: grid.planes, size: 64 }, (a, b) =>
    arena.run(kernelTasks.paintComponent, { ...input, zFrom: a, zTo: b }),
  );
  arena.release(mark);
  return { bits: target, pieces: ordered };
}
