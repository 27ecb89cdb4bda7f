import type { Arena } from '../arena.ts';
import { findKind, isSmallInteger } from '../grid/data-type.ts';
import type { GreyPeaks } from '../grid/histogram.ts';
import { eachPlanes, planeReader, type ReadPlanes } from '../grid/plane-reader.ts';
import type { CellBox } from '../grid/region.ts';
import { bytesPerVoxel, type SlabSource, type Vector3 } from '../grid/volume.ts';
import { inPieces } from '../pool.ts';
import type { KernelInput } from '../simd/webassembly.ts';
import { defineTask, kernelTasks, type OnArena } from '../task.ts';
import { weightsAlong } from './filter-weights.ts';
import { changeGrid, type GreyGrid, type GridLayout, inOneWindow, placeGrid } from './grid-layout.ts';
import { type GreyFilter, gaussFilter } from './smoothing.ts';

export interface LoadOptions {
  /** cells to load; the rest is not read into memory */
  cells: CellBox;
  /** grey value of the surface; the border around the region is filled so that the surface closes there */
  isoValue: number;
  /** lowest and highest grey value */
  range: [number, number];
  /** replacement for NaN */
  air: number;
  /** the peaks of air and material; when the level is midway between them, sharp edges are placed more accurately */
  peaks?: GreyPeaks | null;
  /**
   * a filter, or the standard deviation of a Gaussian, in voxels of the smallest edge; the same length in mm along each
   * axis
   */
  smoothing: number | GreyFilter;
  /** place vertices by linear interpolation between cells, where rays through the grid meet the surface */
  straight?: boolean;
  /** filter every cell, not only those near the surface */
  everywhere?: boolean;
  progress?: (fraction: number) => void;
  /** planes read at once; set by tests only, the result does not depend on it */
  slabPlanes?: number;
}

/** Half the size of a core's own cache. */
const tileBytes = 512 * 1024;

/**
 * Reads a region of a volume into the arena, smoothed near the surface (values elsewhere do not matter), with a border
 * of air that mirrors the outermost cells at the surface's level: a body that touches the border is closed half a cell
 * beyond its last cell. 8 and 16 bit values stay 16 bit.
 */
export async function loadGrid(source: SlabSource, arena: Arena, options: LoadOptions): Promise<GridLayout> {
  const { cells, progress } = options;
  const { layout, planeBytes, halo, filterOn } = planGrid(source, arena, options);
  const [nx, ny, nz] = layout.cells;
  const address = arena.allocate(planeBytes * (nz + 2), `A region of ${nx} × ${ny} × ${nz} voxels`);
  const grid = placeGrid(arena, { ...layout, address });
  const mark = arena.mark();
  const size = options.slabPlanes ?? Math.min(nz, Math.max(32, Math.floor(12e6 / (nx * ny))));
  const filter = filterOn(size);
  const range = { from: cells.from[2], to: cells.to[2], size, before: halo, after: halo };
  const read = { ...range, purpose: 'Reading the scan', progress };
  await eachPlanes(source, cells, arena, read, (zFrom, zTo, planes, lane) =>
    filter(grid, zFrom, zTo, planes, lane),
  );
  await arena.run(kernelTasks.padEnds, { grid: grid.at });
  arena.release(mark);
  return grid;
}

/** Larger grids are loaded window by window; size of each window. */
const [wholeBytes, windowBytes] = [640 * 1024 ** 2, 32 * 1024 ** 2];

/**
 * loadGrid that never holds a large region in memory as a whole; each pass through its windows reads it again.
 * Identical to the last bit.
 */
