import type { Arena } from '../arena.ts';
import { locatePoint } from '../grid/region.ts';
import { bytesPerVoxel, type Grid, type SlabSource, type Vector3 } from '../grid/volume.ts';
import { KernelError } from '../kernel-error.ts';
import { inPieces } from '../pool.ts';
import type { Atlas } from './atlas.ts';
import {
  assignTexels,
  bandTriangles,
  countTexels,
  type MeshInArena,
  maxPlanes,
  paintTexels,
  planesOfTexels,
  sampleTexels,
  spreadOverTexels,
  summarizeTexels,
  type TexelSummary,
} from './tasks.ts';

/** A texture: the meaning of its bytes, and the bytes. */
export interface BakedTexture {
  sizePx: number;
  /** one byte per pixel, rows from the top */
  picture: Uint8Array<ArrayBuffer>;
  /** values of byte 0 and byte 255, linear in between */
  low: number;
  high: number;
  /** over all pixels of the surface */
  mean: number;
}

/** Source of the values: the volume, below the surface, or the vertices. */
export type TextureSource =
  | { kind: 'volume'; volume: SlabSource; depthMm: number }
  | { kind: 'vertices'; values: Float32Array };

export interface BakeOptions {
  /** how values map to bytes: without the outermost thousandth on each side, symmetric about 0, or given */
  limits: 'most' | 'symmetric' | { low: number; high: number };
  progress?: (fraction: number) => void;
  /** planes read at once; set by tests only, without effect on the result */
  slabPlanes?: number;
}

const bandRows = 64;
const slabBytes = 64e6;
const bins = 4096;
/** Share of the pixels on each side excluded from the limits. */
const outermost = 0.001;
/** Limits with a single value are widened by this. */
const minWidth = 1e-6;

/**
 * Fills the texture of an atlas with grey values of a volume slightly below the surface, read slab by slab and
 * trilinear, or with vertex values, linear over the triangles. Gutters get the value at the nearest border of their
 * chart, the rest the mean. Independent of the number of threads and the slab size. Memory: the mesh, 7 bytes per
 * pixel, one slab.
 * @throws KernelError TOO_LARGE, and NO_SURFACE when no pixel has a value
 */
export async function bakeTexture(
  atlas: Atlas,
  source: TextureSource,
  arena: Arena,
  options: BakeOptions,
): Promise<BakedTexture> {
  const { progress = () => undefined } = options;
  const { sizePx, gutterPx } = atlas.facts;
  const purpose = `A texture of ${sizePx} × ${sizePx} pixels`;
  const mesh = putMesh(atlas, arena, purpose);
  const texels = arena.allocate(4 * sizePx * sizePx, purpose);
  const common = { mesh, sizePx, texels };
  const bands = await arena.run(bandTriangles, { mesh, sizePx, reachPx: gutterPx, bandRows });
  const range = { from: 0, to: sizePx, size: bandRows };
  const share = (from: number, to: number) => ({
    ...range,
    progress: (fraction: number) => progress(from + (to - from) * fraction),
  });
  await inPieces(arena, share(0, 0.3), (rowFrom, rowTo) => {
    const band = rowFrom / bandRows;
    const list = bands.triangles.slice(bands.starts[band], bands.starts[band + 1]);
    return arena.run(assignTexels, { ...common, rowFrom, rowTo, reachPx: gutterPx, list });
  });
  if (source.kind === 'volume') await sampleVolume(source, common, arena, options, share(0.3, 0.9));
  else {
    const values = put(arena, source.values, purpose);
    await inPieces(arena, share(0.3, 0.9), (rowFrom, rowTo) =>
      arena.run(spreadOverTexels, { ...common, rowFrom, rowTo, values }),
    );
  }

  const pieces: TexelSummary[] = [];
  await inPieces(arena, range, async (rowFrom, rowTo) => {
    pieces[rowFrom / bandRows] = await arena.run(summarizeTexels, { ...common, rowFrom, rowTo });
  });
  const whole = pieces.reduce((sum, piece) => ({
    count: sum.count + piece.count,
    sum: sum.sum + piece.sum,
    min: Math.min(sum.min, piece.min),
    max: Math.max(sum.max, piece.max),
  }));
  if (whole.count === 0) {
    throw new KernelError(
      'NO_SURFACE',
      'No grey value is known anywhere under the surface: the scan has none there.',
    );
  }
  const mean = whole.sum / whole.count;
  let { low, high } =
    typeof options.limits === 'object' ? options.limits : { low: whole.min, high: whole.max };
  if (typeof options.limits === 'string' && low < high) {
    const counts = new Uint32Array(bins);
    await inPieces(arena, range, async (rowFrom, rowTo) => {
      const own = await arena.run(countTexels, { ...common, rowFrom, rowTo, low, high, bins });
      for (let bin = 0; bin < bins; bin++) counts[bin] += own[bin];
    });
    [low, high] = inner(counts, whole);
  }
  if (options.limits === 'symmetric') {
    high = Math.max(Math.abs(low), Math.abs(high));
    low = -high;
  }
  if (!(high - low > minWidth * Math.max(1, Math.abs(low)))) {
    const middle = (low + high) / 2;
    const half = Math.max(0.5, minWidth * Math.abs(middle));
    [low, high] = [middle - half, middle + half];
  }
  const picture = arena.allocate(sizePx * sizePx, purpose);
  await inPieces(arena, share(0.9, 1), (rowFrom, rowTo) =>
    arena.run(paintTexels, { ...common, rowFrom, rowTo, low, high, fill: mean, picture }),
  );
  return { sizePx, picture: new Uint8Array(arena.bytes(picture, sizePx * sizePx)), low, high, mean };
}

