import { bytesPerVoxel, type DataType, type Grid, type Vector3 } from '#kernels/grid/volume.ts';
import type { ByteOrder } from '../bytes/byte-order.ts';

/** The JSON beside an exported RAW file, which completes it on import. */
export interface RawSidecar extends Grid {
  format: 'scanwright-raw';
  dataType: DataType;
  byteOrder: ByteOrder;
  headerBytes: number;
  /** name of the file it describes */
  dataFile: string;
}

const isVector3 = (value: unknown): value is Vector3 =>
  Array.isArray(value) &&
  value.length === 3 &&
  value.every((x) => typeof x === 'number' && Number.isFinite(x));

/** The sidecar in a JSON text; undefined when the text is something else. */
export function readRawSidecar(text: string): RawSidecar | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const sidecar = value as Partial<RawSidecar> | null;
  if (typeof sidecar !== 'object' || sidecar === null || sidecar.format !== 'scanwright-raw')
    return undefined;
  if (!isVector3(sidecar.dimensions) || !isVector3(sidecar.voxelSizeMm) || !isVector3(sidecar.originMm))
    return undefined;
  if (!sidecar.dataType || !Object.hasOwn(bytesPerVoxel, sidecar.dataType)) return undefined;
  if (!Array.isArray(sidecar.directions) || sidecar.directions.length !== 9) return undefined;
  return sidecar as RawSidecar;
}
