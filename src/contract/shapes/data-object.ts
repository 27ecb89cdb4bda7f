import { z } from 'zod';
import { dataObjectKinds } from '../analyses/kinds.ts';
import { PageQuery, pageOf } from './page.ts';
import { Sha256, Timestamp, Url, Uuid, Vector3, WorkStatus } from './primitives.ts';

export const DataObjectKind = z.enum(dataObjectKinds).meta({ id: 'DataObjectKind' });

export const DataObjectFile = z
  .object({ fileName: z.string(), mediaType: z.string(), sizeBytes: z.int(), sha256: Sha256 })
  .meta({ id: 'DataObjectFile' });

export const DataObject = z
  .object({
    id: Uuid,
    projectId: Uuid,
    kind: DataObjectKind,
    name: z.string(),
    status: WorkStatus,
    files: z.array(DataObjectFile),
    metadata: z.record(z.string(), z.unknown()).meta({ description: 'by kind; see docs/interface.md' }),
    createdByOperation: Uuid.nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: 'DataObject' });
export type DataObject = z.infer<typeof DataObject>;
export const DataObjectPage = pageOf(DataObject, 'DataObjectPage');

export const DataObjectListQuery = PageQuery.extend({ kind: z.string().optional() });

const Dimensions = z.tuple([z.int(), z.int(), z.int()]);

export const DataResolution = z
  .object({
    id: Uuid,
    dimensions: Dimensions,
    voxelSizeMm: Vector3,
    originMm: Vector3,
    dataType: z.string(),
    levels: z.array(z.object({ dimensions: Dimensions, voxelSizeMm: Vector3 })),
  })
  .meta({ id: 'DataResolution' });

export const viewFormats = ['nrrd', 'raw', 'tiff'] as const;

export const VolumeViewQuery = z.strictObject({
  outputFormat: z.enum(viewFormats).default('nrrd'),
  max_voxel_count: z.int().min(1).optional().meta({ description: 'maximum voxels' }),
  max_dimension_size: z.int().min(1).max(16384).default(2048),
  mapped_percentile_range: z
    .array(z.number().min(0).max(100))
    .length(2)
    .refine(([low, high]) => low < high, 'the first percentile must be lower than the second')
    .optional()
    .meta({ description: 'intensity mapping range as [min, max], in percent; as a,b, repeated, or JSON' }),
  skip_normalization: z.boolean().default(false).meta({
    description: 'keep grey values and data type; otherwise they are mapped to 16 bit',
  }),
});
export type VolumeViewQuery = z.infer<typeof VolumeViewQuery>;

export const VolumeView = z
  .object({
    id: Uuid,
    data: Url,
    parameters: z.record(z.string(), z.unknown()),
    version: z.int().meta({ description: 'of the generator' }),
  })
  .meta({ id: 'VolumeView' });
export type VolumeView = z.infer<typeof VolumeView>;

/** One plane of a volume. Axis-aligned: `axis` and `positionMm`; oblique: a corner and two edges. */
export const SliceQuery = z.strictObject({
  axis: z.enum(['x', 'y', 'z', 'oblique']),
  positionMm: z.number().optional().meta({ description: 'along the axis; the middle by default' }),
  level: z.int().min(0).max(16).default(0).meta({ description: '0 = full resolution' }),
  format: z.enum(['raw', 'png']).default('raw'),
  windowMin: z.number().optional().meta({ description: 'PNG: grey value drawn black' }),
  windowMax: z.number().optional().meta({ description: 'PNG: grey value drawn white' }),
  cornerMm: z.array(z.number()).length(3).optional(),
  uMm: z.array(z.number()).length(3).optional().meta({ description: 'oblique: edge along the columns' }),
  vMm: z.array(z.number()).length(3).optional().meta({ description: 'oblique: edge along the rows' }),
  width: z.int().min(1).max(4096).default(512),
  height: z.int().min(1).max(4096).default(512),
});
export type SliceQuery = z.infer<typeof SliceQuery>;

export const FileDownload = z
  .object({ url: Url, fileName: z.string(), sizeBytes: z.int(), sha256: Sha256 })
  .meta({ id: 'FileDownload' });
