import { voxelBytes } from '#kernels/grid/slab-walk.ts';
import { type DataType, mapVector, type SlabSource } from '#kernels/grid/volume.ts';
import { compressed } from '../bytes/compress.ts';
import type { VolumeWriteOptions, VolumeWriter } from '../format.ts';
import { writeRaw } from '../raw/write-raw.ts';
import { toAxes } from '../volume/inner-frame.ts';

interface NrrdOptions extends VolumeWriteOptions {
  encoding?: 'raw' | 'gzip';
}

/** Header of an attached NRRD in mm; its space is LPS unless unknown. */
function nrrdText(
  { grid, dataType }: Pick<SlabSource, 'grid' | 'dataType'>,
  { encoding = 'raw', frame = 'LPS' }: NrrdOptions,
): Uint8Array {
  const { dimensions, voxelSizeMm, originMm, directions } = grid;
  const axes = toAxes(directions);
  const vector = (axis: 0 | 1 | 2) =>
    `(${mapVector(axes[axis], (value) => value * voxelSizeMm[axis]).join(',')})`;
  const types: Record<DataType, string> = {
    uint8: 'uint8',
    int8: 'int8',
    uint16: 'uint16',
    int16: 'int16',
    uint32: 'uint32',
    int32: 'int32',
    float32: 'float',
    float64: 'double',
  };
  return new TextEncoder().encode(
    [
      'NRRD0004',
      '# Scanwright',
      `type: ${types[dataType]}`,
      'dimension: 3',
      frame === 'LPS' ? 'space: left-posterior-superior' : 'space dimension: 3',
      `sizes: ${dimensions.join(' ')}`,
      `space directions: ${vector(0)} ${vector(1)} ${vector(2)}`,
      `space origin: (${originMm.join(',')})`,
      'space units: "mm" "mm" "mm"',
      'kinds: domain domain domain',
      'endian: little',
      `encoding: ${encoding}`,
      '',
      '',
    ].join('\n'),
  );
}

/** A volume as attached NRRD, slab by slab. */
export async function* writeNrrd(source: SlabSource, options: NrrdOptions = {}): AsyncGenerator<Uint8Array> {
  yield nrrdText(source, options);
  const body = writeRaw(source, options.signal);
  yield* options.encoding === 'gzip' ? compressed(body, 'gzip') : body;
}

export const nrrdWriter: VolumeWriter = {
  write: writeNrrd,
  sizeBytes: (slabs, options = {}) =>
    nrrdText(slabs, options).length + voxelBytes({ ...slabs.grid, dataType: slabs.dataType }),
};
