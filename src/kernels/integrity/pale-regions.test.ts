import { beforeAll, expect, it } from 'vitest';
import { Arena } from '../arena.ts';
import { wholeGrid } from '../grid/region.ts';
import { type Grid, makeSlabs, type SlabSource, type Vector3 } from '../grid/volume.ts';
import { inlinePool } from '../pool.ts';
import type { WasmModule } from '../simd/webassembly.ts';
import { blurVolume } from '../testing/blur.ts';
import { type Body, box, hollowCylinder, movedBody, sphere, turnedBody } from '../testing/bodies.ts';
import { carve, partGrey } from '../testing/carve.ts';
import { addGrain } from '../testing/impaired-scans.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { renderBody } from '../testing/render-body.ts';
import { startPaleSearch, visitPlanes } from './pale-regions.ts';

let kernels: WasmModule;
beforeAll(async () => {
  kernels = await kernelModule();
});

/** Long enough for two cells along each axis to be read as one. */
const dimensions: Vector3 = [168, 44, 44];
const bar = box([150, 34, 34]);
const contrast = partGrey.material - partGrey.air;

/** Repeats each cell as a cube. */
function enlarge({ grid, dataType, readSlab }: SlabSource, times: number): SlabSource {
  const [nx, ny, nz] = grid.dimensions;
  const [width, height] = [times * nx, times * ny];
  const larger: Grid = {
    ...grid,
    dimensions: [width, height, times * nz],
    voxelSizeMm: grid.voxelSizeMm.map((edge) => edge / times) as Vector3,
  };
  return {
    ...{ grid: larger, dataType },
    async readSlab(from, to) {
      const slab = new Float32Array((to - from) * width * height);
      for (let z = from; z < to; z++) {
        const plane = await readSlab(Math.floor(z / times), Math.floor(z / times) + 1);
        for (let y = 0; y < height; y++) {
          const row = Math.floor(y / times) * nx;
          const start = ((z - from) * height + y) * width;
          for (let x = 0; x < width; x++) slab[start + x] = plane[row + Math.floor(x / times)];
        }
      }
      return slab;
    },
  };
}

async function search(holes: readonly Body[], blur: number, fill = 0, times = 1) {
  const scan = renderBody(bar, { dimensions, voxelSizeMm: [1, 1, 1], dataType: 'float32' });
  carve(scan, holes, partGrey.air + fill * contrast);
  blurVolume(scan, blur);
  addGrain(scan, contrast / 40, 0, 5);
  const source = enlarge(makeSlabs(scan), times);
  const cells = wholeGrid(source.grid);
  const pale = startPaleSearch(source, { cells, levels: partGrey, blur: times * blur });
  await visitPlanes(source, cells, pale, new Arena(inlinePool(kernels, 2)));
  return pale.find();
}

const alongBar = (bodies: readonly Body[]) =>
  bodies.map((body, i) => movedBody(body, [14 * i - 63, 3 * Math.sin(2 * i), 3 * Math.cos(3 * i)]));

it('pores and cracks of one cell are not filled voids in a coarsely read scan', async () => {
  for (const blur of [0.3, 0.9]) {
    const specks = Array.from({ length: 10 }, (_, i) => sphere(0.9 + 0.15 * i));
    const cracks = Array.from({ length: 10 }, (_, i) =>
      turnedBody(hollowCylinder(5.5, 0, 0.4 + 0.2 * i), [30 * i, 20 * i, 0]),
    );
    expect(await search(alongBar(specks), blur)).toBeNull();
    expect(await search(alongBar(cracks), blur)).toBeNull();
  }
});

it.each([1, 6])(
  'filled voids of some cells are found in a coarsely read scan, %i times as fine',
  async (times) => {
    const voids = [
      sphere(6),
      box([10, 11, 12]),
      sphere(7),
      turnedBody(hollowCylinder(6, 0, 12), [30, 20, 0]),
    ];
    const found = await search(alongBar(voids), 0.6, 0.55, times);
    const volumeMm3 = voids.reduce((sum, each) => sum + each.volumeMm3, 0);
    expect(found?.count).toBe(4);
    expect(Math.abs((found?.volume ?? 0) / times ** 3 / volumeMm3 - 1)).toBeLessThan(0.25);
    for (const depth of found?.depths ?? []) expect(Math.abs(depth - 0.45)).toBeLessThan(0.06);
  },
);