export async function openGrid(
  source: SlabSource,
  arena: Arena,
  options: LoadOptions & {
    /** planes of a window; set by tests only, the result does not depend on it */
    windowPlanes?: number | undefined;
  },
): Promise<GreyGrid> {
  const plan = planGrid(source, arena, options);
  const { planeBytes, halo } = plan;
  const nz = plan.layout.cells[2];
  if (options.windowPlanes === undefined && planeBytes * (nz + 2) <= wholeBytes) {
    return inOneWindow(await loadGrid(source, arena, options));
  }
  const planes = options.windowPlanes ?? Math.max(16, Math.floor(windowBytes / planeBytes));
  const purpose = 'A window of the scan';
  const layout = placeGrid(arena, plan.layout);
  const sourceFrom = options.cells.from[2];
  const [sourceNx, sourceNy] = source.grid.dimensions;
  const sourceBytes = sourceNx * sourceNy * bytesPerVoxel[source.dataType];
  return {
    layout,
    isWhole: false,
    async eachWindow(wanted, work, progress) {
      // The border planes at both ends are computed from their neighbours.
      const reach = Math.max(1, wanted);
      const mark = arena.mark();
      const maxNeeded = Math.min(nz, planes + reach + 2 * halo);
      // Room for the current window plus what the next one needs, which is read in the meantime.
      const rolling = {
        grid: new RollingPlanes(arena, planeBytes, Math.min(nz + 2, planes + 2 * reach), purpose),
        source: new RollingPlanes(arena, sourceBytes, Math.min(nz, maxNeeded + planes), purpose),
      };
      const read = planeReader(source, options.cells, arena, { planes: maxNeeded, purpose });
      const readTo = async (to: number) => {
        const { address, first, last } = rolling.source;
        if (to <= last) return;
        await read({ address, first: sourceFrom + first }, sourceFrom + last, sourceFrom + to);
        rolling.source.last = to;
      };
      const size = Math.max(1, Math.ceil((planes + reach) / arena.threads));
      const filter = plan.filterOn(size);
      const { at } = placeGrid(arena, layout);
      let ahead = Promise.resolve();
      try {
        for (let zFrom = 0; zFrom < nz + 2; zFrom += planes) {
          const zTo = Math.min(nz + 2, zFrom + planes);
          const first = Math.max(0, zFrom - reach);
          const last = Math.min(nz + 2, zTo + reach);
          // Planes of the region to load; their indices are one lower because of the border.
          const [from, to] = [Math.max(0, (await rolling.grid.moveTo(first)) - 1), Math.min(nz, last - 1)];
          await ahead;
          await rolling.source.moveTo(Math.max(0, from - halo));
          const neededTo = Math.min(nz, to + halo);
          await readTo(neededTo);
          rolling.grid.last = last;
          const address = rolling.grid.address - first * planeBytes;
          const grid: GridLayout = { ...layout, at, address, planes: [first, last] };
          changeGrid(arena, grid);
          const held = {
            address: rolling.source.address,
            first: sourceFrom + rolling.source.first,
            last: sourceFrom + neededTo,
          };
          ahead = readTo(Math.min(nz, neededTo + planes));
          // The next `await ahead` reports the error; until then it would count as unhandled.
          ahead.catch(() => undefined);
          const range = { from: sourceFrom + from, to: sourceFrom + to, size };
          await inPieces(arena, range, (a, b, lane) => filter(grid, a, b, held, lane));
          await arena.run(kernelTasks.padEnds, { grid: grid.at });
          progress?.((zFrom + 0.7 * (zTo - zFrom)) / (nz + 2));
          await work(grid, zFrom, zTo);
          progress?.(zTo / (nz + 2));
        }
      } finally {
        // The memory must not be reused while a read into it is still running.
        await Promise.allSettled([ahead]);
      }
      arena.release(mark);
    },
  };
}

/** A buffer for some planes of a volume that moves on through it; planes that are still needed are kept. */
class RollingPlanes {
  readonly address: number;
  readonly #arena: Arena;
  readonly #planeBytes: number;
  first = 0;
  /** one past the last plane in the buffer */
  last = 0;

  constructor(arena: Arena, planeBytes: number, planes: number, purpose: string) {
    this.address = arena.allocate(planeBytes * planes, purpose);
    this.#arena = arena;
    this.#planeBytes = planeBytes;
  }

  /** Moves the buffer's start to plane `first` (never backwards). Returns the first plane that is missing. */
  async moveTo(first: number): Promise<number> {
    const bytes = Math.max(0, this.last - first) * this.#planeBytes;
    const from = this.address + (first - this.first) * this.#planeBytes;
    if (bytes > 0) await this.#arena.run(kernelTasks.copyBytes, { from, to: this.address, count: bytes });
    this.first = first;
    this.last = Math.max(this.last, first);
    return this.last;
  }
}

type Filtering = (
  grid: GridLayout,
  /** planes of the volume; neighbours are read as far as the filter needs them */
  zFrom: number,
  zTo: number,
  read: ReadPlanes,
  lane: number,
) => Promise<void>;

interface GridPlan {
  /** layout of the whole grid, without its address */
  layout: Omit<GridLayout, 'at'>;
  planeBytes: number;
  /** planes on either side that must have been read to filter a plane */
  halo: number;
  /** Allocates memory for this many planes at once, on every thread. */
  filterOn(planes: number): Filtering;
}

