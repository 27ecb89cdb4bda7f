import { bytesPerVoxel, type DataType } from '#kernels/grid/volume.ts';

const typeNames: [RegExp, DataType][] = [
  [/(?:^|[^a-z])(?:uint8|u8|8bitu?|uchar|byte)(?![0-9])/, 'uint8'],
  [/(?:^|[^a-z])(?:uint16|u16|16bitu?|ushort)(?![0-9])/, 'uint16'],
  [/(?:^|[^a-z])(?:int16|i16|short)(?![0-9])/, 'int16'],
  [/(?:^|[^a-z])(?:uint32|u32)(?![0-9])/, 'uint32'],
  [/(?:^|[^a-z])(?:int32|i32)(?![0-9])/, 'int32'],
  [/(?:^|[^a-z])(?:float32|f32|float|32bit|real)(?![0-9])/, 'float32'],
];

/**
 * Suggestions from names that scanners give RAW files (`part_512x512x300_uint16.raw`). If the file size is known,
 * dimensions and type are suggested together only if they match it.
 */
export function hintsFromName(name: string, size?: number): Record<string, unknown> {
  const plain = name.toLowerCase();
  const match = /(?<![0-9.])(\d{1,5})[x_](\d{1,5})[x_](\d{1,5})(?![0-9])/.exec(plain);
  if (!match) return {};
  const dimensions = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (dimensions.some((n) => n < 1)) return {};
  const voxels = dimensions.reduce((product, n) => product * n);
  const named = typeNames.find(([pattern]) => pattern.test(plain))?.[1];
  if (named)
    return size === undefined || voxels * bytesPerVoxel[named] <= size
      ? { dimensions, dataType: named }
      : { dimensions };
  if (size === voxels) return { dimensions, dataType: 'uint8' };
  if (size === 2 * voxels) return { dimensions, dataType: 'uint16' };
  if (size === 4 * voxels) return { dimensions, dataType: 'float32' };
  return { dimensions };
}
