import type { CellBox } from '../grid/region.ts';
import { pointOf } from '../grid/region.ts';
import type { Grid, Vector3 } from '../grid/volume.ts';
import { KernelError } from '../kernel-error.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import { inPieces, type KernelPool } from '../pool.ts';
import type { Arena } from '../simd/arena.ts';
import type { SurfaceLayout } from '../tasks.ts';
import { caseTable } from './case-table.ts';
import { profileReach, profileStep, slopesOfBlurs } from './edge-blur.ts';
import type { GreyGrid, GridLayout } from './grid-layout.ts';

/** An isosurface in the arena, in mm from the centre of the region's first cell, along the grid's own axes. */
export interface ArenaSurface {
  layout: SurfaceLayout;
  vertices: number;
  triangles: number;
  /** addresses: f32 xyz, f32 xyz, u32 abc */
  positions: number;
  normals: number;
  indices: number;
  /** what the edges say about the scan's blur, where that was asked for; see edge-blur.ts */
  edgeVariances?: number[];
}

export interface ExtractOptions {
  signal?: AbortSignal;
  progress?: (fraction: number) => void;
  /** right half of the filter that the grid went through, along an axis: to look at the edges on the way */
  edgesAfter?: readonly number[];
  /** planes in one task; only tests set it, the result does not depend on it */
  slabPlanes?: number;
}

/** Planes around its own that a vertex is placed by. */
const placingReach = 4;

/**
 * The surface at the grid's level: shared vertices, closed, turning outward. Numbers of vertices and triangles follow
 * from their place alone, so slabs and threads leave no trace. Memory: 1/8 byte a cell, 16 a row, 24 a vertex, 12 a triangle.
 * @throws KernelError NO_SURFACE when no cell is above the level
 * @see https://doi.org/10.1109/LDAV.2015.7348069
 */
export async function extractSurface(
  grey: GreyGrid,
  pool: KernelPool,
  arena: Arena,
  options: ExtractOptions = {},
): Promise<ArenaSurface> {
  const { signal, progress } = options;
  const { memory } = arena;
  const grid = grey.layout;
  const [ny, nz] = [grid.cells[1] + 2, grid.cells[2] + 2];
  const words = Math.ceil(grid.stride / 64);
  const table = caseTable();
  const layout: SurfaceLayout = {
    words,
    bits: arena.allocate(ny * nz * words * 8, 'The surface'),
    rows: arena.allocate(ny * nz * 16, 'The surface'),
    zero: arena.allocate(words * 8, 'The surface'),
    table: arena.allocate(table.length, 'The surface'),
  };
  arena.bytes(layout.zero, words * 8).fill(0);
  arena.bytes(layout.table, table.length).set(table);
  const totals = arena.allocate(8, 'The surface');
  const size = planesAtOnce(grid, options);
  const third = (part: number) => ({ signal, progress: (f: number) => progress?.((part + f) / 3) });
  await grey.eachWindow(0, third(0), (window, from, to) =>
    inPieces(pool, { from, to, size }, { signal }, (zFrom, zTo) =>
      pool.run('classify', { memory, grid: window, surface: layout, zFrom, zTo }, { signal }),
    ),
  );
  const common = { memory, grid, surface: layout };
  await inPieces(pool, { from: 0, to: nz, size }, third(1), (zFrom, zTo) =>
    pool.run('countRows', { ...common, zFrom, zTo }, { signal }),
  );
  const [vertices, triangles] = await pool.run('sumRows', { ...common, totals }, { signal });
  if (triangles === 0) {
    throw new KernelError('NO_SURFACE', 'No surface: no cell of the region lies above the surface’s level.');
  }
  const purpose = `A surface of ${triangles} triangles`;
  const surface: ArenaSurface = {
    layout,
    vertices,
    triangles,
    positions: arena.allocate(vertices * 12, purpose),
    normals: arena.allocate(vertices * 12, purpose),
    indices: arena.allocate(triangles * 12, purpose),
  };
  await writeSurface(grey, surface, pool, arena, { ...options, progress: third(2).progress });
  return surface;
}

