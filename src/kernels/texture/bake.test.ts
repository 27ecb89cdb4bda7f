import { beforeAll, describe, expect, it } from 'vitest';
import { Arena, type KernelPool } from '../arena.ts';
import { wholeGrid } from '../grid/region.ts';
import { makeSlabs, type SlabSource, type Vector3 } from '../grid/volume.ts';
import { inlinePool, stoppedBy } from '../pool.ts';
import type { WasmModule } from '../simd/webassembly.ts';
import { extractSurface, makeMesh } from '../surface/extract.ts';
import { inOneWindow } from '../surface/grid-layout.ts';
import { loadGrid } from '../surface/load-grid.ts';
import { type Body, box, hollowCylinder, sphere } from '../testing/bodies.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { renderBody } from '../testing/render-body.ts';
import { type Atlas, makeAtlas } from './atlas.ts';
import { type BakedTexture, bakeTexture } from './bake.ts';
import { meanCurvature, measureOpenness } from './vertex-values.ts';

let module: WasmModule;
let pool: KernelPool;
beforeAll(async () => {
  module = await kernelModule();
  pool = inlinePool(module);
});

const voxelMm = 0.1;
/** Grey values of the material, by its place in mm: a slope of 4, 2 and 1 thousand a millimetre. */
const field = (x: number, y: number, z: number) => 40_000 + 4000 * x + 2000 * y + 1000 * z;
const slope = Math.hypot(4000, 2000, 1000);

/** A body of the known field in air of 8 000, sharp to the cell. */
function renderScan(body: Body, dimensions: Vector3): SlabSource {
  const volume = renderBody(body, {
    dimensions,
    voxelSizeMm: [voxelMm, voxelMm, voxelMm],
    dataType: 'float32',
  });
  const [nx, ny] = dimensions;
  for (let i = 0; i < volume.data.length; i++) {
    const at = [i % nx, Math.floor(i / nx) % ny, Math.floor(i / (nx * ny))];
    const [x, y, z] = at.map((cell, k) => volume.originMm[k] + cell * voxelMm);
    const share = (volume.data[i] - 8000) / 32_000;
    volume.data[i] = 8000 + share * (field(x, y, z) - 8000);
  }
  return makeSlabs(volume);
}

async function bakeSurface<Result>(
  source: SlabSource,
  work: (
    arena: Arena,
    grid: Awaited<ReturnType<typeof loadGrid>>,
    surface: Awaited<ReturnType<typeof extractSurface>>,
  ) => Promise<Result>,
  smoothing = 0,
) {
  const arena = new Arena(pool);
  const cells = wholeGrid(source.grid);
  const range: [number, number] = [0, 60_000];
  const grid = await loadGrid(source, arena, {
    cells,
    isoValue: 24_000,
    range,
    air: 8000,
    smoothing,
  });
  const surface = await extractSurface(inOneWindow(grid), arena);
  const result = await work(arena, grid, surface);
  const { mesh } = await makeMesh(arena, surface, { grid: source.grid, cells });
  const { normals = new Float32Array() } = mesh;
  return { mesh: { ...mesh, normals }, result };
}

/** The value that a viewer shows at a place of the picture: linear between the middles of its pixels. */
function shownAt({ picture, low, high }: BakedTexture, u: number, v: number, sizePx: number): number {
  const [x, y] = [u * sizePx - 0.5, v * sizePx - 0.5];
  const [ix, iy] = [Math.floor(x), Math.floor(y)];
  const at = (dx: number, dy: number) => picture[(iy + dy) * sizePx + ix + dx];
  const upper = at(0, 0) + (at(1, 0) - at(0, 0)) * (x - ix);
  const lower = at(0, 1) + (at(1, 1) - at(0, 1)) * (x - ix);
  return low + ((upper + (lower - upper) * (y - iy)) / 255) * (high - low);
}

/** Half the size, each pixel the mean of four: what is shown from further away. */
function halved(texture: BakedTexture, sizePx: number): BakedTexture {
  const half = sizePx / 2;
  const picture = Uint8Array.from({ length: half * half }, (_, i) => {
    const [x, y] = [2 * (i % half), 2 * Math.floor(i / half)];
    const at = (dx: number, dy: number) => texture.picture[(y + dy) * sizePx + x + dx];
    return Math.round((at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1)) / 4);
  });
  return { ...texture, picture };
}

