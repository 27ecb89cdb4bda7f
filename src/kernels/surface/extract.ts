import type { CellBox } from '../grid/region.ts';
import { pointOf } from '../grid/region.ts';
import type { Grid } from '../grid/volume.ts';
import { KernelError } from '../kernel-error.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import { inPieces, type KernelPool } from '../pool.ts';
import type { Arena } from '../simd/arena.ts';
import type { SurfaceLayout } from '../tasks.ts';
import { caseTable } from './case-table.ts';
import type { GridLayout } from './grid-layout.ts';

/** An isosurface in the arena, in mm from the centre of the region's first cell, along the grid's own axes. */
export interface ArenaSurface {
  layout: SurfaceLayout;
  vertices: number;
  triangles: number;
  /** addresses: f32 xyz, f32 xyz, u32 abc */
  positions: number;
  normals: number;
  indices: number;
}

export interface ExtractOptions {
  signal?: AbortSignal;
  progress?: (fraction: number) => void;
  /** planes in one task; only tests set it, the result does not depend on it */
  slabPlanes?: number;
}

/**
 * The surface at the grid's level: shared vertices, closed, turning outward. Numbers of vertices and triangles follow
 * from their place alone, so slabs and threads leave no trace. Memory: 1/8 byte a cell, 16 a row, 24 a vertex, 12 a triangle.
 * @throws KernelError NO_SURFACE when no cell is above the level
 * @see https://doi.org/10.1109/LDAV.2015.7348069
 */
export async function extractSurface(
  grid: GridLayout,
  pool: KernelPool,
  arena: Arena,
  options: ExtractOptions = {},
): Promise<ArenaSurface> {
  const { signal, progress } = options;
  const { memory } = arena;
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
  const scratch = Array.from({ length: pool.threads }, () => arena.allocate(64, 'The surface'));
  const size = options.slabPlanes ?? Math.max(1, Math.floor(4e6 / (grid.stride * ny)));
  const range = { from: 0, to: nz, size };
  const common = { memory, grid, surface: layout };
  const third = (part: number) => ({ signal, progress: (f: number) => progress?.((part + f) / 3) });
  await inPieces(pool, range, third(0), (zFrom, zTo) =>
    pool.run('classify', { ...common, zFrom, zTo }, { signal }),
  );
  await inPieces(pool, range, third(1), (zFrom, zTo) =>
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
  const { positions, normals, indices } = surface;
  await inPieces(pool, range, third(2), (zFrom, zTo, lane) =>
    pool.run(
      'writeSurface',
      { ...common, zFrom, zTo, scratch: scratch[lane], positions, normals, indices },
      { signal },
    ),
  );
  return surface;
}

/** Copies a surface out of the arena, into the scan's own frame. */
export function meshOf(arena: Arena, surface: ArenaSurface, source: Grid, cells: CellBox): TriangleMesh {
  const positions = Float32Array.from(arena.floats(surface.positions, 3 * surface.vertices));
  const normals = Float32Array.from(arena.floats(surface.normals, 3 * surface.vertices));
  const indices = Uint32Array.from(arena.integers(surface.indices, 3 * surface.triangles));
  const [ox, oy, oz] = pointOf(source, cells.from);
  const d = source.directions;
  for (let i = 0; i < positions.length; i += 3) {
    const [x, y, z] = [positions[i], positions[i + 1], positions[i + 2]];
    positions[i] = ox + d[0] * x + d[3] * y + d[6] * z;
    positions[i + 1] = oy + d[1] * x + d[4] * y + d[7] * z;
    positions[i + 2] = oz + d[2] * x + d[5] * y + d[8] * z;
    const [u, v, w] = [normals[i], normals[i + 1], normals[i + 2]];
    normals[i] = d[0] * u + d[3] * v + d[6] * w;
    normals[i + 1] = d[1] * u + d[4] * v + d[7] * w;
    normals[i + 2] = d[2] * u + d[5] * v + d[8] * w;
  }
  if (determinant(d) < 0) {
    // A mirrored grid turns every triangle inside out.
    for (let t = 0; t < indices.length; t += 3) {
      const second = indices[t + 1];
      indices[t + 1] = indices[t + 2];
      indices[t + 2] = second;
    }
  }
  return { positions, normals, indices };
}

const determinant = (d: Grid['directions']) =>
  d[0] * (d[4] * d[8] - d[5] * d[7]) -
  d[3] * (d[1] * d[8] - d[2] * d[7]) +
  d[6] * (d[1] * d[5] - d[2] * d[4]);
