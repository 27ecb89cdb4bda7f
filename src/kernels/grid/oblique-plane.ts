/**
 * A volume on a plane that lies anywhere in it. Worked through in tiles of pixels, so that only the chunks
 * under one tile have to be in memory at a time.
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
  /** cells of a chunk along x, y, z */
  chunk: Vector3;
  /**
   * @param at number of the chunk along x, y, z
   * @param until its values have to stay as they are until this is resolved
   */
  loadChunk(at: Vector3, until: Promise<void>): Promise<VoxelArray>;
}

const TILE = 128;
const MAX_PIXELS = 64 * 1024 * 1024;

/**
 * Trilinear interpolation at the centre of each pixel; not-a-number further than half a cell outside.
 *
 * @returns width×height values, row by row
 * @throws RangeError when the plane isn't one
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
  // The chunks of the next tile are on their way while one is worked through.
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

/** In cells, from pixel to pixel. */
interface CellPlane {
  origin: Vector3;
  u: Vector3;
  v: Vector3;
  /** pixels */
  width: number;
}

type Chunks = ReadonlyMap<number, VoxelArray>;

const countChunks = ({ grid, chunk }: ObliqueSampler): Vector3 =>
  mapVector(grid.dimensions, (n, axis) => Math.ceil(n / chunk[axis]));

/** The chunks that pixels of a tile lie in or beside: those about the tile that its plane comes within a cell of. */
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

/** Cells of the volume by number, whichever chunk they lie in. */
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
    const [x, y, z] = [clamp(i, nx), clamp(j, ny), clamp(k, nz)];
    const [cx, cy, cz] = [Math.floor(x / chunkX), Math.floor(y / chunkY), Math.floor(z / chunkZ)];
    const at = ((z - cz * chunkZ) * chunkY + (y - cy * chunkY)) * chunkX + (x - cx * chunkX);
    return find(cx, cy, cz)[at] as number;
  };
  return { find, read };
}

function sampleTile(
  sampler: ObliqueSampler,
  chunks: Chunks,
  { origin, u, v, width }: CellPlane,
  tile: Tile,
  target: Float32Array,
): void {
  const [nx, ny, nz] = sampler.grid.dimensions;
  const [chunkX, chunkY, chunkZ] = sampler.chunk;
  const planeStep = chunkX * chunkY;
  const { find, read } = openVoxels(sampler, chunks);
  // The chunk at hand, and the cell that it begins with.
  let data: VoxelArray = new Float32Array(0);
  let dataX = -chunkX;
  let dataY = -chunkY;
  let dataZ = -chunkZ;
  for (let y = tile.y; y < tile.yEnd; y += 1) {
    for (let x = tile.x; x < tile.xEnd; x += 1) {
      const i = origin[0] + x * u[0] + y * v[0];
      const j = origin[1] + x * u[1] + y * v[1];
      const k = origin[2] + x * u[2] + y * v[2];
      if (!(i >= -0.5 && j >= -0.5 && k >= -0.5 && i <= nx - 0.5 && j <= ny - 0.5 && k <= nz - 0.5)) {
        target[y * width + x] = Number.NaN;
        continue;
      }
      const fi = Math.floor(i);
      const fj = Math.floor(j);
      const fk = Math.floor(k);
      const a = i - fi;
      const b = j - fj;
      const c = k - fk;
      let li = fi - dataX;
      let lj = fj - dataY;
      let lk = fk - dataZ;
      if (li < 0 || lj < 0 || lk < 0 || li >= chunkX || lj >= chunkY || lk >= chunkZ) {
        if (fi >= 0 && fj >= 0 && fk >= 0) {
          const [cx, cy, cz] = [Math.floor(fi / chunkX), Math.floor(fj / chunkY), Math.floor(fk / chunkZ)];
          data = find(cx, cy, cz);
          dataX = cx * chunkX;
          dataY = cy * chunkY;
          dataZ = cz * chunkZ;
          li = fi - dataX;
          lj = fj - dataY;
          lk = fk - dataZ;
        } else li = chunkX;
      }
      let y00: number;
      let y10: number;
      let y01: number;
      let y11: number;
      const isWithin = fi + 1 < nx && fj + 1 < ny && fk + 1 < nz;
      // Nearly always all eight cells lie in one chunk.
      if (isWithin && li + 1 < chunkX && lj + 1 < chunkY && lk + 1 < chunkZ) {
        const at = lk * planeStep + lj * chunkX + li;
        const up = at + planeStep;
        y00 = mix(data[at] as number, data[at + 1] as number, a);
        y10 = mix(data[at + chunkX] as number, data[at + chunkX + 1] as number, a);
        y01 = mix(data[up] as number, data[up + 1] as number, a);
        y11 = mix(data[up + chunkX] as number, data[up + chunkX + 1] as number, a);
      } else {
        y00 = mix(read(fi, fj, fk), read(fi + 1, fj, fk), a);
        y10 = mix(read(fi, fj + 1, fk), read(fi + 1, fj + 1, fk), a);
        y01 = mix(read(fi, fj, fk + 1), read(fi + 1, fj, fk + 1), a);
        y11 = mix(read(fi, fj + 1, fk + 1), read(fi + 1, fj + 1, fk + 1), a);
      }
      target[y * width + x] = mix(mix(y00, y10, b), mix(y01, y11, b), c);
    }
  }
}

const clamp = (index: number, length: number): number =>
  index < 0 ? 0 : index >= length ? length - 1 : index;
/** Exact at both ends, also where the other one is not-a-number. */
const mix = (a: number, b: number, share: number): number => (share === 0 ? a : a + (b - a) * share);

/**
 * The same of a volume that is in memory whole, at once: for planes that move under a hand. O(pixels).
 *
 * @param kept values that are no longer needed: written over and returned where there are as many
 * @returns width×height values, row by row; not-a-number further than half a cell outside
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
