import {
  bytesPerVoxel,
  type DataType,
  type Grid,
  mapVector,
  type SlabSource,
  type Vector3,
} from '#kernels/grid/volume.ts';
import type { ByteOrder } from '../bytes/byte-order.ts';
import { type MissingField, malformed, unsupported } from '../format-error.ts';
import type { LengthUnit } from '../units.ts';
import { squareDirections, toAxes } from './inner-frame.ts';

/** What a user or a form states about a file; overrides the file. */
export interface ImportHints {
  /** distance of neighbouring voxels along x, y, z in mm */
  voxelSizeMm?: Vector3;
  /** unit of a file that states none: of meshes, and of spacings without a unit */
  unit?: LengthUnit;
  /** for RAW: voxels along x, y, z */
  dimensions?: Vector3;
  dataType?: DataType;
  byteOrder?: ByteOrder;
  /** for RAW: bytes before the first voxel */
  headerBytes?: number;
  /** for RAW: centre of the first voxel, and the axes; default 0 and unrotated */
  originMm?: Vector3;
  directions?: Grid['directions'];
  /** for files with several channels: channel number from 0; default 0 */
  channel?: number;
  /** confirms that an unlikely size of the part is right */
  sizeConfirmed?: boolean;
}

export type ReadSlab = SlabSource['readSlab'];

/** Contents of a file's header; grey values are not read yet. */
export interface VolumeHeader {
  dimensions?: Vector3;
  dataType?: DataType;
  voxelSizeMm?: Vector3;
  /** in the product's frame, like the directions */
  originMm?: Vector3;
  /** unit vectors of the axes, one after another */
  directions?: Grid['directions'];
  warnings: string[];
  /** fields that the user has to supply */
  missing: MissingField[];
  /** suggestions from the file, not stated by it */
  suggested: Record<string, unknown>;
  /** memory of the reader besides the returned slab */
  workingBytes: number;
  /** compressed: planes can be read in order only */
  forwardsOnly?: boolean;
  /** reads planes zStart … zEnd−1 of a checked range; present when at most the spacing is missing */
  readSlab?: ReadSlab;
}

const axes = ['x', 'y', 'z'];
/** Voxels along one axis; keeps products exact and a plane within one typed array. */
const maximumExtent = 1 << 20;
const maximumPlaneBytes = 2 ** 31 - 1;

/**
 * Checks that three dimensions are integers ≥ 1 and address a volume that can be read plane by plane; throws
 * FormatError.
 */
export function checkedDimensions(
  values: readonly number[],
  dataType: DataType | undefined,
  where: string,
): Vector3 {
  const [x = 0, y = 0, z = 0] = values;
  const dimensions: Vector3 = [x, y, z];
  if (values.length !== 3) {
    throw unsupported(
      `${where}: ${values.length} dimensions are declared; only volumes of 3 dimensions are read.`,
    );
  }
  for (const [axis, cells] of dimensions.entries()) {
    if (!Number.isInteger(cells) || cells < 1 || cells > maximumExtent) {
      throw malformed(
        `${where}: the number of voxels along ${axes[axis]} is ${cells}; it must be a whole number from 1 to ${maximumExtent}.`,
      );
    }
  }
  const planeBytes = x * y * (dataType ? bytesPerVoxel[dataType] : 1);
  if (planeBytes > maximumPlaneBytes) {
    throw unsupported(`${where}: one plane has ${planeBytes} bytes; planes beyond 2 GiB are not read.`);
  }
  return dimensions;
}

/** Sizes and positions outside this range belong to no part and exceed 32-bit floats. */
const [minMm, maxMm] = [1e-9, 1e9];

export function checkedVoxelSize(values: Readonly<Vector3>, where: string): Vector3 {
  for (const [axis, mm] of values.entries()) {
    if (!(mm >= minMm && mm <= maxMm)) {
      throw malformed(
        `${where}: the voxel size along ${axes[axis]} is ${mm} mm; it must be a number above 0, from ${minMm} to ${maxMm}.`,
      );
    }
  }
  return [...values];
}

/** Position of the first voxel. @throws FormatError MALFORMED when it is not finite or out of range */
export function checkedOrigin(values: Readonly<Vector3>, where: string): Vector3 {
  for (const [axis, mm] of values.entries()) {
    if (!(Math.abs(mm) <= maxMm)) {
      throw malformed(
        `${where}: the first voxel is at ${mm} mm along ${axes[axis]}; a number within ±${maxMm} would be right.`,
      );
    }
  }
  return [...values];
}

/**
 * Splits the three axis vectors of a file (direction times spacing) into unit vectors and lengths. Axes that are not at
 * right angles are refused, since every measure assumes them.
 */
export function splitAxes(
  vectors: readonly number[],
  where: string,
): { lengths: Vector3; directions: Grid['directions'] } {
  if (vectors.length !== 9 || !vectors.every(Number.isFinite)) {
    throw malformed(`${where}: the directions of the axes must be nine finite numbers.`);
  }
  const [i, j, k] = toAxes(vectors as Grid['directions']);
  const lengths: Vector3 = [Math.hypot(...i), Math.hypot(...j), Math.hypot(...k)];
  if (lengths.includes(0)) throw malformed(`${where}: an axis has no length.`);
  const directions = [i, j, k].flatMap((axis) => mapVector(axis, (value) => value / Math.hypot(...axis)));
  return { lengths, directions: squareDirections(directions as Grid['directions'], where) };
}

/**
 * mm per unit of a file without a stated unit, from the voxel size given by the user, so that its origin can be
 * converted; undefined when the proportions differ.
 */
export function scaleBetween(
  spacing: Vector3 | undefined,
  voxelSizeMm: Vector3 | undefined,
): number | undefined {
  if (!spacing || !voxelSizeMm) return undefined;
  const [x, y, z] = mapVector(voxelSizeMm, (mm, axis) => mm / spacing[axis]);
  return Math.max(Math.abs(y / x - 1), Math.abs(z / x - 1)) < 1e-3 ? x : undefined;
}
