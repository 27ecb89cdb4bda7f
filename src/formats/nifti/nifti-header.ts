import { bytesPerVoxel, type DataType, type Grid, type Vector3 } from '#kernels/grid/volume.ts';
import { type ByteSource, readExactly } from '../bytes/byte-source.ts';
import { deflateMaximumRatio, inflateStream } from '../bytes/inflate.ts';
import { streamedSource } from '../bytes/streamed-source.ts';
import { malformed, unsupported } from '../format-error.ts';
import { rawSlabs } from '../volume/raw-slabs.ts';
import {
  checkedDimensions,
  checkedVoxelSize,
  type ImportHints,
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
/** mm in one of the header's length units (low three bits of xyzt_units); 0 = not said */
const unitMm: Record<number, number> = { 1: 1000, 2: 1, 3: 0.001 };

/**
 * A NIfTI-1 volume in a single file, also in gzip; both byte orders; 3 dimensions (further ones of length 1).
 * Grey values are the stored ones: a scale in the header is named in a warning, not applied.
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
  if (String.fromCharCode(bytes[344], bytes[345], bytes[346]) !== 'n+1') {
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
  const slope = view.getFloat32(112, little);
  const intercept = view.getFloat32(116, little);
  if (slope !== 0 && (slope !== 1 || intercept !== 0)) {
    warnings.push(`${where} names a scale of its values (× ${slope} + ${intercept}), which was not applied.`);
  }
  const unit = bytes[123] & 7;
  if (!unitMm[unit]) warnings.push(`${where} does not name the unit of its lengths; millimetres were taken.`);
  const placed = placement(view, little, unitMm[unit] ?? 1, where);
  const needed = offset + dimensions[0] * dimensions[1] * dimensions[2] * bytesPerVoxel[dataType];
  if (gzipped && needed > source.size * deflateMaximumRatio) {
    throw malformed(`${where}: ${needed} bytes are declared; ${source.size} bytes of gzip cannot hold them.`);
  }
  const body = gzipped ? streamedSource(where, needed, open) : source;
  return {
    format: 'nifti',
    dimensions,
    dataType,
    voxelSizeMm: hints.voxelSizeMm ?? placed.voxelSizeMm,
    originMm: placed.originMm,
    directions: placed.directions,
    warnings,
    missing: [],
    suggested: {},
    workingBytes: gzipped ? 8 << 20 : 0,
    readSlab: rawSlabs(body, offset, dimensions, dataType, little ? 'little' : 'big'),
  };
}

interface Placement {
  voxelSizeMm: Vector3;
  originMm: Vector3;
  directions: Grid['directions'];
}

/** From the affine rows (sform), else the quaternion (qform), else the spacings alone. */
function placement(view: DataView, little: boolean, mm: number, where: string): Placement {
  const float = (at: number) => view.getFloat32(at, little);
  const spacing = [80, 84, 88].map((at) => Math.abs(float(at)) * mm);
  if (view.getInt16(254, little) > 0) {
    const row = (r: number) => [0, 4, 8, 12].map((at) => float(280 + 16 * r + at) * mm);
    const rows = [row(0), row(1), row(2)];
    const { lengths, directions } = splitAxes(
      [0, 1, 2].flatMap((axis) => rows.map((r) => r[axis])),
      where,
    );
    return {
      voxelSizeMm: checkedVoxelSize(lengths, where),
      directions,
      originMm: rows.map((r) => r[3]) as Vector3,
    };
  }
  const voxelSizeMm = checkedVoxelSize(spacing, where);
  if (view.getInt16(252, little) <= 0) {
    return { voxelSizeMm, directions: [1, 0, 0, 0, 1, 0, 0, 0, 1], originMm: [0, 0, 0] };
  }
  const [b, c, d] = [256, 260, 264].map(float);
  const a = Math.sqrt(Math.max(0, 1 - b * b - c * c - d * d));
  const q = float(76) < 0 ? -1 : 1;
  const axes = [
    a * a + b * b - c * c - d * d,
    2 * (b * c + a * d),
    2 * (b * d - a * c),
    2 * (b * c - a * d),
    a * a + c * c - b * b - d * d,
    2 * (c * d + a * b),
    q * 2 * (b * d + a * c),
    q * 2 * (c * d - a * b),
    q * (a * a + d * d - b * b - c * c),
  ];
  return {
    voxelSizeMm,
    directions: splitAxes(axes, where).directions,
    originMm: [268, 272, 276].map((at) => float(at) * mm) as Vector3,
  };
}
