/** The steps of texture baking that run on threads, over the arena's memory. */
import { findFirst, greyAt } from '../grid/between-cells.ts';
import { type DataType, makeView } from '../grid/volume.ts';
import type { WasmMemory } from '../simd/webassembly.ts';
import { defineTask } from '../task.ts';
import {
  cellUnder,
  cornersPx,
  type FlatMesh,
  nearestPlace,
  noOwner,
  ownTexels,
  type Place,
  sortIntoBands,
  type ToCells,
} from './texels.ts';

/** Addresses of an unfolded mesh in the arena. */
export interface MeshInArena {
  vertices: number;
  triangles: number;
  positions: number;
  normals: number;
  indices: number;
  coordinates: number;
  atBorder: number;
}

interface Rows {
  memory: WasmMemory;
  sizePx: number;
  rowFrom: number;
  rowTo: number;
}
interface MeshRows extends Rows {
  mesh: MeshInArena;
  /** address of one word per pixel: its owner, or its value once sampled */
  texels: number;
}

/** No plane: the pixel has no owner, or already has its value. */
const noPlane = 0xffff;
/** Largest number of planes that a u16 can count. */
export const maxPlanes = 0xfffe;

function meshAt({ buffer }: WasmMemory, mesh: MeshInArena): FlatMesh {
  return {
    positions: new Float32Array(buffer, mesh.positions, 3 * mesh.vertices),
    normals: new Float32Array(buffer, mesh.normals, 3 * mesh.vertices),
    indices: new Uint32Array(buffer, mesh.indices, 3 * mesh.triangles),
    coordinates: new Float32Array(buffer, mesh.coordinates, 2 * mesh.vertices),
    atBorder: new Uint8Array(buffer, mesh.atBorder, mesh.triangles),
  };
}

export interface TexelSummary {
  count: number;
  sum: number;
  min: number;
  max: number;
}

/** Groups triangles by bands of rows. */
export const bandTriangles = defineTask(
  import.meta.url,
  'bandTriangles',
  (
    _,
    input: { memory: WasmMemory; mesh: MeshInArena; sizePx: number; reachPx: number; bandRows: number },
  ) => {
    return sortIntoBands(meshAt(input.memory, input.mesh), input.sizePx, input.reachPx, input.bandRows);
  },
);

/** Finds the owners of the pixels of rows rowFrom … rowTo−1. */
export const assignTexels = defineTask(
  import.meta.url,
  'assignTexels',
  (_, input: MeshRows & { reachPx: number; list: Uint32Array }): void => {
    const { memory, sizePx, rowFrom, rowTo, texels } = input;
    const owners = new Uint32Array(memory.buffer, texels + 4 * sizePx * rowFrom, sizePx * (rowTo - rowFrom));
    ownTexels(meshAt(memory, input.mesh), input.list, input, owners);
  },
);

type MeshPlanes = MeshRows & { planes: number; depthMm: number; toCells: ToCells; planeCount: number };

/**
 * For each owned pixel, the lower of the two planes of the volume between which its grey value is interpolated, u16 per
 * pixel.
 * @returns the planes needed, 1 per plane
 */
export const planesOfTexels = defineTask(
  import.meta.url,
  'planesOfTexels',
  (_, input: MeshPlanes): Uint8Array => {
    const { memory, sizePx, rowFrom, rowTo, planeCount } = input;
    const planes = new Uint16Array(memory.buffer, input.planes, sizePx * sizePx);
    const asked = new Uint8Array(planeCount);
    planes.fill(noPlane, sizePx * rowFrom, sizePx * rowTo);
    visitOwned(input, (at, cell) => {
      const plane = findFirst(Math.min(Math.max(cell[2], 0), planeCount - 1), planeCount);
      planes[at] = plane;
      asked[plane] = 1;
    });
    return asked;
  },
);

/**
 * Samples grey values of the pixels whose planes are in the slab: firstPlane … firstPlane + planeCount − 1 and the next
 * one.
 */
export const sampleTexels = defineTask(
  import.meta.url,
  'sampleTexels',
  (
    _,
    input: MeshPlanes & {
      slab: number;
      dataType: DataType;
      dimensions: [number, number, number];
      firstPlane: number;
    },
  ): void => {
    const { memory, sizePx, dimensions, firstPlane, planeCount } = input;
    const [nx, ny, nz] = dimensions;
    const planes = new Uint16Array(memory.buffer, input.planes, sizePx * sizePx);
    const texels = new Float32Array(memory.buffer, input.texels, sizePx * sizePx);
    const count = nx * ny * (Math.min(nz, firstPlane + planeCount + 1) - firstPlane);
    const values = makeView(input.dataType, memory.buffer, input.slab, count);
    const slab = { values, dimensions, firstPlane };
    visitOwned(
      input,
      (at, cell) => {
        texels[at] = greyAt(slab, cell);
        planes[at] = noPlane;
      },
      (at) => planes[at] >= firstPlane && planes[at] < firstPlane + planeCount,
    );
  },
);