interface Common {
  mesh: MeshInArena;
  sizePx: number;
  texels: number;
}

async function sampleVolume(
  { volume, depthMm }: Extract<TextureSource, { kind: 'volume' }>,
  common: Common,
  arena: Arena,
  { slabPlanes }: BakeOptions,
  { progress }: { progress: (fraction: number) => void },
): Promise<void> {
  const { sizePx } = common;
  const { dataType, grid } = volume;
  const [nx, ny, nz] = grid.dimensions;
  if (nz > maxPlanes) {
    throw new KernelError(
      'TOO_LARGE',
      `A texture is read from ${maxPlanes} planes at most, and the scan has ${nz}.`,
    );
  }
  const mark = arena.mark();
  const planes = arena.allocate(2 * sizePx * sizePx, 'The texture');
  const toCells = makeToCells(grid);
  const range = { from: 0, to: sizePx, size: bandRows };
  const places = { ...common, planes, depthMm, toCells };
  const planeBytes = nx * ny * bytesPerVoxel[dataType];
  const atOnce = Math.min(nz, slabPlanes ?? Math.max(1, Math.floor(slabBytes / planeBytes)));
  const asked = new Uint8Array(nz);
  await inPieces(arena, range, async (rowFrom, rowTo) => {
    const input = { ...places, rowFrom, rowTo, planeCount: nz };
    const own = await arena.run(planesOfTexels, input);
    for (let z = 0; z < nz; z++) asked[z] |= own[z];
  });
  const slab = arena.allocate((atOnce + 1) * planeBytes, 'Reading the scan');
  for (let z = 0; z < nz; ) {
    progress(z / nz);
    if (asked[z] === 0) {
      z++;
      continue;
    }
    const values = await volume.readSlab(z, Math.min(nz, z + atOnce + 1));
    arena
      .bytes(slab, values.byteLength)
      .set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    const input = {
      ...places,
      slab,
      dataType,
      dimensions: grid.dimensions,
      firstPlane: z,
      planeCount: atOnce,
    };
    await inPieces(arena, range, (rowFrom, rowTo) => arena.run(sampleTexels, { ...input, rowFrom, rowTo }));
    z += atOnce;
  }
  arena.release(mark);
}

/** Limits without the outermost pixels on each side. */
function inner(counts: Uint32Array, { count, min, max }: TexelSummary): [number, number] {
  const width = (max - min) / bins;
  const edge = outermost * count;
  let [first, last] = [0, bins - 1];
  for (let below = counts[first]; below <= edge && first < last; below += counts[first]) first++;
  for (let above = counts[last]; above <= edge && first < last; above += counts[last]) last--;
  return [min + first * width, min + (last + 1) * width];
}

/** Matrix rows from the scan's frame (mm) to cells; the directions are orthonormal. */
function makeToCells(grid: Grid): number[] {
  const { directions: d, voxelSizeMm: s } = grid;
  const origin: Vector3 = locatePoint(grid, [0, 0, 0]);
  return [0, 1, 2].flatMap((k) => {
    const row = [d[3 * k] / s[k], d[3 * k + 1] / s[k], d[3 * k + 2] / s[k]];
    return [...row, -(row[0] * origin[0] + row[1] * origin[1] + row[2] * origin[2])];
  });
}

function put(arena: Arena, values: Float32Array | Uint32Array | Uint8Array, purpose: string): number {
  const address = arena.allocate(values.byteLength, purpose);
  arena
    .bytes(address, values.byteLength)
    .set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  return address;
}

function putMesh({ mesh, coordinates, atBorder }: Atlas, arena: Arena, purpose: string): MeshInArena {
  return {
    vertices: mesh.positions.length / 3,
    triangles: mesh.indices.length / 3,
    positions: put(arena, mesh.positions, purpose),
    normals: put(arena, mesh.normals, purpose),
    indices: put(arena, mesh.indices, purpose),
    coordinates: put(arena, coordinates, purpose),
    atBorder: put(arena, atBorder, purpose),
  };
}
