/**
 * A volume: a regular grid of grey values, x fastest. Positions are in mm in the scan's own frame; the centre of cell
 * (0,0,0) is at `originMm`.
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

/** Applies `change` to each component. */
export const mapVector = (
  [x, y, z]: Readonly<Vector3>,
  change: (value: number, axis: 0 | 1 | 2) => number,
): Vector3 => [change(x, 0), change(y, 1), change(z, 2)];

export interface Grid {
  /** cells along x, y, z; each ≥ 1 */
  dimensions: Vector3;
  /** distance between neighbouring cell centres along x, y, z, in mm; each > 0 */
  voxelSizeMm: Vector3;
  /** centre of cell (0,0,0), in mm */
  originMm: Vector3;
  /** unit vectors of the axes i, j, k in sequence (columns of the direction matrix) */
  directions: [number, number, number, number, number, number, number, number, number];
}

export interface Volume extends Grid {
  dataType: DataType;
  /** dimensions[0]·dimensions[1]·dimensions[2] values, x fastest, then y, then z */
  data: VoxelArray;
}

/** A volume that is read slab by slab and is never in memory whole. */
export interface SlabSource {
  readonly grid: Grid;
  readonly dataType: DataType;
  /** planes zStart … zEnd−1, x fastest; the caller owns the array */
  readSlab(zStart: number, zEnd: number, signal?: AbortSignal): Promise<VoxelArray>;
  /** the stored boxes, if the volume has them: faster than assembling whole planes */
  readonly boxes?: BoxSource;
  /** coarser levels, if stored: each half the resolution of the one before, as means of 2 × 2 × 2 cells */
  readonly coarser?: readonly SlabSource[];
  /** the unfiltered source of a median-filtered volume: kernels read it and filter the planes at their destination */
  readonly medianSource?: SlabSource;
  /** the source of a volume on a scale of local air and material: likewise */
  readonly levelledOf?: { source: SlabSource; field: LevelField };
}

/**
 * Maps grey values to a scale on which air and material are the same everywhere: base + gain · grey. Nodes are at the
 * centres of bricks of cells, x fastest; the field is constant beyond the outermost ones.
 */
export interface LevelField {
  nodes: Vector3;
  /** cells from one node to the next */
  brickCells: number;
  base: Float32Array;
  gain: Float32Array;
}

/** A box of cells; it may extend beyond the volume, where its values are undefined. */
export interface StoredBox {
  /** first cell of the box in the volume */
  from: Vector3;
  size: Vector3;
  /** Reads its values, x fastest; `target` has exactly their size and may be shared with other threads. */
  load(target: Uint8Array): Promise<void>;
}

export interface BoxSource {
  /** cells of the largest box */
  readonly size: Vector3;
  /** maximum number of boxes in flight */
  readonly atOnce: number;
  /** Visits every box that shares cells with min … max−1, restricted to these planes. */
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

/** A typed view of shared memory. */
export const makeView = (dataType: DataType, buffer: SharedArrayBuffer, at: number, length: number) =>
  new (
    constructors[dataType] as new (
      buffer: ArrayBufferLike,
      at: number,
      length: number,
    ) => ArrayLike<number>
  )(buffer, at, length);

/** A volume in memory as a source of slabs. */
export function makeSlabs(volume: Volume): SlabSource {
  const plane = volume.dimensions[0] * volume.dimensions[1];
  const { dimensions, voxelSizeMm, originMm, directions, dataType, data } = volume;
  return {
    grid: { dimensions, voxelSizeMm, originMm, directions },
    dataType,
    readSlab: async (zStart, zEnd) => data.slice(zStart * plane, zEnd * plane),
  };
}
