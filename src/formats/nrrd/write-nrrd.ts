import type { DataType, Grid, SlabSource } from '#kernels/grid/volume.ts';
import { compressed } from '../bytes/compress.ts';
import { writeRaw } from '../raw/write-raw.ts';
import { voxelBytes } from '../volume/slab-walk.ts';

export interface NrrdOptions {
  encoding?: 'raw' | 'gzip';
  signal?: AbortSignal;
}

/** The text in front of the grey values of an attached NRRD, in mm. */
function nrrdText(grid: Grid, dataType: DataType, encoding: 'raw' | 'gzip'): Uint8Array {
  const { dimensions, voxelSizeMm, originMm, directions } = grid;
  const vector = (axis: number) =>
    `(${[0, 1, 2].map((k) => directions[3 * axis + k] * voxelSizeMm[axis]).join(',')})`;
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
      'space dimension: 3',
      `sizes: ${dimensions.join(' ')}`,
      `space directions: ${[0, 1, 2].map(vector).join(' ')}`,
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
  const { encoding = 'raw', signal } = options;
  yield nrrdText(source.grid, source.dataType, encoding);
  const body = writeRaw(source, signal);
  yield* encoding === 'gzip' ? compressed(body, 'gzip') : body;
}

/** Length of the file that `writeNrrd` gives with encoding raw. */
export function nrrdSize(source: SlabSource): number {
  return nrrdText(source.grid, source.dataType, 'raw').length + voxelBytes(source);
}
