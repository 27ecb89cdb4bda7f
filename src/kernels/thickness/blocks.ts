import type { Arena } from '../arena.ts';
import type { Vector3 } from '../grid/volume.ts';
import { inPieces } from '../pool.ts';
import type { ArenaSurface } from '../surface/extract.ts';
import type { GridLayout } from '../surface/grid-layout.ts';
import { kernelTasks } from '../task.ts';
import type { SurfaceBlocks } from './block-layout.ts';

/** Depths are capped at this many cells: the most that a ray skips at once. */
export const deepest = 32;
/** Grid points along a block's edge. */
export const blockEdge = 8;
/** Blocks store grey values when the surface passes within this many grid points; none are read further away. */
const nearSurface = 3;
/** Approximate number of bytes of depths in memory at once. */
const depthBytes = 96e6;

/**
 * Blocks with their depths, from the surface's bits; grey values are filled in later. The result does not depend on the
 * number of threads and planes. Memory: 4 bytes per 512 cells, 2 kB per block near the surface; temporarily one byte a
 * cell for as many planes as 96 MB hold, at least 72.
 */
export async function blocksAround(
  grid: GridLayout,
  surface: ArenaSurface,
  arena: Arena,
  layersAtOnce?: number,
): Promise<SurfaceBlocks> {
  const [nx, ny, nz] = grid.cells.map((n) => n + 2);
  const size = [nx, ny, nz].map((n) => Math.ceil(n / blockEdge)) as Vector3;
  const count = size[0] * size[1] * size[2];
  const purpose = 'The wall thickness';
  const table = arena.allocate(count * 4, purpose);
  const at = arena.place('Blocks', { table, nx: size[0], ny: size[1], nz: size[2] });
  const common = { grid: grid.at, surface: surface.layout.at, blocks: at };
  const scratchBytes = 16 * surface.layout.words;
  const rows = Array.from({ length: arena.threads }, () => arena.allocate(scratchBytes, purpose));
  let near = 0;
  await inPieces(arena, { from: 0, to: size[2], size: 1 }, async (zFrom, zTo, lane) => {
    const input = { ...common, zFrom, zTo, reach: nearSurface, scratch: rows[lane] };
    const found = await arena.run(kernelTasks.markBlocks, input);
    near += found;
  });
  const bytes = (grid.isU16 ? 1472 : 2928) + blockEdge ** 3;
  const first = arena.allocate(near * bytes, purpose);
  await arena.run(kernelTasks.placeBlocks, { table, count, first, bytes });

  const mark = arena.mark();
  const planeBytes = grid.stride * ny;
  const roomFor = Math.floor(depthBytes / planeBytes) - 2 * deepest;
  const layers = layersAtOnce ?? Math.max(1, Math.floor(roomFor / blockEdge));
  const depth = arena.allocate(planeBytes * Math.min(nz, layers * blockEdge + 2 * deepest), purpose);
  const planes = Array.from({ length: arena.threads }, () =>
    arena.allocate(planeBytes + grid.stride + 128, purpose),
  );
  for (let layer = 0; layer < size[2]; layer += layers) {
    const layersTo = Math.min(size[2], layer + layers);
    const [wantedFrom, wantedTo] = [layer * blockEdge, Math.min(nz, layersTo * blockEdge)];
    const [from, to] = [Math.max(0, wantedFrom - deepest), Math.min(nz, wantedTo + deepest)];
    const slab = { ...common, cap: deepest, depth, planeFrom: from };
    const rowsAtOnce = Math.max(1, Math.floor(8e6 / (grid.stride * (to - from))));
    await inPieces(arena, { from: 0, to: ny, size: rowsAtOnce }, (yFrom, yTo) =>
      arena.run(kernelTasks.depthAlongZ, { ...slab, planeTo: to, yFrom, yTo }),
    );
    const planesAtOnce = Math.max(1, Math.floor(8e6 / planeBytes));
    await inPieces(arena, { from: wantedFrom, to: wantedTo, size: planesAtOnce }, (zFrom, zTo, lane) =>
      arena.run(kernelTasks.depthInPlanes, { ...slab, zFrom, zTo, scratch: planes[lane] }),
    );
    await inPieces(arena, { from: layer, to: layersTo, size: 1 }, (zFrom, zTo) =>
      arena.run(kernelTasks.fillDepths, { ...slab, zFrom, zTo }),
    );
  }
  arena.release(mark);
  return { at, table, size };
}
