/**
 * What every floor means by a volume: a regular grid of grey values, x fastest.
 * Positions are millimetres in the scan's own frame; the centre of cell (0,0,0) lies at `originMm`.
 */
export type VoxelArray =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

export type DataType = 'uint8' | 'int8' | 'uint16' | 'int16' | 'uint32' | 'int32' | 'float32' | 'float64';

export type Vector3 = [number, number, number];

/** A vector of what `change` makes of each component. */
export const mapVector = (
  [x, y, z]: Readonly<Vector3>,
  change: (value: number, axis: 0 | 1 | 2) => number,
): Vector3 => [change(x, 0), change(y, 1), change(z, 2)];

export interface Grid {
  /** cells along x, y, z; each ≥ 1 */
  dimensions: Vector3;
  /** distance of neighbouring cell centres along x, y, z, in mm; each > 0 */
  voxelSizeMm: Vector3;
  /** centre of cell (0,0,0), in mm */
  originMm: Vector3;
  /** unit vectors of the axes i, j, k, one after another (columns of the direction matrix) */
  directions: [number, number, number, number, number, number, number, number, number];
}

export interface Volume extends Grid {
  dataType: DataType;
  /** dimensions[0]·dimensions[1]·dimensions[2] values, x fastest, then y, then z */
  data: VoxelArray;
}

/** A volume that is read slab by slab and never needs to be in memory whole. */
export interface SlabSource {
  readonly grid: Grid;
  readonly dataType: DataType;
  /** planes zStart … zEnd−1, x fastest; the array is the caller's to keep or transfer */
  readSlab(zStart: number, zEnd: number, signal?: AbortSignal): Promise<VoxelArray>;
  /** where the volume is stored in boxes: they themselves, without the time that whole planes take to be put together */
  readonly boxes?: BoxSource;
  /** of what is stored at several resolutions: each half as fine as the one before, by means of 2 × 2 × 2 cells */
  readonly coarser?: readonly SlabSource[];
  /** what this one is behind a median filter: kernels read that, and filter where the planes are to be */
  readonly medianOf?: SlabSource;
  /** what this one is on a scale of local air and material: likewise */
  readonly levelledOf?: { source: SlabSource; field: LevelField };
}

/**
 * How grey values come onto a scale where air and material are the same everywhere: base + gain · grey. Nodes lie at the
 * middle of bricks of cells, x fastest; beyond the outermost the field goes on as it is there.
 */
export interface LevelField {
  nodes: Vector3;
  /** cells from one node to the next */
  brickCells: number;
  base: Float32Array;
  gain: Float32Array;
}

/** A box of cells; it may reach beyond the volume, where their values mean nothing. */
export interface StoredBox {
  /** cell of the volume that the box begins with */
  from: Vector3;
  size: Vector3;
  /** Reads its values, x fastest; `target` has just their bytes, and other threads may see it. */
  load(target: Uint8Array): Promise<void>;
}

export interface BoxSource {
  /** cells of the largest box */
  readonly size: Vector3;
  /** boxes that are on their way at the same time, at most */
  readonly atOnce: number;
  /** Names every box that shares cells with min … max−1, cut to the planes among these. */
  read(
    min: Vector3,
    max: Vector3,
    take: (box: StoredBox) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<void>;
}

export const identityDirections = (): Grid['directions'] => [1, 0, 0, 0, 1, 0, 0, 0, 1];

const constructors = {
  uint8: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  uint32: Uint32Array,
  int32: Int32Array,
  float32: Float32Array,
  float64: Float64Array,
} as const;

export const bytesPerVoxel: Record<DataType, number> = {
  uint8: 1,
  int8: 1,
  uint16: 2,
  int16: 2,
  uint32: 4,
  int32: 4,
  float32: 4,
  float64: 8,
};

/** An empty array of `length` voxels, or a view of `buffer` from `byteOffset`. */
export function voxelArray(
  dataType: DataType,
  lengthOrBuffer: number | ArrayBuffer,
  byteOffset = 0,
  length?: number,
): VoxelArray {
  const Constructor = constructors[dataType];
  return typeof lengthOrBuffer === 'number'
    ? new Constructor(lengthOrBuffer)
    : new Constructor(lengthOrBuffer, byteOffset, length);
}

/** Values that lie in memory that threads share. */
export const makeView = (dataType: DataType, buffer: SharedArrayBuffer, at: number, length: number) =>
  new (
    constructors[dataType] as new (
      buffer: ArrayBufferLike,
      at: number,
      length: number,
    ) => ArrayLike<number>
  )(buffer, at, length);

/** A volume in memory, seen as a source of slabs. */
export function makeSlabs(volume: Volume): SlabSource {
  const plane = volume.dimensions[0] * volume.dimensions[1];
  const { dimensions, voxelSizeMm, originMm, directions, dataType, data } = volume;
  return {
    grid: { dimensions, voxelSizeMm, originMm, directions },
    dataType,
    readSlab: async (zStart, zEnd) => data.slice(zStart * plane, zEnd * plane),
  };
}
