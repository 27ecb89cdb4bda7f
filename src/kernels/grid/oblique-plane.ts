/**
 * Samples a volume on a plane of any orientation, in tiles of pixels, so that only the chunks under one tile have to be
 * in memory at a time.
 */
import { findCell } from './region.ts';
import { type Grid, mapVector, type Vector3, type Volume, type VoxelArray } from './volume.ts';

export interface ObliquePlane {
  /** centre of the first pixel */
  originMm: Vector3;
  /** from one pixel to the next in a row */
  uMm: Vector3;
  /** from one row to the next */
  vMm: Vector3;
  width: number;
  height: number;
}

export interface ObliqueSampler {
  grid: Grid;
  /** cells per chunk along x, y, z */
  chunk: Vector3;
  /**
   * @param at index of the chunk along x, y, z
   * @param until its values must not change before this resolves
   */
  loadChunk(at: Vector3, until: Promise<void>): Promise<VoxelArray>;
}

const TILE = 128;
const MAX_PIXELS = 64 * 1024 * 1024;

/**
 * Trilinear interpolation at each pixel centre; NaN more than half a cell outside.
 *
 * @returns width×height values, row by row
 * @throws RangeError for a degenerate plane
 */
export async function samplePlane(
  sampler: ObliqueSampler,
  plane: ObliquePlane,
  signal?: AbortSignal,
): Promise<Float32Array> {
  const { width, height } = plane;
  if (
    !Number.isInteger(width) ||
    !Number.isInteger(height) ||
    width < 1 ||
    height < 1 ||
    width * height > MAX_PIXELS
  ) {
    throw new RangeError(
      `a plane of ${width} × ${height} pixels can't be made: 1 to ${MAX_PIXELS} in all are possible`,
    );
  }
  if (![plane.originMm, plane.uMm, plane.vMm].every((vector) => vector.every(Number.isFinite))) {
    throw new RangeError('the origin and the directions of the plane have to be finite numbers');
  }
  const origin = findCell(sampler.grid, plane.originMm);
  const atOrigin: Grid = { ...sampler.grid, originMm: [0, 0, 0] };
  const cells = { origin, u: findCell(atOrigin, plane.uMm), v: findCell(atOrigin, plane.vMm), width };
  const target = new Float32Array(width * height);
  const tiles: Tile[] = [];
  for (let y = 0; y < height; y += TILE)
    for (let x = 0; x < width; x += TILE)
      tiles.push({ x, y, xEnd: Math.min(x + TILE, width), yEnd: Math.min(y + TILE, height) });
  // Loads the chunks of the next tile while the current one is sampled.
  const begin = (tile: Tile | undefined) => {
    const { promise: until, resolve: end } = Promise.withResolvers<void>();
    const chunks = loadChunks(sampler, cells, tile, until);
    chunks.catch(() => undefined);
    return { chunks, end };
  };
  let next = begin(tiles[0]);
  try {
    for (const [i, tile] of tiles.entries()) {
      signal?.throwIfAborted();
      const { chunks, end } = next;
      try {
        const loaded = await chunks;
        next = begin(tiles[i + 1]);
        sampleTile(sampler, loaded, cells, tile, target);
      } finally {
        end();
      }
    }
  } finally {
    next.end();
  }
  return target;
}

interface Tile {
  x: number;
  y: number;
  xEnd: number;
  yEnd: number;
}

/** In cells per pixel. */
interface CellPlane {
  origin: Vector3;
  u: Vector3;
  v: Vector3;
  /** in pixels */
  width: number;
}

type Chunks = ReadonlyMap<number, VoxelArray>;

const countChunks = ({ grid, chunk }: ObliqueSampler): Vector3 =>
  mapVector(grid.dimensions, (n, axis) => Math.ceil(n / chunk[axis]));

/** Loads the chunks that the pixels of a tile need: those within a cell of the plane. */
async function loadChunks(
  sampler: ObliqueSampler,
  { origin, u, v }: CellPlane,
  tile: Tile | undefined,
  until: Promise<void>,
): Promise<Chunks> {
  const chunks = new Map<number, VoxelArray>();
  if (!tile) return chunks;
  const { grid, chunk, loadChunk } = sampler;
  const count = countChunks(sampler);
  const corners = [tile.x, tile.xEnd - 1].flatMap((x) =>
    [tile.y, tile.yEnd - 1].map((y) => mapVector(origin, (at, k) => at + x * u[k] + y * v[k])),
  );
  const first = mapVector(origin, (_, k) => {
    const cell = clamp(Math.floor(Math.min(...corners.map((corner) => corner[k]))), grid.dimensions[k]);
    return Math.floor(cell / chunk[k]);
  });
  const last = mapVector(origin, (_, k) => {
    const cell = clamp(Math.floor(Math.max(...corners.map((corner) => corner[k]))) + 1, grid.dimensions[k]);
    return Math.floor(cell / chunk[k]);
  });
  const normal: Vector3 = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const reach = normal.reduce((sum, n, k) => sum + Math.abs(n) * ((chunk[k] ?? 0) / 2 + 1), 0);
  const loads: Promise<void>[] = [];
  for (let cz = first[2]; cz <= last[2]; cz += 1)
    for (let cy = first[1]; cy <= last[1]; cy += 1)
      for (let cx = first[0]; cx <= last[0]; cx += 1) {
        const at: Vector3 = [cx, cy, cz];
        const middle = mapVector(at, (n, k) => (n + 0.5) * chunk[k] - 0.5 - origin[k]);
        const away = middle[0] * normal[0] + middle[1] * normal[1] + middle[2] * normal[2];
        if (Math.abs(away) > reach) continue;
        const id = (cz * count[1] + cy) * count[0] + cx;
        loads.push(loadChunk(at, until).then((voxels) => void chunks.set(id, voxels)));
      }
  await Promise.all(loads);
  return chunks;
}