/** Interpolates vertex values linearly over each triangle. */
export const spreadOverTexels = defineTask(
  import.meta.url,
  'spreadOverTexels',
  (_, input: MeshRows & { values: number }): void => {
    const { memory, sizePx } = input;
    const values = new Float32Array(memory.buffer, input.values, input.mesh.vertices);
    const texels = new Float32Array(memory.buffer, input.texels, sizePx * sizePx);
    const { indices } = meshAt(memory, input.mesh);
    visitOwned({ ...input, depthMm: 0, toCells: noCells }, (at, _cell, t, { a, b, c }) => {
      texels[at] =
        values[indices[3 * t]] * a + values[indices[3 * t + 1]] * b + values[indices[3 * t + 2]] * c;
    });
  },
);

/** Summarizes the values of some rows; pixels without a value are left out. */
export const summarizeTexels = defineTask(
  import.meta.url,
  'summarizeTexels',
  (_, input: Rows & { texels: number }): TexelSummary => {
    const values = listRows(input);
    let [count, sum, min, max] = [0, 0, Infinity, -Infinity];
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (Number.isNaN(value)) continue;
      count++;
      sum += value;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    return { count, sum, min, max };
  },
);

/** Histogram of the values of some rows, in equal bins from low to high. */
export const countTexels = defineTask(
  import.meta.url,
  'countTexels',
  (_, input: Rows & { texels: number; low: number; high: number; bins: number }): Uint32Array => {
    const { low, high, bins } = input;
    const counts = new Uint32Array(bins);
    const scale = bins / (high - low);
    const values = listRows(input);
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (!Number.isNaN(value)) counts[Math.min(bins - 1, Math.max(0, Math.floor((value - low) * scale)))]++;
    }
    return counts;
  },
);

/** Converts values to bytes, low = 0 and high = 255; pixels without a value get `fill`. */
export const paintTexels = defineTask(
  import.meta.url,
  'paintTexels',
  (_, input: Rows & { texels: number; low: number; high: number; fill: number; picture: number }): void => {
    const { memory, sizePx, rowFrom, low, high, fill } = input;
    const values = listRows(input);
    const bytes = new Uint8Array(memory.buffer, input.picture + sizePx * rowFrom, values.length);
    const scale = 255 / (high - low);
    for (let i = 0; i < values.length; i++) {
      const value = Number.isNaN(values[i]) ? fill : values[i];
      bytes[i] = Math.min(255, Math.max(0, Math.round((value - low) * scale)));
    }
  },
);

const noCells: ToCells = new Array<number>(12).fill(0);

function listRows({ memory, sizePx, rowFrom, rowTo, texels }: Rows & { texels: number }): Float32Array {
  return new Float32Array(memory.buffer, texels + 4 * sizePx * rowFrom, sizePx * (rowTo - rowFrom));
}

/** Visits the owned pixels of some rows with their positions in the volume. */
function visitOwned(
  input: MeshRows & { depthMm: number; toCells: ToCells },
  visit: (at: number, cell: Float64Array, triangle: number, place: Place) => void,
  isWanted: (at: number) => boolean = () => true,
): void {
  const { memory, sizePx, rowFrom, rowTo, depthMm, toCells } = input;
  const mesh = meshAt(memory, input.mesh);
  const owners = new Uint32Array(memory.buffer, input.texels, sizePx * sizePx);
  const corners = new Float64Array(6);
  const cell = new Float64Array(3);
  const place: Place = { a: 0, b: 0, c: 0, distance2: 0 };
  for (let y = rowFrom; y < rowTo; y++) {
    for (let x = 0; x < sizePx; x++) {
      const at = y * sizePx + x;
      if (!isWanted(at)) continue;
      const t = owners[at];
      if (t === noOwner) continue;
      cornersPx(mesh, t, sizePx, corners);
      nearestPlace(corners, x + 0.5, y + 0.5, place);
      cellUnder(mesh, t, place, depthMm, toCells, cell);
      visit(at, cell, t, place);
    }
  }
}
