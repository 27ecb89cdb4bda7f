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

/** What a person or a form adds to a file; everything here goes before what the file says. */
export interface ImportHints {
  /** distance of neighbouring voxels along x, y, z in mm */
  voxelSizeMm?: Vector3;
  /** unit of a file that carries none: of meshes, and of spacings without a unit */
  unit?: LengthUnit;
  /** for RAW: voxels along x, y, z */
  dimensions?: Vector3;
  dataType?: DataType;
  byteOrder?: ByteOrder;
  /** for RAW: bytes before the first voxel */
  headerBytes?: number;
  /** for RAW: centre of the first voxel, and the axes; 0 and straight without them */
  originMm?: Vector3;
  directions?: Grid['directions'];
  /** for files with several channels: which one, from 0; 0 by default */
  channel?: number;
  /** the part is as small or as large as its file says, however unlikely */
  sizeConfirmed?: boolean;
}

export type ReadSlab = SlabSource['readSlab'];

/** What the header of a file says; grey values are not touched yet. */
export interface VolumeHeader {
  dimensions?: Vector3;
  dataType?: DataType;
  voxelSizeMm?: Vector3;
  /** in the inner frame, as the directions */
  originMm?: Vector3;
  /** unit vectors of the axes, one after another */
  directions?: Grid['directions'];
  warnings: string[];
  missing: MissingField[];
  /** values that the file hints at but does not state */
  suggested: Record<string, unknown>;
  /** bytes that the reader holds besides the slab it returns */
  workingBytes: number;
  /** compressed: planes can be read in their order only */
  forwardsOnly?: boolean;
  /** reads planes zStart … zEnd−1; range already checked; there when nothing but the spacing is missing */
  readSlab?: ReadSlab;
}

const axes = ['x', 'y', 'z'];
/** Voxels along one axis; keeps products exact and a plane within one typed array. */
const maximumExtent = 1 << 20;
const maximumPlaneBytes = 2 ** 31 - 1;

/** Three whole numbers ≥ 1 that address a volume which can be read plane by plane; else a FormatError. */
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

/** Sizes and places beyond these are no part's, and 32-bit numbers would lose them. */
const [leastMm, mostMm] = [1e-9, 1e9];

export function checkedVoxelSize(values: Readonly<Vector3>, where: string): Vector3 {
  for (const [axis, mm] of values.entries()) {
    if (!(mm >= leastMm && mm <= mostMm)) {
      throw malformed(
        `${where}: the voxel size along ${axes[axis]} is ${mm} mm; it must be a number above 0, from ${leastMm} to ${mostMm}.`,
      );
    }
  }
  return [...values];
}

/** Where the first voxel is. @throws FormatError MALFORMED for what is no place */
export function checkedOrigin(values: Readonly<Vector3>, where: string): Vector3 {
  for (const [axis, mm] of values.entries()) {
    if (!(Math.abs(mm) <= mostMm)) {
      throw malformed(
        `${where}: the first voxel is at ${mm} mm along ${axes[axis]}; a number within ±${mostMm} would be right.`,
      );
    }
  }
  return [...values];
}

/**
 * Splits the three axis vectors of a file (each direction times spacing) into unit vectors and lengths.
 * Axes that are not at right angles are refused, since every measure assumes them.
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
 * What one unit of a file is in mm where a person has given the voxel size and the file names no unit, so that its
 * origin follows; undefined where the two are not of the same proportions.
 */
export function scaleBetween(
  spacing: Vector3 | undefined,
  voxelSizeMm: Vector3 | undefined,
): number | undefined {
  if (!spacing || !voxelSizeMm) return undefined;
  const [x, y, z] = mapVector(voxelSizeMm, (mm, axis) => mm / spacing[axis]);
  return Math.max(Math.abs(y / x - 1), Math.abs(z / x - 1)) < 1e-3 ? x : undefined;
}