/** Puts every vertex and triangle in its place: the last stage of the extraction, again after the grid's span changed. */
export async function writeSurface(
  grey: GreyGrid,
  surface: ArenaSurface,
  pool: KernelPool,
  arena: Arena,
  options: ExtractOptions = {},
): Promise<void> {
  const { signal, progress, edgesAfter } = options;
  const { memory } = arena;
  const { layout, positions, normals, indices, vertices } = surface;
  const mark = arena.mark();
  const scratch = Array.from({ length: pool.threads }, () => arena.allocate(64, 'The surface'));
  const size = planesAtOnce(grey.layout, options);
  const edges = edgesAfter && { slopes: slopesOfBlurs(edgesAfter), step: profileStep(vertices) };
  const reach = Math.max(placingReach, edges ? profileReach(grey.layout.voxelSizeMm) : 0);
  const found: { z: number; variances: number[] }[] = [];
  await grey.eachWindow(reach, { signal, progress }, (grid, from, to) =>
    inPieces(pool, { from, to, size }, { signal }, async (zFrom, zTo, lane) => {
      const common = { memory, grid, surface: layout, positions, normals, indices };
      await pool.run('writeSurface', { ...common, zFrom, zTo, scratch: scratch[lane] }, { signal });
      if (!edges) return;
      const [first, last] = verticesOf(surface, grid, arena, zFrom, zTo);
      if (first === last) return;
      const places = { positions, normals, from: first, to: last, ...edges };
      found.push({
        z: zFrom,
        variances: await pool.run('edgeVariances', { memory, grid, ...places }, { signal }),
      });
    }),
  );
  if (edges) {
    surface.edgeVariances = found.sort((a, b) => a.z - b.z).flatMap(({ variances }) => variances);
  }
  arena.release(mark);
}

/** Vertices of planes zFrom … zTo−1: the first, and one beyond the last. They lie up to a plane higher. */
export function verticesOf(
  { layout, vertices }: ArenaSurface,
  { cells }: GridLayout,
  arena: Arena,
  zFrom: number,
  zTo: number,
): [number, number] {
  const [ny, nz] = [cells[1] + 2, cells[2] + 2];
  const rows = arena.integers(layout.rows, 4 * ny * nz);
  const at = (z: number) => (z < nz ? rows[4 * z * ny] : vertices);
  return [at(zFrom), at(zTo)];
}

const planesAtOnce = ({ stride, cells }: GridLayout, { slabPlanes }: ExtractOptions) =>
  slabPlanes ?? Math.max(1, Math.floor(4e6 / (stride * (cells[1] + 2))));

export interface PlacedMesh {
  mesh: TriangleMesh;
  boundsMm: { min: Vector3; max: Vector3 };
}

/** Vertices or triangles in one piece: a few milliseconds of copying. */
const copiedAtOnce = 100_000;

/** Copies a surface out of the arena, into the scan's own frame, in pieces between which the caller's thread is free. */
export async function meshOf(
  pool: KernelPool,
  arena: Arena,
  surface: ArenaSurface,
  source: Grid,
  cells: CellBox,
  signal?: AbortSignal,
): Promise<PlacedMesh> {
  const { memory } = arena;
  const { vertices, triangles, positions, normals } = surface;
  const { directions } = source;
  const origin = pointOf(source, cells.from);
  const mesh = {
    positions: new Float32Array(3 * vertices),
    normals: new Float32Array(3 * vertices),
    indices: new Uint32Array(3 * triangles),
  };
  const min: Vector3 = [Infinity, Infinity, Infinity];
  const max: Vector3 = [-Infinity, -Infinity, -Infinity];
  const mark = arena.mark();
  const placed = Array.from({ length: pool.threads }, () => arena.allocate(copiedAtOnce * 24, 'The mesh'));
  const range = { from: 0, to: vertices, size: copiedAtOnce };
  await inPieces(pool, range, { signal }, async (from, to, lane) => {
    const target = placed[lane];
    const input = { memory, positions, normals, from, to, target, origin, directions };
    const bounds = await pool.run('placeVertices', input, { signal });
    const length = 3 * (to - from);
    mesh.positions.set(arena.floats(target, length), 3 * from);
    mesh.normals.set(arena.floats(target + 4 * length, length), 3 * from);
    for (let k = 0; k < 3; k++) {
      min[k] = Math.min(min[k], bounds.min[k]);
      max[k] = Math.max(max[k], bounds.max[k]);
    }
  });
  // A mirrored grid turns every triangle inside out.
  const mirrored = determinant(directions) < 0;
  const corners = { from: 0, to: triangles, size: copiedAtOnce };
  await inPieces(pool, corners, { signal }, async (from, to, lane) => {
    const target = placed[lane];
    const input = { memory, indices: surface.indices, from, to, target, mirrored };
    await pool.run('turnTriangles', input, { signal });
    mesh.indices.set(arena.integers(target, 3 * (to - from)), 3 * from);
  });
  arena.release(mark);
  return { mesh, boundsMm: { min, max } };
}

const determinant = (d: Grid['directions']) =>
  d[0] * (d[4] * d[8] - d[5] * d[7]) -
  d[3] * (d[1] * d[8] - d[2] * d[7]) +
  d[6] * (d[1] * d[5] - d[2] * d[4]);
