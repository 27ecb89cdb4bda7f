import type { DataType } from './volume.ts';

/** Numbers under which the compiled kernels know the data types (assembly/load.ts). */
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

/** 8 and 16 bit whole numbers: every value can be counted on its own. */
export const isSmallInteger = (dataType: DataType): boolean => kinds[dataType] < 4;

/** Lowest value of an 8 or 16 bit type: bin 0 of the counted values. */
export const findLowest = (dataType: DataType): number =>
  dataType === 'int8' ? -128 : dataType === 'int16' ? -32768 : 0;
