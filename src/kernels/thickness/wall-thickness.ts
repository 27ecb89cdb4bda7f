import { inPieces, type KernelPool } from '../pool.ts';
import type { Arena } from '../simd/arena.ts';
import type { ArenaSurface } from '../surface/extract.ts';
import type { GridLayout } from '../surface/grid-layout.ts';

export interface ThicknessOptions {
  method: 'sphere' | 'ray';
  /** how far the opposite wall is looked for; vertices with a thicker wall get NaN */
  maxThicknessMm?: number;
  /** ray: half opening angle of the cone of rays of which the shortest counts */
  searchAngleDeg?: number;
  signal?: AbortSignal;
  progress?: (fraction: number) => void;
  /** vertices in one task; only tests set it, the result does not depend on it */
  batch?: number;
}

/**
 * The opposite side's normal turns away by 100° at least. Sides that meet at a right angle are not each other's wall, or
 * every edge of a part would count as thin.
 */
const maximumDot = -0.17;
/** Half angle of the cone in which a ball may touch: seen from its centre, at 180° − 2 · 26° = 128° or more from its own point. */
const ballConeDeg = 26;
const smoothingPasses = 3;

/**
 * Wall thickness (mm) at every vertex of a surface: address of one f32 a vertex; NaN where no opposite wall was found.
 *
 * Ray: length along the inward normal through the grey values to the next crossing of the level, finer than a voxel.
 * Sphere: diameter of the largest ball in the material that touches the surface there (after Ma, Bae, Choi 2012,
 * doi:10.1007/s00371-011-0594-7), shrunk from the ray by further rays in a cone.
 */
export async function measureThickness(
  grid: GridLayout,
  surface: ArenaSurface,
  pool: KernelPool,
  arena: Arena,
  options: ThicknessOptions,
): Promise<number> {
  const { signal, method } = options;
  const { memory } = arena;
  const padded = grid.cells.map((n) => n + 2);
  const blocks = padded.map((n) => Math.ceil(n / 4)) as [number, number, number];
  const blockCount = blocks[0] * blocks[1] * blocks[2];
  const { vertices, positions } = surface;
  const thickness = arena.allocate(vertices * 4, 'The wall thickness');
  const mark = arena.mark();
  const normals = await steadyNormals(surface, pool, arena, signal);
  const solid = arena.allocate(blockCount, 'The wall thickness');
  await inPieces(
    pool,
    { from: 0, to: blocks[2], size: Math.max(1, Math.ceil(2e5 / (blocks[0] * blocks[1]))) },
    { signal },
    (zFrom, zTo) =>
      pool.run(
        'solidBlocks',
        { memory, grid, surface: surface.layout, blocks, zFrom, zTo, solid },
        { signal },
      ),
  );
  const isRay = method === 'ray';
  const directions = coneOf(isRay ? (options.searchAngleDeg ?? 0) : ballConeDeg);
  const cone = arena.allocate(directions.length * 12, 'The wall thickness');
  arena.floats(cone, directions.length * 3).set(directions.flat());
  const diagonalMm = Math.hypot(...padded.map((n, k) => n * grid.voxelSizeMm[k]));
  const range = { from: 0, to: vertices, size: options.batch ?? 4096 };
  await inPieces(pool, range, { signal, progress: options.progress }, async (from, to) => {
    const input = { memory, grid, positions, normals, thickness, from, to, solid, blocks, cone };
    // The ball may be smaller than the ray is long: a limit on thickness limits the ray only for rays.
    const limitMm = isRay ? (options.maxThicknessMm ?? diagonalMm) : diagonalMm;
    await pool.run('rays', { ...input, rayCount: isRay ? directions.length : 1, limitMm }, { signal });
    if (isRay) return;
    const rayCount = directions.length;
    await pool.run('balls', { ...input, rayCount, maxDot: maximumDot }, { signal });
  });
  arena.release(mark);
  const limit = options.maxThicknessMm;
  if (limit !== undefined) {
    const values = arena.floats(thickness, vertices);
    for (let v = 0; v < vertices; v++) if (values[v] > limit) values[v] = Number.NaN;
  }
  return thickness;
}

/**
 * Normals for directions across the wall, in the arena: of the triangles, averaged over a few rings of neighbours. The
 * gradient's own normals lean towards the grid's axes by up to 3° (central differences of a sharp edge are not linear
 * in its direction), which shading forgives and a ball's radius doesn't.
 */
async function steadyNormals(
  surface: ArenaSurface,
  pool: KernelPool,
  arena: Arena,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { vertices, positions, indices, triangles } = surface;
  const { memory } = arena;
  let from = arena.allocate(vertices * 12, 'The wall thickness');
  let to = arena.allocate(vertices * 12, 'The wall thickness');
  await pool.run('faceNormals', { memory, positions, vertices, indices, triangles, to: from }, { signal });
  for (let pass = 0; pass < smoothingPasses; pass++) {
    await pool.run('smoothNormals', { memory, from, to, vertices, indices, triangles }, { signal });
    [from, to] = [to, from];
  }
  return from;
}

/** Unit vectors in a cone around +z: its axis, then two rings of 6 up to the half angle. */
export function coneOf(halfAngleDeg: number): [number, number, number][] {
  const directions: [number, number, number][] = [[0, 0, 1]];
  if (halfAngleDeg <= 0) return directions;
  for (const [share, offset] of [
    [0.5, 0],
    [1, 0.5],
  ]) {
    const polar = (halfAngleDeg * share * Math.PI) / 180;
    for (let k = 0; k < 6; k++) {
      const turn = (Math.PI * (k + offset)) / 3;
      directions.push([Math.sin(polar) * Math.cos(turn), Math.sin(polar) * Math.sin(turn), Math.cos(polar)]);
    }
  }
  return directions;
}