/** Differences between what is shown at the vertices and the field a depth under them. */
function measureErrors({ mesh, coordinates }: Atlas, texture: BakedTexture, sizePx: number, depthMm: number) {
  const { positions: p, normals: n } = mesh;
  return Array.from({ length: p.length / 3 }, (_, v) => {
    const under = [0, 1, 2].map((k) => p[3 * v + k] - depthMm * n[3 * v + k]);
    const truth = field(under[0], under[1], under[2]);
    const cut = Math.min(Math.max(truth, texture.low), texture.high);
    return Math.abs(shownAt(texture, coordinates[2 * v], coordinates[2 * v + 1], sizePx) - cut);
  });
}
const most = (values: readonly number[]) => values.reduce((max, value) => Math.max(max, value), 0);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe.each([
  ['a ball', sphere(1.4), [36, 36, 36]],
  ['a tube', hollowCylinder(1.4, 0.7, 2.2), [36, 36, 30]],
  ['a box', box([2.6, 1.8, 1.2]), [34, 26, 20]],
] as [string, Body, Vector3][])('the texture of %s', (_, body, dimensions) => {
  const sizePx = 512;
  const depthMm = 2 * voxelMm;
  let atlas: Atlas;
  let texture: BakedTexture;
  let source: SlabSource;
  beforeAll(async () => {
    source = renderScan(body, dimensions);
    atlas = makeAtlas((await bakeSurface(source, async () => null)).mesh, sizePx);
    texture = await bakeTexture(atlas, { kind: 'volume', volume: source, depthMm }, new Arena(pool), {
      limits: 'most',
    });
  });

  it('shows the grey value under every vertex, at seams as well as between them', () => {
    const errors = measureErrors(atlas, texture, sizePx, depthMm);
    const step = (texture.high - texture.low) / 255;
    // At a seam half of what is shown may come from the pixel before it, stretched by two and a half.
    expect(most(errors)).toBeLessThan(step + 2.5 * slope * atlas.facts.texelMm);
    expect(mean(errors)).toBeLessThan(step);
  });

  it('does not bleed at seams from a distance either: at half the size, pixels are as accurate', () => {
    expect(atlas.facts.gutterPx).toBe(4);
    const errors = measureErrors(atlas, halved(texture, sizePx), sizePx / 2, depthMm);
    const step = (texture.high - texture.low) / 255;
    expect(most(errors)).toBeLessThan(step + 2.5 * 2 * slope * atlas.facts.texelMm);
  });

  it('does not depend on the number of threads or the slab size', async () => {
    const from = { kind: 'volume', volume: source, depthMm } as const;
    const limits = 'most' as const;
    const other = await bakeTexture(atlas, from, new Arena(inlinePool(module, 3)), {
      limits,
      slabPlanes: 7,
    });
    expect(other.picture.every((byte, i) => byte === texture.picture[i])).toBe(true);
    expect(other.picture.length).toBe(sizePx * sizePx);
    expect([other.low, other.high, other.mean]).toEqual([texture.low, texture.high, texture.mean]);
  });
});

