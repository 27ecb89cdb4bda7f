import type { DataType } from './volume.ts';

/** Codes of the data types in the compiled kernels (assembly/load.ts). */
const kinds: Record<DataType, number> = {
  uint8: 0,
  int8: 1,
  uint16: 2,
  int16: 3,
  uint32: 4,
  int32: 5,
  float32: 6,
  float64: 7,
};

export const findKind = (dataType: DataType): number => kinds[dataType];

/** Whether the type is an 8 or 16 bit integer, so that each value can have its own bin. */
export const isSmallInteger = (dataType: DataType): boolean => kinds[dataType] < 4;

/** Lowest value of an 8 or 16 bit type: bin 0 of the counts. */
export const findLowest = (dataType: DataType): number =>
  dataType === 'int8' ? -128 : dataType === 'int16' ? -32768 : 0;
