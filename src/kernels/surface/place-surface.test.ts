import { expect, it } from 'vitest';
import { wholeGrid } from '../grid/region.ts';
import { type Grid, makeSlabs } from '../grid/volume.ts';
import { inlinePool } from '../pool.ts';
import { torus } from '../testing/bodies.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { MeasuredArena } from '../testing/measured-arena.ts';
import { renderBody } from '../testing/render-body.ts';
import { type ArenaSurface, extractSurface, makeMesh, placeSurface } from './extract.ts';
import type { GreyGrid } from './grid-layout.ts';
import { openGrid } from './load-grid.ts';
import { edgeWeights, refineSurface } from './refine-surface.ts';
import type { GreyFilter } from './smoothing.ts';

const pool = inlinePool(await kernelModule(), 2);
const volume = renderBody(torus(3, 1.2), {
  dimensions: [70, 45, 30],
  voxelSizeMm: [0.13, 0.21, 0.1],
  noise: 3000,
});
const source = makeSlabs(volume);
const cells = wholeGrid(source.grid);
const filter: GreyFilter = { kind: 'curvatureKeeping', sigma: 1, alike: 'cells' };

async function extract(arena: MeasuredArena): Promise<{ grey: GreyGrid; surface: ArenaSurface }> {
  const levels = { isoValue: 24_000, air: 8000, peaks: null, range: [0, 60_000] as [number, number] };
  const grey = await openGrid(source, arena, { ...levels, cells, smoothing: filter, windowPlanes: 4 });
  const surface = await extractSurface(grey, arena, { edgesAfter: edgeWeights(filter) });
  return { grey, surface };
}

it.each([
  ['as it is', [0, 1, 0, -1, 0, 0, 0, 0, 1]],
  ['mirrored', [0, 1, 0, 1, 0, 0, 0, 0, 1]],
] as const)(
  'a surface is transformed into the scan’s frame identically in place and as a copy, %s',
  async (_, turned) => {
    const grid: Grid = { ...source.grid, directions: [...turned], originMm: [3, -2, 1] };
    const [arena, other] = [new MeasuredArena(pool), new MeasuredArena(pool)];
    const { surface } = await extract(arena);
    const { mesh, boundsMm } = await placeSurface(arena, surface, { grid, cells });
    const copy = await makeMesh(other, (await extract(other)).surface, { grid, cells });
    expect(boundsMm).toEqual(copy.boundsMm);
    for (const name of ['positions', 'normals', 'indices'] as const) {
      expect(mesh[name].buffer).toBeInstanceOf(SharedArrayBuffer);
      expect(mesh[name].byteOffset).toBe(surface[name]);
      expect(Array.from(copy.mesh[name])).toEqual(Array.from(mesh[name]));
    }
  },
);

it('refining takes 33 bytes a vertex beside the surface, and as many for each vertex of one piece per thread', async () => {
  const arena = new MeasuredArena(pool);
  const { grey, surface } = await extract(arena);
  const { vertices } = surface;
  const before = await arena.measurePeak(async () => arena.allocate(0, 'Nothing'));
  const pieceVertices = 300;
  const most = await arena.measurePeak(() =>
    refineSurface(grey, surface, filter, arena, { fewest: pieceVertices }),
  );
  expect(vertices).toBeGreaterThan(5000);
  const bits = surface.layout.bytes;
  const left = await arena.measurePeak(async () => {
    const options = { fewest: pieceVertices, isShapeKept: false };
    await refineSurface(grey, surface, filter, arena, options);
  });
  expect(left).toBeLessThan(most - bits + 32 * 3 * pieceVertices);
  // Pieces consist of whole planes; the height histogram has 2048 numbers.
  expect(most - before).toBeLessThan(33 * vertices + 2 * (32 * 3 * pieceVertices + 8192) + 4096);
});
