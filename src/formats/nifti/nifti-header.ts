import {
  bytesPerVoxel,
  type DataType,
  type Grid,
  identityDirections,
  mapVector,
  type Vector3,
  voxelArray,
} from '#kernels/grid/volume.ts';
import { type ByteSource, readExactly } from '../bytes/byte-source.ts';
import { checkUnpacking, inflateStream } from '../bytes/inflate.ts';
import { streamedSource } from '../bytes/streamed-source.ts';
import { malformed, unsupported } from '../format-error.ts';
import { mmPerUnit } from '../units.ts';
import { type Axes, toInnerFrame } from '../volume/inner-frame.ts';
import { rawSlabs } from '../volume/raw-slabs.ts';
import {
  checkedDimensions,
  checkedVoxelSize,
  type ImportHints,
  type ReadSlab,
  scaleBetween,
  splitAxes,
  type VolumeHeader,
} from '../volume/volume-header.ts';

const headerBytes = 348;

const types: Record<number, DataType> = {
  2: 'uint8',
  4: 'int16',
  8: 'int32',
  16: 'float32',
  64: 'float64',
  256: 'int8',
  512: 'uint16',
  768: 'uint32',
};
/** mm per length unit of the header (low three bits of xyzt_units); 0 = unspecified */
const unitMm: Record<number, number> = { 1: 1000, 2: 1, 3: 0.001 };

/**
 * A NIfTI-1 volume in a single file, optionally gzipped, in either byte order; 3 dimensions (further ones of length 1).
 * Grey values are scaled by slope and intercept if the header has them, and are then floating-point numbers.
 *
 * @see https://nifti.nimh.nih.gov/pub/dist/src/niftilib/nifti1.h
 */
export async function niftiHeader(
  source: ByteSource,
  hints: ImportHints,
  gzipped: boolean,
): Promise<VolumeHeader> {
  const where = source.name;
  const open = () => inflateStream(source, 'gzip');
  const beginning = gzipped ? streamedSource(where, headerBytes, open) : source;
  const bytes = await readExactly(beginning, 0, headerBytes, 'the NIfTI header');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = view.getInt32(0, true) === headerBytes;
  if (!little && view.getInt32(0, false) !== headerBytes) {
    throw unsupported(`${where}: only NIfTI-1 is read, whose header has ${headerBytes} bytes.`);
  }
  if (new TextDecoder('latin1').decode(bytes.subarray(344, 347)) !== 'n+1') {
    throw unsupported(
      `${where}: NIfTI with a header in a file of its own is not read; convert it to one .nii file.`,
    );
  }
  const rank = view.getInt16(40, little);
  if (rank < 1 || rank > 7) throw malformed(`${where}: the NIfTI header declares ${rank} dimensions.`);
  const sizes = Array.from({ length: rank }, (_, i) => view.getInt16(42 + 2 * i, little));
  if (rank < 3 || sizes.slice(3).some((size) => size > 1)) {
    throw unsupported(`${where} has dimensions ${sizes.join(' × ')}; only volumes of 3 dimensions are read.`);
  }
  const typeCode = view.getInt16(70, little);
  const dataType = types[typeCode];
  if (!dataType)
    throw unsupported(
      `${where}: NIfTI data type ${typeCode} is not read; 8 to 32 bit numbers, float and double are.`,
    );
  const dimensions = checkedDimensions(sizes.slice(0, 3), dataType, where);
  const offset = view.getFloat32(108, little);
  if (!Number.isSafeInteger(offset) || offset < headerBytes) {
    throw malformed(
      `${where}: the NIfTI header puts the voxels at byte ${offset}; ${headerBytes + 4} or more would be right.`,
    );
  }
  const warnings: string[] = [];
  const scale = readScale(view, little, where);
  const placed = placement(view, little, where);
  const named = unitMm[view.getUint8(123) & 7];
  const hinted = hints.unit && mmPerUnit[hints.unit];
  if (!named && !hinted && !hints.voxelSizeMm)
    warnings.push(`${where} does not name the unit of its lengths; millimetres were taken.`);
  const mm = named ?? hinted ?? scaleBetween(placed.spacing, hints.voxelSizeMm) ?? 1;
  const needed = offset + dimensions[0] * dimensions[1] * dimensions[2] * bytesPerVoxel[dataType];
  if (gzipped) checkUnpacking(where, source.size, needed);
  const body = gzipped ? streamedSource(where, needed, open, { warnings }) : source;
  const order = little ? 'little' : 'big';
  const readSlab = rawSlabs(body, offset, dimensions, dataType, order, warnings);
  const scaled = scale && scaledSlabs(readSlab, dataType, scale);
  return {
    dimensions,
    dataType: scaled?.dataType ?? dataType,
    voxelSizeMm: hints.voxelSizeMm ?? mapVector(placed.spacing, (value) => value * mm),
    originMm: mapVector(placed.origin, (value) => value * mm),
    directions: placed.directions,
    warnings,
    missing: [],
    suggested: {},
    workingBytes: gzipped ? 8 << 20 : 0,
    forwardsOnly: gzipped,
    readSlab: scaled?.readSlab ?? readSlab,
  };
}

