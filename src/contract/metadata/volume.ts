/** Metadata of a stored volume of grey values. */
import { z } from 'zod';
import { Vector3 } from '../base/primitives.ts';
import { sourceFile } from './file.ts';
import { ScanQuality } from './scan-quality.ts';

export const voxelTypes = [
  'uint8',
  'int8',
  'uint16',
  'int16',
  'uint32',
  'int32',
  'float32',
  'float64',
] as const;

export const Dimensions = z.tuple([z.int(), z.int(), z.int()]);

const Direction = z.number();
const Numbers = z.array(z.number());
const Plane = z.array(z.number().nullable());

/** Metadata of every volume, imported or computed. */
export const volumeFacts = {
  dimensions: Dimensions.meta({ description: 'number of voxels along x, y and z' }),
  voxelSizeMm: Vector3.meta({ description: 'distance between voxel centres along x, y and z' }),
  originMm: Vector3.meta({ description: 'position of the centre of the first voxel' }),
  directions: z
    .tuple([
      Direction,
      Direction,
      Direction,
      Direction,
      Direction,
      Direction,
      Direction,
      Direction,
      Direction,
    ])
    .meta({ description: 'unit vectors of the grid’s x, y and z axes, one after the other' }),
  frame: z.literal('LPS').optional().meta({
    description:
      'positions are in LPS coordinates; absent when an earlier version kept the file’s coordinates',
  }),
  dataType: z.enum(voxelTypes).meta({ description: 'data type of the grey values' }),
  range: z.tuple([z.number(), z.number()]).meta({ description: 'lowest and highest finite grey value' }),
  histogram: z
    .object({ min: z.number(), max: z.number(), counts: Numbers })
    .meta({ description: 'number of voxels by grey value, in bins of equal width from min to max' }),
  isoValue: z
    .number()
    .nullable()
    .meta({ description: 'ISO 50 threshold; null when all grey values are equal' }),
  otsuValue: z
    .number()
    .nullable()
    .optional()
    .meta({ description: 'Otsu threshold; null when all grey values are equal' }),
  outline: z
    .object({ step: z.int(), greatest: z.tuple([Plane, Plane, Plane]) })
    .optional()
    .meta({
      description:
        'highest grey value of each group of `step` planes across x, y and z; null for a group without finite values',
    }),
  quality: ScanQuality.nullable().optional().meta({
    description:
      'scan quality; null when the scan is too small or too unusual to be judged; absent until it has been judged, and for scans imported by earlier versions',
  }),
  valuesSha256: z.string().optional().meta({ description: 'SHA-256 of the voxel values' }),
};

export const VolumeFacts = z.object(volumeFacts);
export type VolumeFacts = z.infer<typeof VolumeFacts>;

/** Metadata of an imported volume. */
export const VolumeMetadata = VolumeFacts.extend({ ...sourceFile, format: z.string().optional() });
