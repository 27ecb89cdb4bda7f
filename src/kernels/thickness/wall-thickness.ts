import type { Arena } from '../arena.ts';
import { inPieces } from '../pool.ts';
import type { ArenaSurface } from '../surface/extract.ts';
import { listVertices } from '../surface/extract.ts';
import type { GreyGrid } from '../surface/grid-layout.ts';
import { kernelTasks } from '../task.ts';
import { blockEdge, blocksAround } from './blocks.ts';

export interface ThicknessOptions {
  method: 'sphere' | 'ray';
  /** largest distance at which the opposite wall is searched; vertices with a thicker wall get NaN */
  maxThicknessMm?: number;
  /** ray: half opening angle of the cone of rays, the shortest of which counts */
  searchAngleDeg?: number;
  progress?: (fraction: number) => void;
  /** vertices per task; set by tests only, the result does not depend on it */
  batch?: number;
  /** layers of blocks whose depths are in memory at once; set by tests only */
  layersAtOnce?: number;
}

/**
 * The opposite side's normal must differ by at least 100°. Sides that meet at a right angle are not each other's wall,
 * or every edge of a part would count as thin.
 */
const maximumDot = -0.17;
/**
 * Half angle of the cone in which a sphere may touch: seen from its centre, at least 180° − 2 · 26° = 128° from its own
 * point.
 */
const ballConeDeg = 26;
/**
 * The filter for measuring walls when it is chosen by noise, with the smallest sigma in voxels: rays need a normal, and
 * the normals of unfiltered cells lean towards the grid axes by several degrees.
 */
export const wallSmoothing = { least: 1.3, alike: 'length', straight: true } as const;

/** Addresses of one f32 (mm) per vertex. */
export interface ArenaThickness {
  /** by the chosen method; NaN when no opposite wall was found within the limit */
  thickness: number;
  /** for spheres: length of the ray along the normal that each started from; null for rays */
  ray: number | null;
}

/**
 * Wall thickness at every vertex of a surface.
 *
 * Ray: length along the inward normal through the grey values to the next crossing of the level, finer than a voxel.
 * Sphere: diameter of the largest sphere in the material that touches the surface there (after Ma, Bae, Choi 2012,
 * doi:10.1007/s00371-011-0594-7), shrunk from the ray by further rays in a cone. Rays go through blocks around the
 * surface: the grid need not be in memory as a whole, and the result does not depend on windows or threads.
 */
export async function measureThickness(
  grey: GreyGrid,
  surface: ArenaSurface,
  arena: Arena,
  options: ThicknessOptions,
): Promise<ArenaThickness> {
  const { method, layersAtOnce } = options;
  const grid = grey.layout;
  const padded = grid.cells.map((n) => n + 2);
  const { vertices, positions } = surface;
  const thickness = arena.allocate(vertices * 4, 'The wall thickness');
  const isRay = method === 'ray';
  const ray = isRay ? null : arena.allocate(vertices * 4, 'The wall thickness');
  const mark = arena.mark();
  const normals = arena.allocate(vertices * 12, 'The wall thickness');
  const blocks = await blocksAround(grid, surface, arena, layersAtOnce);
  const atOnce = options.batch ?? 4096;
  await grey.eachWindow(blockEdge, async (window, zFrom, zTo) => {
    // Layers that begin in this window.
    const layers = { from: Math.ceil(zFrom / blockEdge), to: Math.ceil(zTo / blockEdge), size: 1 };
    await inPieces(arena, layers, (from, to) =>
      arena.run(kernelTasks.fillBlocks, { grid: window.at, blocks: blocks.at, zFrom: from, zTo: to }),
    );
    const [first, last] = listVertices(surface, window, arena, zFrom, zTo);
    await inPieces(arena, { from: first, to: last, size: atOnce }, (from, to) =>
      arena.run(kernelTasks.fieldNormals, { grid: window.at, positions, normals, from, to }),
    );
  });
  const directions = makeCone(isRay ? (options.searchAngleDeg ?? 0) : ballConeDeg);
  const cone = arena.allocate(directions.length * 12, 'The wall thickness');
  arena.floats(cone, directions.length * 3).set(directions.flat());
  const scratch = Array.from({ length: arena.threads }, () =>
    arena.allocate((directions.length + 2) * 4, 'The wall thickness'),
  );
  const diagonalMm = Math.hypot(...padded.map((n, k) => n * grid.voxelSizeMm[k]));
  const range = { from: 0, to: vertices, size: atOnce };
  await inPieces(arena, { ...range, progress: options.progress }, async (from, to, lane) => {
    const surfaces = { grid: grid.at, blocks: blocks.at, positions, normals };
    const input = { ...surfaces, thickness, from, to, cone };
    // The sphere may be smaller than its ray is long, so a limit on thickness limits the ray only for the ray method.
    const limitMm = isRay ? (options.maxThicknessMm ?? diagonalMm) : diagonalMm;
    const rayCount = directions.length;
    const rays = { ...input, rayCount: isRay ? rayCount : 1, limit: limitMm };
    await arena.run(kernelTasks.rays, rays);
    if (ray === null) return;
    arena.floats(ray + 4 * from, to - from).set(arena.floats(thickness + 4 * from, to - from));
    const balls = { ...input, rayCount, maxDot: maximumDot, scratch: scratch[lane] };
    await arena.run(kernelTasks.balls, balls);
  });
  arena.release(mark);
  const limit = options.maxThicknessMm;
  if (limit !== undefined) {
    const values = arena.floats(thickness, vertices);
    for (let v = 0; v < vertices; v++) if (values[v] > limit) values[v] = Number.NaN;
  }
  return { thickness, ray };
}

/** Unit vectors in a cone around +z: its axis, then two rings of 6 up to the half angle. */
export function makeCone(halfAngleDeg: number): [number, number, number][] {
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
