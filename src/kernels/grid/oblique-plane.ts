/**
 * A volume on a plane that lies anywhere in it. Worked through in tiles of pixels, so that only the chunks
 * under one tile have to be in memory at a time.
 */
import { cellOf } from './region.ts';
import type { Grid, Vector3, Volume, VoxelArray } from './volume.ts';

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
  loadChunk(cx: number, cy: number, cz: number): Promise<VoxelArray>;
}

const TILE = 64;
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
  const origin = cellOf(sampler.grid, plane.originMm);
  const atOrigin: Grid = { ...sampler.grid, originMm: [0, 0, 0] };
  const [u, v] = [cellOf(atOrigin, plane.uMm), cellOf(atOrigin, plane.vMm)];
  const target = new Float32Array(width * height);
  for (let y = 0; y < height; y += TILE) {
    for (let x = 0; x < width; x += TILE) {
      signal?.throwIfAborted();
      const tile = { x, y, xEnd: Math.min(x + TILE, width), yEnd: Math.min(y + TILE, height) };
      await sampleTile(sampler, { origin, u, v, width }, tile, target);
    }
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

async function sampleTile(
  { grid, chunk, loadChunk }: ObliqueSampler,
  { origin, u, v, width }: CellPlane,
  tile: Tile,
  target: Float32Array,
): Promise<void> {
  const [nx, ny, nz] = grid.dimensions;
  const [chunkX, chunkY, chunkZ] = chunk;
  const across = [Math.ceil(nx / chunkX), Math.ceil(ny / chunkY), Math.ceil(nz / chunkZ)];
  const needed = new Set<number>();
  const each = (visit: (i: number, j: number, k: number, index: number) => void): void => {
    for (let y = tile.y; y < tile.yEnd; y += 1) {
      for (let x = tile.x; x < tile.xEnd; x += 1) {
        visit(
          origin[0] + x * u[0] + y * v[0],
          origin[1] + x * u[1] + y * v[1],
          origin[2] + x * u[2] + y * v[2],
          y * width + x,
        );
      }
    }
  };
  const isOutside = (i: number, j: number, k: number): boolean =>
    !(i >= -0.5 && j >= -0.5 && k >= -0.5 && i <= nx - 0.5 && j <= ny - 0.5 && k <= nz - 0.5);
  each((i, j, k) => {
    if (isOutside(i, j, k)) return;
    const [i0, i1] = [clamp(Math.floor(i), nx), clamp(Math.floor(i) + 1, nx)];
    const [j0, j1] = [clamp(Math.floor(j), ny), clamp(Math.floor(j) + 1, ny)];
    const [k0, k1] = [clamp(Math.floor(k), nz), clamp(Math.floor(k) + 1, nz)];
    for (let cz = Math.floor(k0 / chunkZ); cz <= Math.floor(k1 / chunkZ); cz += 1) {
      for (let cy = Math.floor(j0 / chunkY); cy <= Math.floor(j1 / chunkY); cy += 1) {
        for (let cx = Math.floor(i0 / chunkX); cx <= Math.floor(i1 / chunkX); cx += 1) {
          needed.add((cz * across[1] + cy) * across[0] + cx);
        }
      }
    }
  });
  const chunks = new Map<number, VoxelArray>();
  await Promise.all(
    [...needed].map(async (id) => {
      const cx = id % across[0];
      const cy = Math.floor(id / across[0]) % across[1];
      chunks.set(id, await loadChunk(cx, cy, Math.floor(id / (across[0] * across[1]))));
    }),
  );
  let lastId = -1;
  let last: VoxelArray = new Float32Array(0);
  const voxel = (i: number, j: number, k: number): number => {
    const [cx, cy, cz] = [Math.floor(i / chunkX), Math.floor(j / chunkY), Math.floor(k / chunkZ)];
    const id = (cz * across[1] + cy) * across[0] + cx;
    if (id !== lastId) {
      const found = chunks.get(id);
      if (!found) throw new Error(`chunk ${id} was not loaded`);
      last = found;
      lastId = id;
    }
    return last[((k - cz * chunkZ) * chunkY + (j - cy * chunkY)) * chunkX + (i - cx * chunkX)];
  };
  each((i, j, k, index) => {
    if (isOutside(i, j, k)) {
      target[index] = Number.NaN;
      return;
    }
    const [fi, fj, fk] = [Math.floor(i), Math.floor(j), Math.floor(k)];
    const [i0, i1, a] = [clamp(fi, nx), clamp(fi + 1, nx), i - fi];
    const [j0, j1, b] = [clamp(fj, ny), clamp(fj + 1, ny), j - fj];
    const [k0, k1, c] = [clamp(fk, nz), clamp(fk + 1, nz), k - fk];
    const y00 = mix(voxel(i0, j0, k0), voxel(i1, j0, k0), a);
    const y10 = mix(voxel(i0, j1, k0), voxel(i1, j1, k0), a);
    const y01 = mix(voxel(i0, j0, k1), voxel(i1, j0, k1), a);
    const y11 = mix(voxel(i0, j1, k1), voxel(i1, j1, k1), a);
    target[index] = mix(mix(y00, y10, b), mix(y01, y11, b), c);
  });
}

const clamp = (index: number, length: number): number =>
  index < 0 ? 0 : index >= length ? length - 1 : index;
/** Exact at both ends, also where the other one is not-a-number. */
const mix = (a: number, b: number, share: number): number => (share === 0 ? a : a + (b - a) * share);

/**
 * The same of a volume that is in memory whole, at once: for planes that move under a hand. O(pixels).
 *
 * @returns width×height values, row by row; not-a-number further than half a cell outside
 */
export function resamplePlane(volume: Volume, plane: ObliquePlane): Float32Array {
  const { width, height } = plane;
  const { dimensions, data } = volume;
  const [nx, ny, nz] = dimensions;
  const origin = cellOf(volume, plane.originMm);
  const atOrigin: Grid = { ...volume, originMm: [0, 0, 0] };
  const [u, v] = [cellOf(atOrigin, plane.uMm), cellOf(atOrigin, plane.vMm)];
  const target = new Float32Array(width * height).fill(Number.NaN);
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