function planGrid(source: SlabSource, arena: Arena, options: LoadOptions): GridPlan {
  const { cells } = options;
  const filter = typeof options.smoothing === 'number' ? gaussFilter(options.smoothing) : options.smoothing;
  const isKeeping = filter.kind === 'curvatureKeeping' && filter.sigma > 0;
  // This filter overshoots beside an edge by a few percent of its height.
  const over = isKeeping ? 0.1 * (options.range[1] - options.range[0]) : 0;
  const range = [options.range[0] - over, options.range[1] + over];
  const [nx, ny, nz] = [0, 1, 2].map((k) => cells.to[k] - cells.from[k]);
  const spacing = source.grid.voxelSizeMm;
  const isU16 = isSmallInteger(source.dataType);
  const stride = Math.ceil((nx + 2) / 16) * 16;
  // The border mirrors grey values at the level, so the range must leave room below for the mirrored highest value.
  const lowest = Math.min(range[0], 2 * options.isoValue - range[1]);
  const offset = isU16 ? Math.floor(lowest) : 0;
  const steps = 65535 / Math.max(1, range[1] - Math.floor(lowest));
  // An integer factor keeps differences of unsmoothed values exact and gives smoothed ones as many steps as 16 bits
  // allow.
  const gain = isU16 ? (steps >= 1 ? Math.floor(steps) : steps) : 1;
  const layout: GridPlan['layout'] = {
    address: 0,
    planes: [0, nz + 2],
    isU16: isU16 ? 1 : 0,
    stride,
    cells: [nx, ny, nz],
    voxelSizeMm: [...spacing],
    iso: (options.isoValue - offset) * gain,
    air: (options.air - offset) * gain,
    span: isKeeping ? (options.straight ? 0 : smoothSpan) : measureSpan(options) * gain,
    pure: 0,
  };
  const kernels = weightsAlong(filter, spacing);
  const radius = kernels.map((weights) => weights.length - 1) as Vector3;
  // Rows per tile: the filter's working set stays in a core's own cache.
  const pitch = Math.ceil(nx / 8) * 8;
  const slots = 2 * radius[2] + 1;
  const tileRows = Math.min(ny, Math.max(8, Math.floor(tileBytes / (4 * pitch * slots))));
  // Cells are skipped where no surface is near; to decide that, two more planes than the filter's radius are needed.
  const halo = radius.some((r) => r > 0) ? radius[2] + 2 : 0;
  const runBytes = Math.ceil(pitch / 32 / 16) * 16;

  const filterOn = (planes: number): Filtering => {
    const weights = kernels.map((values) => {
      const at = arena.allocate(values.length * 4, 'The filter');
      arena.floats(at, values.length).set(values);
      return at;
    });
    const [sourceNx, sourceNy] = source.grid.dimensions;
    const bytesPerCell = bytesPerVoxel[source.dataType];
    const loading = arena.place('Loading', {
      kind: findKind(source.dataType),
      bytes: bytesPerCell,
      sourceNx,
      sourceNy,
      x0: cells.from[0],
      y0: cells.from[1],
      offset,
      gain,
      low: (range[0] - offset) * gain,
      high: (range[1] - offset) * gain,
      air: (options.air - offset) * gain,
      level: options.isoValue,
      isNanAbove: Number(options.air > options.isoValue),
      everywhere: Number(options.everywhere ?? false),
      radiusX: radius[0],
      radiusY: radius[1],
      radiusZ: radius[2],
      weightsX: weights[0],
      weightsY: weights[1],
      weightsZ: weights[2],
      tileRows,
    });
    const scratchBytes =
      4 * (nx + 2 * radius[0] + 64) +
      4 * pitch * (2 ** Math.ceil(Math.log2(2 * radius[1] + 1)) + slots * tileRows) +
      4 * (2 * Math.max(radius[1], radius[2]) + 8) +
      3 * runBytes * ny * Math.min(nz, planes + 2 * halo);
    const scratch = Array.from({ length: arena.threads }, () => arena.allocate(scratchBytes, 'The filter'));
    return (grid, from, to, read, lane) => {
      const [zFrom, zTo] = [from - cells.from[2], to - cells.from[2]];
      const sourceFrom = Math.max(0, zFrom - halo);
      const input = {
        loading,
        grid: grid.at,
        source: read.address + (cells.from[2] + sourceFrom - read.first) * sourceNx * sourceNy * bytesPerCell,
        sourceFrom,
        sourceTo: Math.min(nz, zTo + halo),
        zFrom,
        zTo,
        scratch: scratch[lane],
      };
      return arena.run(loadPlanes, input);
    };
  };
  return { layout, planeBytes: stride * (ny + 2) * (isU16 ? 2 : 4), halo, filterOn };
}

/** Source planes → grid, smoothed, with the border in x and y filled. */
export const loadPlanes = defineTask(
  import.meta.url,
  'loadPlanes',
  (kernels, input: OnArena & KernelInput<'loadSlab'>): void => {
    kernels.loadSlab(input);
    kernels.pad(input);
  },
);

/** Marks values that are smooth enough for cubic interpolation. */
export const smoothSpan = -1;

/** Contrast between material and air; 0 when unknown or when the level is not midway. */
function measureSpan({ peaks, isoValue }: LoadOptions): number {
  if (!peaks) return 0;
  const span = peaks.material - peaks.air;
  return Math.abs(isoValue - peaks.iso50) < 0.02 * span ? span : 0;
}