describe('a texture', () => {
  it('leaves out missing grey values, and reports when there are no others', async () => {
    const source = renderScan(sphere(0.8), [22, 22, 22]);
    const { mesh } = await bakeSurface(source, async () => null);
    const atlas = makeAtlas(mesh, 256);
    const without = (isMissing: (z: number) => boolean): SlabSource => ({
      ...source,
      readSlab: async (zStart, zEnd) => {
        const values = await source.readSlab(zStart, zEnd);
        const plane = values.length / (zEnd - zStart);
        return values.map((value, i) =>
          isMissing(zStart + Math.floor(i / plane)) ? Number.NaN : value,
        ) as Float32Array;
      },
    });
    const bake = (volume: SlabSource) =>
      bakeTexture(atlas, { kind: 'volume', volume, depthMm: 0.2 }, new Arena(pool), { limits: 'most' });
    const half = await bake(without((z) => z < 11));
    expect(half.low).toBeGreaterThan(field(-0.8, -0.8, -0.1) - 1);
    expect(half.mean).toBeGreaterThan(field(0, 0, 0));
    await expect(bake(without(() => true))).rejects.toThrow(/No grey value is known/);
  });

  it('stops when it is cancelled', async () => {
    const source = renderScan(sphere(0.8), [22, 22, 22]);
    const atlas = makeAtlas((await bakeSurface(source, async () => null)).mesh, 256);
    const stop = new AbortController();
    const reading: SlabSource = {
      ...source,
      readSlab: (...slab) => {
        stop.abort(new Error('not wanted any more'));
        return source.readSlab(...slab);
      },
    };
    await expect(
      bakeTexture(
        atlas,
        { kind: 'volume', volume: reading, depthMm: 0.2 },
        new Arena(stoppedBy(pool, stop.signal)),
        { limits: 'most' },
      ),
    ).rejects.toThrow('not wanted any more');
  });

  it('supports a volume of a single plane', async () => {
    const source = renderScan(box([1.2, 1.2, 4]), [20, 20, 1]);
    const atlas = makeAtlas((await bakeSurface(source, async () => null)).mesh, 256);
    const { low, high } = await bakeTexture(
      atlas,
      { kind: 'volume', volume: source, depthMm: 0.2 },
      new Arena(pool),
      { limits: 'most' },
    );
    expect(low).toBeGreaterThan(30_000);
    expect(high).toBeLessThan(50_000);
  });
});

describe('values of vertices', () => {
  it('give the curvature of a sphere, and none on the faces of a box', async () => {
    const bakeCurvature = (body: Body, dimensions: Vector3) => {
      const source = makeSlabs(renderBody(body, { dimensions, voxelSizeMm: [voxelMm, voxelMm, voxelMm] }));
      return bakeSurface(source, (arena, grid, surface) => meanCurvature(grid, surface, arena), 1);
    };
    const ball = await bakeCurvature(sphere(1.4), [36, 36, 36]);
    expect(Math.abs(mean([...ball.result]) * 1.4 - 1)).toBeLessThan(0.05);
    const block = await bakeCurvature(box([2.6, 2.2, 2.2]), [34, 30, 30]);
    const { positions } = block.mesh;
    const onFace = block.result.filter(
      (_, v) => positions[3 * v] > 1.25 && Math.hypot(positions[3 * v + 1], positions[3 * v + 2]) < 0.3,
    );
    expect(onFace.length).toBeGreaterThan(10);
    expect(most(Array.from(onFace, Math.abs))).toBeLessThan(0.02);
    expect(most([...block.result])).toBeGreaterThan(1);
  });

  it('give full openness on a sphere, and decreasing openness down a bore', async () => {
    const open = async (body: Body, dimensions: Vector3) =>
      bakeSurface(renderScan(body, dimensions), (arena, grid, surface) =>
        measureOpenness(grid, surface, arena, { limitMm: 10 }),
      );
    const ball = await open(sphere(1.4), [36, 36, 36]);
    expect(Math.min(...ball.result)).toBe(1);
    const tube = await open(hollowCylinder(1.4, 0.5, 3), [36, 36, 38]);
    const { positions } = tube.mesh;
    const inBore = (z: number) =>
      mean([
        ...tube.result.filter(
          (_, v) =>
            Math.hypot(positions[3 * v], positions[3 * v + 1]) < 0.6 &&
            Math.abs(Math.abs(positions[3 * v + 2]) - z) < 0.1,
        ),
      ]);
    // View factor from the wall of a bore to the disc at its end, h away, of radius r = 0.5: with X = h / 2r,
    // (X² + ½) / √(X² + 1) − X (Howell’s catalogue of configuration factors).
    const ends = (h: number) => (h * h + 0.5) / Math.hypot(h, 1) - h;
    for (const z of [0, 0.5, 1]) {
      const truth = ends(1.5 - z) + ends(1.5 + z);
      expect(Math.abs(inBore(z) - truth), `${z} mm from the middle`).toBeLessThan(0.06);
    }
    const outside = tube.result.filter((_, v) => Math.hypot(positions[3 * v], positions[3 * v + 1]) > 1.35);
    expect(Math.min(...outside)).toBeGreaterThan(0.95);
  });
});
