/** What is known of a stored volume of grey values. */
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

/** Of any volume, wherever it comes from. */
export const volumeFacts = {
  dimensions: Dimensions,
  voxelSizeMm: Vector3,
  originMm: Vector3.meta({ description: 'centre of the first voxel' }),
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
    .meta({ description: 'unit vectors of the grid’s x, y and z, one after the other' }),
  frame: z.literal('LPS').optional().meta({
    description: 'where positions are LPS; absent where an earlier version kept the numbers of the file',
  }),
  dataType: z.enum(voxelTypes),
  range: z.tuple([z.number(), z.number()]).meta({ description: 'lowest and highest finite grey value' }),
  histogram: z.object({ min: z.number(), max: z.number(), counts: Numbers }),
  isoValue: z.number().nullable().meta({ description: 'ISO 50; null where all grey values are alike' }),
  otsuValue: z.number().nullable().optional(),
  outline: z
    .object({ step: z.int(), greatest: z.tuple([Plane, Plane, Plane]) })
    .optional()
    .meta({ description: 'greatest grey value of each `step` planes across x, y and z' }),
  quality: ScanQuality.nullable().optional().meta({
    description:
      'null where the scan is too small or too odd to be judged; absent until that is done, and of scans that earlier versions imported',
  }),
  valuesSha256: z.string().optional(),
};

export const VolumeFacts = z.object(volumeFacts);
export type VolumeFacts = z.infer<typeof VolumeFacts>;

/** Of a volume that was imported. */
export const VolumeMetadata = VolumeFacts.extend({ ...sourceFile, format: z.string().optional() });