/** Access to cells by volume index, in whichever chunk they are. */
function openVoxels({ grid, chunk }: ObliqueSampler, chunks: Chunks) {
  const [nx, ny, nz] = grid.dimensions;
  const [chunkX, chunkY, chunkZ] = chunk;
  const [countX, countY] = [Math.ceil(nx / chunkX), Math.ceil(ny / chunkY)];
  const find = (cx: number, cy: number, cz: number): VoxelArray => {
    const found = chunks.get((cz * countY + cy) * countX + cx);
    if (!found) throw new Error(`chunk ${cx}, ${cy}, ${cz} was not loaded`);
    return found;
  };
  /** The cell, or the nearest one of the volume. */
  const read = (i: number, j: number, k: number): number => {
    const x = clamp(i, nx);
    const y = clamp(j, ny);
    const z = clamp(k, nz);
    const cx = Math.floor(x / chunkX);
    const cy = Math.floor(y / chunkY);
    const cz = Math.floor(z / chunkZ);
    const at = ((z - cz * chunkZ) * chunkY + (y - cy * chunkY)) * chunkX + (x - cx * chunkX);
    return find(cx, cy, cz)[at] as number;
  };
  return { find, read };
}

function sampleTile(
  sampler: ObliqueSampler,
  chunks: Chunks,
  plane: CellPlane,
  tile: Tile,
  target: Float32Array,
): void {
  const { origin, u, v, width } = plane;
  const [nx, ny, nz] = sampler.grid.dimensions;
  const [chunkX, chunkY, chunkZ] = sampler.chunk;
  const { find, read } = openVoxels(sampler, chunks);
  const run: Run = { i: 0, j: 0, k: 0, y: 0, x: 0, xEnd: 0 };
  for (let y = tile.y; y < tile.yEnd; y += 1) {
    run.y = y;
    for (let x = tile.x; x < tile.xEnd; x += 1) {
      const i = origin[0] + x * u[0] + y * v[0];
      const j = origin[1] + x * u[1] + y * v[1];
      const k = origin[2] + x * u[2] + y * v[2];
      const to = y * width + x;
      if (!(i >= -0.5 && j >= -0.5 && k >= -0.5 && i <= nx - 0.5 && j <= ny - 0.5 && k <= nz - 0.5)) {
        target[to] = Number.NaN;
        continue;
      }
      const cx = Math.floor(i / chunkX);
      const cy = Math.floor(j / chunkY);
      const cz = Math.floor(k / chunkZ);
      run.i = cx * chunkX;
      run.j = cy * chunkY;
      run.k = cz * chunkZ;
      run.x = x;
      run.xEnd = tile.xEnd;
      // Usually all eight cells are in one chunk, as are those of the following pixels.
      endWithin(run, 0, run.i, Math.min(run.i + chunkX, nx) - 1, plane);
      endWithin(run, 1, run.j, Math.min(run.j + chunkY, ny) - 1, plane);
      endWithin(run, 2, run.k, Math.min(run.k + chunkZ, nz) - 1, plane);
      if (run.xEnd > x) {
        sampleRun(find(cx, cy, cz), sampler.chunk, plane, run, target);
        x = run.xEnd - 1;
        continue;
      }
      const fi = Math.floor(i);
      const fj = Math.floor(j);
      const fk = Math.floor(k);
      const a = i - fi;
      const y00 = mix(read(fi, fj, fk), read(fi + 1, fj, fk), a);
      const y10 = mix(read(fi, fj + 1, fk), read(fi + 1, fj + 1, fk), a);
      const y01 = mix(read(fi, fj, fk + 1), read(fi + 1, fj, fk + 1), a);
      const y11 = mix(read(fi, fj + 1, fk + 1), read(fi + 1, fj + 1, fk + 1), a);
      target[to] = mix(mix(y00, y10, j - fj), mix(y01, y11, j - fj), k - fk);
    }
  }
}

/** Pixels x … xEnd−1 of row y, in the chunk whose first cell is i, j, k. */
interface Run {
  i: number;
  j: number;
  k: number;
  y: number;
  x: number;
  xEnd: number;
}

