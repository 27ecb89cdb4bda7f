/** Values other than grey values that a texture can show, at each vertex of a surface in the arena. */

import type { Arena } from '../arena.ts';
import { inPieces } from '../pool.ts';
import type { ArenaSurface } from '../surface/extract.ts';
import type { GridLayout } from '../surface/grid-layout.ts';
import { eachPiece, listPieces } from '../surface/pieces.ts';
import { kernelTasks } from '../task.ts';

/** Rounds of averaging over neighbours, an even number: curvature is then measured over about three voxels. */
const curvatureRounds = 4;

/**
 * Mean curvature H (1/mm), positive where the part is convex: the gradient of the area is twice the curvature times the
 * normal times the area (Desbrun, Meyer, Schröder, Barr 1999, doi:10.1145/311535.311576), averaged over neighbours so
 * that it describes the body and not a single triangle. Memory: 48 bytes per vertex, freed afterwards.
 */
export async function meanCurvature(
  grid: GridLayout,
  surface: ArenaSurface,
  arena: Arena,
): Promise<Float32Array<ArrayBuffer>> {
  const { positions, normals, indices, vertices } = surface;
  const mark = arena.mark();
  const sums = [0, 1, 2].map(() => arena.allocate(vertices * 16, 'The curvature'));
  const pieces = listPieces(surface, grid, arena);
  const add = (source: number, target: number) =>
    eachPiece(arena, pieces, kernelTasks.addNeighbours, (piece) => ({
      ...piece,
      indices,
      source,
      target,
    }));
  /** Adds the neighbours' sums to those at `first`; `second` is scratch. */
  const evenOut = async (first: number, second: number) => {
    for (let round = 0; round < curvatureRounds; round += 2) {
      await add(first, second);
      await add(second, first);
    }
  };
  await eachPiece(arena, pieces, kernelTasks.areaGradients, (piece) => ({
    ...piece,
    indices,
    positions,
    sums: sums[0],
  }));
  // Area-weighted normals: over a convex region both sums shrink alike as their terms diverge, so the quotient is
  // unaffected.
  const gradients = arena.floats(sums[0], 4 * vertices);
  const weighted = arena.floats(sums[1], 4 * vertices);
  const outward = arena.floats(normals, 3 * vertices);
  for (let v = 0; v < vertices; v++) {
    for (let k = 0; k < 3; k++) weighted[4 * v + k] = gradients[4 * v + 3] * outward[3 * v + k];
    weighted[4 * v + 3] = 0;
  }
  await evenOut(sums[0], sums[2]);
  await evenOut(sums[1], sums[2]);
  const values = new Float32Array(vertices);
  for (let v = 0; v < vertices; v++) {
    const s = 4 * v;
    const [x, y, z] = [weighted[s], weighted[s + 1], weighted[s + 2]];
    const area2 = x * x + y * y + z * z;
    values[v] =
      area2 > 0 ? (gradients[s] * x + gradients[s + 1] * y + gradients[s + 2] * z) / (2 * area2) : 0;
  }
  arena.release(mark);
  return values;
}

/** Number of rays over the whole sphere; about half of them are above the surface. */
const rays = 160;
/** Rays start this many voxels above the surface, otherwise it would occlude itself. */
const liftVoxels = 1.2;

/**
 * Ambient occlusion: share of the hemisphere above each vertex, cosine-weighted, that no material covers within
 * `limitMm`; 1 = fully open, 0 = enclosed. All vertices use the same fixed directions, so the result is the same on
 * every machine. Memory: 1/64 byte per cell, freed afterwards.
 */
export async function measureOpenness(
  grid: GridLayout,
  surface: ArenaSurface,
  arena: Arena,
  options: { limitMm: number; progress?: (fraction: number) => void },
): Promise<Float32Array<ArrayBuffer>> {
  const { progress, limitMm } = options;
  const { layout, positions, normals, vertices } = surface;
  const purpose = 'Ambient occlusion';
  const mark = arena.mark();
  const blocks = grid.cells.map((n) => Math.ceil((n + 2) / 4));
  const empty = arena.allocate(blocks[0] * blocks[1] * blocks[2], purpose);
  const target = arena.allocate(vertices * 4, purpose);
  const directions = arena.allocate(rays * 12, purpose);
  arena.floats(directions, 3 * rays).set(evenDirections(rays));
  const [nx, ny, nz] = blocks;
  const at = arena.place('Blocks', { table: empty, nx, ny, nz });
  const common = { grid: grid.at, surface: layout.at, blocks: at };
  const layers = { from: 0, to: blocks[2], size: Math.max(1, Math.ceil(1e5 / (blocks[0] * blocks[1]))) };
  await inPieces(arena, layers, (zFrom, zTo) =>
    arena.run(kernelTasks.emptyBlocks, { ...common, zFrom, zTo }),
  );
  const liftMm = liftVoxels * Math.max(...grid.voxelSizeMm);
  await inPieces(arena, { from: 0, to: vertices, size: 4096, progress }, (from, to) =>
    arena.run(kernelTasks.openness, {
      ...common,
      positions,
      normals,
      from,
      to,
      directions,
      count: rays,
      lift: liftMm,
      limit: limitMm,
      target,
    }),
  );
  const values = new Float32Array(arena.floats(target, vertices));
  arena.release(mark);
  return values;
}

/** Unit vectors evenly spread over the sphere, on a spiral from pole to pole with the golden angle. */
function evenDirections(count: number): number[] {
  const golden = Math.PI * (3 - Math.sqrt(5));
  return Array.from({ length: count }, (_, i) => {
    const z = 1 - (2 * i + 1) / count;
    const radius = Math.sqrt(1 - z * z);
    return [radius * Math.cos(golden * i), radius * Math.sin(golden * i), z];
  }).flat();
}
