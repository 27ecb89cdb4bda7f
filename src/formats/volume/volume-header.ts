import {
  bytesPerVoxel,
  type DataType,
  type Grid,
  type SlabSource,
  type Vector3,
  type VoxelArray,
} from '#kernels/grid/volume.ts';
import type { ByteOrder } from '../bytes/byte-order.ts';
import { incomplete, type MissingField, malformed, unsupported } from '../format-error.ts';
import type { LengthUnit } from '../units.ts';

export type VolumeFormat = 'nrrd' | 'metaimage' | 'tiff' | 'raw' | 'nifti';

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
}

export type ReadSlab = (zStart: number, zEnd: number, signal?: AbortSignal) => Promise<VoxelArray>;

/** What the header of a file says; grey values are not touched yet. */
export interface VolumeHeader {
  format: VolumeFormat;
  dimensions?: Vector3;
  dataType?: DataType;
  voxelSizeMm?: Vector3;
  originMm?: Vector3;
  /** unit vectors of the axes, one after another */
  directions?: Grid['directions'];
  warnings: string[];
  missing: MissingField[];
  /** values that the file hints at but does not state */
  suggested: Record<string, unknown>;
  /** bytes that the reader holds besides the slab it returns */
  workingBytes: number;
  /** reads planes zStart … zEnd−1; range already checked; there when nothing but the spacing is missing */
  readSlab?: ReadSlab;
}

export interface OpenedVolume {
  format: VolumeFormat;
  grid: Grid;
  dataType: DataType;
  slabs: SlabSource;
  /** sentences for the person who uploaded, such as an assumed unit */
  warnings: string[];
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
  if (values.length !== 3) {
    throw unsupported(
      `${where}: ${values.length} dimensions are declared; only volumes of 3 dimensions are read.`,
    );
  }
  for (let axis = 0; axis < 3; axis++) {
    if (!Number.isInteger(values[axis]) || values[axis] < 1 || values[axis] > maximumExtent) {
      throw malformed(
        `${where}: the number of voxels along ${axes[axis]} is ${values[axis]}; it must be a whole number from 1 to ${maximumExtent}.`,
      );
    }
  }
  const planeBytes = values[0] * values[1] * (dataType ? bytesPerVoxel[dataType] : 1);
  if (planeBytes > maximumPlaneBytes) {
    throw unsupported(`${where}: one plane has ${planeBytes} bytes; planes beyond 2 GiB are not read.`);
  }
  return [values[0], values[1], values[2]];
}

export function checkedVoxelSize(values: readonly number[], where: string): Vector3 {
  for (let axis = 0; axis < 3; axis++) {
    if (!Number.isFinite(values[axis]) || values[axis] <= 0) {
      throw malformed(
        `${where}: the voxel size along ${axes[axis]} is ${values[axis]} mm; it must be a number above 0.`,
      );
    }
  }
  return [values[0], values[1], values[2]];
}

/**
 * Splits the three axis vectors of a file (each direction times spacing) into unit vectors and lengths.
 * Axes that are not at right angles are refused, because every measure in the house assumes them.
 */
export function splitAxes(
  vectors: readonly number[],
  where: string,
): { lengths: Vector3; directions: Grid['directions'] } {
  if (vectors.length !== 9 || !vectors.every(Number.isFinite)) {
    throw malformed(`${where}: the directions of the axes must be nine finite numbers.`);
  }
  const lengths = [0, 3, 6].map((i) => Math.hypot(vectors[i], vectors[i + 1], vectors[i + 2])) as Vector3;
  if (lengths.some((length) => length === 0)) throw malformed(`${where}: an axis has no length.`);
  const directions = vectors.map((value, i) => value / lengths[Math.floor(i / 3)]) as Grid['directions'];
  for (const [a, b] of [
    [0, 3],
    [0, 6],
    [3, 6],
  ]) {
    const dot =
      directions[a] * directions[b] +
      directions[a + 1] * directions[b + 1] +
      directions[a + 2] * directions[b + 2];
    if (Math.abs(dot) > 1e-3) {
      throw unsupported(
        `${where}: the axes are not at right angles; resample the volume to a rectangular grid first.`,
      );
    }
  }
  return { lengths, directions };
}

/** The volume that a header stands for, or INPUT_INCOMPLETE with the fields that it lacks. */
export function openHeader(header: VolumeHeader, name: string): OpenedVolume {
  const { dimensions, dataType, voxelSizeMm, readSlab, missing } = header;
  if (missing.length > 0 || !dimensions || !dataType || !voxelSizeMm || !readSlab) {
    throw incomplete(
      `${name} does not say ${missing.map((field) => missingWords[field]).join(', nor ')}; supply ${missing.join(', ')}.`,
      missing,
      header.suggested,
    );
  }
  const grid: Grid = {
    dimensions,
    voxelSizeMm,
    originMm: header.originMm ?? [0, 0, 0],
    directions: header.directions ?? [1, 0, 0, 0, 1, 0, 0, 0, 1],
  };
  const slabs: SlabSource = {
    grid,
    dataType,
    readSlab: async (zStart, zEnd, signal) => {
      if (
        !(
          Number.isInteger(zStart) &&
          Number.isInteger(zEnd) &&
          zStart >= 0 &&
          zStart < zEnd &&
          zEnd <= dimensions[2]
        )
      ) {
        throw new RangeError(`planes ${zStart} to ${zEnd} of a volume of ${dimensions[2]} planes`);
      }
      signal?.throwIfAborted();
      return readSlab(zStart, zEnd, signal);
    },
  };
  return { format: header.format, grid, dataType, slabs, warnings: header.warnings };
}

export const missingWords: Record<MissingField, string> = {
  voxelSizeMm: 'how large a voxel is (voxelSizeMm, in mm along x, y, z)',
  unit: 'in which unit its lengths are (unit)',
  dimensions: 'how many voxels there are along x, y, z (dimensions)',
  dataType: 'of which type the grey values are (dataType)',
  byteOrder: 'in which order the bytes of a value stand (byteOrder)',
  beam: 'whether the beam is a cone, a fan or parallel (beam)',
  sourceToAxisMm: 'how far the axis of rotation is from the source (sourceToAxisMm)',
  sourceToDetectorMm: 'how far the detector is from the source (sourceToDetectorMm)',
  pixelSizeMm: 'how large a pixel of the detector is (pixelSizeMm)',
  totalAngleDeg: 'over which angle the part was turned (totalAngleDeg)',
};