/** Ends a run before its first pixel outside `low` … `high` (exclusive) along an axis. */
function endWithin(run: Run, axis: 0 | 1 | 2, low: number, high: number, { origin, u, v }: CellPlane): void {
  const { x, y } = run;
  const start = origin[axis];
  const step = u[axis];
  const down = y * v[axis];
  const at = start + x * step + down;
  if (!(at >= low && at < high)) run.xEnd = x;
  const room = step > 0 ? (high - at) / step : step < 0 ? (low - at) / step + 1 : run.xEnd;
  if (room < run.xEnd - x) run.xEnd = x + Math.max(1, Math.ceil(room));
  // Positions are monotonic along the row: if the last one is within, all are. `room` is rounded.
  for (; run.xEnd > x; run.xEnd -= 1) {
    const last = start + (run.xEnd - 1) * step + down;
    if (last >= low && last < high) return;
  }
}

/** Samples pixels whose cells are all in one chunk. */
function sampleRun(
  data: VoxelArray,
  [chunkX, chunkY]: Vector3,
  { origin, u, v, width }: CellPlane,
  run: Run,
  target: Float32Array,
): void {
  const { y, xEnd } = run;
  const planeStep = chunkX * chunkY;
  const [iStart, jStart, kStart] = origin;
  const [iStep, jStep, kStep] = u;
  const [iDown, jDown, kDown] = [y * v[0], y * v[1], y * v[2]];
  const { i: iFirst, j: jFirst, k: kFirst } = run;
  for (let x = run.x, to = y * width + x; x < xEnd; x += 1, to += 1) {
    // Relative to the first cell of the chunk, so not negative: `| 0` rounds down.
    const i = iStart + x * iStep + iDown - iFirst;
    const j = jStart + x * jStep + jDown - jFirst;
    const k = kStart + x * kStep + kDown - kFirst;
    const fi = i | 0;
    const fj = j | 0;
    const fk = k | 0;
    const a = i - fi;
    const b = j - fj;
    const at = fk * planeStep + fj * chunkX + fi;
    const up = at + planeStep;
    const y00 = mix(data[at] as number, data[at + 1] as number, a);
    const y10 = mix(data[at + chunkX] as number, data[at + chunkX + 1] as number, a);
    const y01 = mix(data[up] as number, data[up + 1] as number, a);
    const y11 = mix(data[up + chunkX] as number, data[up + chunkX + 1] as number, a);
    target[to] = mix(mix(y00, y10, b), mix(y01, y11, b), k - fk);
  }
}

const clamp = (index: number, length: number): number =>
  index < 0 ? 0 : index >= length ? length - 1 : index;
/** Exact for share 0, even if the other value is NaN. */
const mix = (a: number, b: number, share: number): number => (share === 0 ? a : a + (b - a) * share);

/**
 * The same for a volume in memory, synchronously: for planes that are dragged. O(pixels).
 *
 * @param kept an array that is no longer needed: overwritten and returned if its length fits
 * @returns width×height values, row by row; NaN more than half a cell outside
 */
export function resamplePlane(volume: Volume, plane: ObliquePlane, kept?: Float32Array): Float32Array {
  const { width, height } = plane;
  const { dimensions, data } = volume;
  const [nx, ny, nz] = dimensions;
  const origin = findCell(volume, plane.originMm);
  const atOrigin: Grid = { ...volume, originMm: [0, 0, 0] };
  const [u, v] = [findCell(atOrigin, plane.uMm), findCell(atOrigin, plane.vMm)];
  const target = kept?.length === width * height ? kept : new Float32Array(width * height);
  target.fill(Number.NaN);
  let to = 0;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++, to++) {
      const i = origin[0] + x * u[0] + y * v[0];
      const j = origin[1] + x * u[1] + y * v[1];
      const k = origin[2] + x * u[2] + y * v[2];
      if (!(i >= -0.5 && j >= -0.5 && k >= -0.5 && i <= nx - 0.5 && j <= ny - 0.5 && k <= nz - 0.5)) continue;
      const [fi, fj, fk] = [Math.floor(i), Math.floor(j), Math.floor(k)];
      const [a, b, c] = [i - fi, j - fj, k - fk];
      const i0 = fi < 0 ? 0 : fi;
      const i1 = fi + 1 < nx ? fi + 1 : nx - 1;
      const row0 = (fj < 0 ? 0 : fj) * nx;
      const row1 = (fj + 1 < ny ? fj + 1 : ny - 1) * nx;
      const slab0 = (fk < 0 ? 0 : fk) * nx * ny;
      const slab1 = (fk + 1 < nz ? fk + 1 : nz - 1) * nx * ny;
      const y00 = mix(data[slab0 + row0 + i0] as number, data[slab0 + row0 + i1] as number, a);
      const y10 = mix(data[slab0 + row1 + i0] as number, data[slab0 + row1 + i1] as number, a);
      const y01 = mix(data[slab1 + row0 + i0] as number, data[slab1 + row0 + i1] as number, a);
      const y11 = mix(data[slab1 + row1 + i0] as number, data[slab1 + row1 + i1] as number, a);
      target[to] = mix(mix(y00, y10, b), mix(y01, y11, b), c);
    }
  return target;
}