interface Scale {
  slope: number;
  intercept: number;
}

/** value = slope · stored + intercept; undefined if that is the identity. A slope of 0 means none. */
function readScale(view: DataView, little: boolean, where: string): Scale | undefined {
  const slope = view.getFloat32(112, little);
  const intercept = view.getFloat32(116, little);
  if (!Number.isFinite(slope) || slope === 0 || (slope === 1 && intercept === 0)) return undefined;
  if (!Number.isFinite(intercept)) {
    throw malformed(`${where}: the intercept of the grey values is ${intercept}; a number would be right.`);
  }
  return { slope, intercept };
}

/** Uses a type that holds every stored value of `dataType` exactly. */
function scaledSlabs(
  readSlab: ReadSlab,
  dataType: DataType,
  { slope, intercept }: Scale,
): { dataType: DataType; readSlab: ReadSlab } {
  const scaledType = bytesPerVoxel[dataType] < 4 || dataType === 'float32' ? 'float32' : 'float64';
  return {
    dataType: scaledType,
    readSlab: async (zStart, zEnd, signal) => {
      const stored = await readSlab(zStart, zEnd, signal);
      const values = voxelArray(scaledType, stored.length);
      for (const [i, value] of stored.entries()) values[i] = slope * value + intercept;
      return values;
    },
  };
}

/** In the unit of the file and the product's frame. */
interface Placement {
  spacing: Vector3;
  origin: Vector3;
  directions: Grid['directions'];
}

/** From the affine rows (sform) or else the quaternion (qform), both RAS; unchanged without either. */
function placement(view: DataView, little: boolean, where: string): Placement {
  const float = (at: number) => view.getFloat32(at, little);
  const vector = (at: number, step = 4): Vector3 => [float(at), float(at + step), float(at + 2 * step)];
  const inRas = (axes: Axes, origin: Vector3, spacing?: Vector3): Placement => {
    const turned = axes.flatMap((axis) => toInnerFrame(axis, 'RAS'));
    const { lengths, directions } = splitAxes(turned, where);
    return { spacing: spacing ?? lengths, directions, origin: toInnerFrame(origin, 'RAS') };
  };
  const spacing = () => checkedVoxelSize(mapVector(vector(80), Math.abs), where);
  if (view.getInt16(254, little) > 0) {
    const columns = [280, 284, 288, 292].map((at) => vector(at, 16)) as [...Axes, Vector3];
    const [i, j, k, origin] = columns;
    return inRas([i, j, k], origin);
  }
  if (view.getInt16(252, little) <= 0) {
    return { spacing: spacing(), directions: identityDirections(), origin: [0, 0, 0] };
  }
  const [b, c, d] = vector(256);
  const a = Math.sqrt(Math.max(0, 1 - b * b - c * c - d * d));
  const q = float(76) < 0 ? -1 : 1;
  const axes: Axes = [
    [a * a + b * b - c * c - d * d, 2 * (b * c + a * d), 2 * (b * d - a * c)],
    [2 * (b * c - a * d), a * a + c * c - b * b - d * d, 2 * (c * d + a * b)],
    [q * 2 * (b * d + a * c), q * 2 * (c * d - a * b), q * (a * a + d * d - b * b - c * c)],
  ];
  return inRas(axes, vector(268), spacing());
}
