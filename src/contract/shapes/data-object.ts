import { z } from 'zod';
import {
  type DataObjectKind,
  dataObjectKinds,
  findSurface,
  type MetadataOf,
  metadataSchemas,
} from '../analyses/data-kinds.ts';
import { Fraction, Sha256, Timestamp, Url, Uuid, Vector3, WorkStatus } from '../base/primitives.ts';
import { Dimensions } from '../metadata/volume.ts';
import { Warning } from '../metadata/warning.ts';
import { definePage, PageQuery } from './page.ts';

export const DataObjectFile = z
  .object({ fileName: z.string(), mediaType: z.string(), sizeBytes: z.int(), sha256: Sha256 })
  .meta({ id: 'DataObjectFile' });

const common = {
  id: Uuid,
  projectId: Uuid,
  name: z.string(),
  status: WorkStatus,
  files: z.array(DataObjectFile),
  warnings: z.array(Warning),
  createdByOperation: Uuid.nullable(),
  createdAt: Timestamp,
};
const Common = z.object(common);

/** Kind and metadata; the kind determines the shape of the metadata. */
export type DataContent<Kind extends DataObjectKind = DataObjectKind> = {
  [Each in Kind]: { kind: Each; metadata: MetadataOf<Each> };
}[Kind];
export type DataObject<Kind extends DataObjectKind = DataObjectKind> = z.infer<typeof Common> &
  DataContent<Kind>;

/** Union of all kinds; each kind has its own metadata. */
export const DataObject = z
  .discriminatedUnion(
    'kind',
    dataObjectKinds.map((kind) =>
      z
        .object({ ...common, kind: z.literal(kind), metadata: metadataSchemas[kind] })
        .meta({ id: `${kind.charAt(0).toUpperCase()}${kind.slice(1)}DataObject` }),
    ) as never,
  )
  .meta({ id: 'DataObject' }) as unknown as z.ZodType<DataObject>;
export const DataObjectPage = definePage(DataObject, 'DataObjectPage');

/** Kinds of data in another project that a part can be compared with: a model, or a scan of another part. */
export const foreignReferenceKinds = ['cad', 'volume', 'mesh'] as const;
export type ForeignReferenceKind = (typeof foreignReferenceKinds)[number];
const foreignReference = <Kind extends ForeignReferenceKind>(kind: Kind) =>
  z.object({
    id: Uuid,
    name: z.string(),
    kind: z.literal(kind),
    metadata: metadataSchemas[kind],
    projectId: Uuid,
    projectName: z.string(),
    partNumber: z.string().nullable(),
    createdAt: Timestamp,
  });
/** Data of another project, with the project's name and part number. */
export const ForeignReference = z
  .discriminatedUnion('kind', [foreignReference('cad'), foreignReference('volume'), foreignReference('mesh')])
  .meta({ id: 'ForeignReference' });
export type ForeignReference = z.infer<typeof ForeignReference>;
export const ForeignReferencePage = definePage(ForeignReference, 'ForeignReferencePage');
export const ForeignReferenceQuery = PageQuery.extend({
  kind: z.enum(foreignReferenceKinds).default('cad').meta({ description: 'ignored when `id` is given' }),
  search: z.string().max(200).optional().meta({
    description:
      'text in the project’s name, part or serial number, or in the name of the data object or its file',
  }),
  id: Uuid.optional().meta({ description: 'only the data object with this id' }),
});

/** Role of an uploaded surface: the part itself, or the reference that parts are compared with. */
export const surfaceKinds = ['mesh', 'cad'] as const;
export const DataObjectPatch = z
  .strictObject({
    kind: z
      .enum(surfaceKinds)
      .meta({ description: '`mesh`: a part to measure; `cad`: a reference to compare with' }),
  })
  .meta({ id: 'DataObjectPatch' });

export const DataObjectListQuery = PageQuery.extend({ kind: z.string().optional() });

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

/** Increased when the same parameters yield a different file; this invalidates views made by earlier versions. */
export const viewVersion = 2;
export const viewFormats = ['nrrd', 'raw', 'tiff'] as const;

export const VolumeViewQuery = z.strictObject({
  outputFormat: z.enum(viewFormats).default('nrrd'),
  max_voxel_count: z.int().min(1).optional().meta({ description: 'maximum number of voxels' }),
  max_dimension_size: z.int().min(1).max(16384).default(2048).meta({
    description: 'maximum number of voxels along each axis',
  }),
  mapped_percentile_range: z
    .array(z.number().min(0).max(100))
    .length(2)
    .refine(([low = 0, high = 0]) => low < high, 'the first percentile must be lower than the second')
    .optional()
    .meta({
      description:
        'percentiles of the grey values that are mapped to the darkest and brightest value; as `a,b`, repeated, or JSON',
    }),
  skip_normalization: z.boolean().default(false).meta({
    description: 'true: keep grey values and data type; false: map grey values to 16 bit',
  }),
});
export type VolumeViewQuery = z.infer<typeof VolumeViewQuery>;

export const VolumeView = z
  .object({
    id: Uuid,
    data: Url,
    parameters: z.record(z.string(), z.unknown()),
    version: z.int().meta({ description: 'version of the generator' }),
  })
  .meta({ id: 'VolumeView' });
export type VolumeView = z.infer<typeof VolumeView>;

export const VolumeViewState = z
  .object({ id: Uuid, status: WorkStatus, progress: Fraction })
  .meta({ id: 'VolumeViewState' });
export type VolumeViewState = z.infer<typeof VolumeViewState>;

export const RequestedVolumeView = z
  .object({ view: VolumeViewState.nullable().meta({ description: 'null: never requested' }) })
  .meta({ id: 'RequestedVolumeView' });

/** Detail of a surface view: every triangle, or few enough to rotate smoothly. */
export const surfaceDetails = ['whole', 'simplified'] as const;
export type SurfaceDetail = (typeof surfaceDetails)[number];
export const SurfaceViewQuery = z.strictObject({
  detail: z.enum(surfaceDetails).meta({
    description: '`whole`: all stored triangles; `simplified`: at most 300,000 triangles',
  }),
});
export type SurfaceViewQuery = z.infer<typeof SurfaceViewQuery>;

export const SurfaceView = z
  .object({
    status: WorkStatus,
    data: Url.nullable().meta({
      description: 'GLB with EXT_meshopt_compression; null until it is ready',
    }),
    triangles: z
      .int()
      .nullable()
      .meta({ description: 'number of triangles of this view; null until it is ready' }),
    wholeTriangles: z
      .int()
      .nullable()
      .meta({ description: 'number of triangles of the stored surface; null until the view is ready' }),
  })
  .meta({ id: 'SurfaceView' });
export type SurfaceView = z.infer<typeof SurfaceView>;

/** A GLB smaller than this (bytes) is drawn as stored. */
const minViewedBytes = 16e6;

/** Views available for a surface. Marked places are only compressed: simplifying would remove the small ones. */
export function listSurfaceDetails(
  { kind, metadata }: { kind: DataObjectKind; metadata: object },
  glbBytes: number,
): SurfaceDetail[] {
  const shows = findSurface(kind);
  if (shows === null || glbBytes < minViewedBytes || 'texture' in metadata) return [];
  return shows === 'places' ? ['whole'] : [...surfaceDetails];
}

/** One plane of a volume, given by `axis` and `positionMm`, or for an oblique plane by a corner and two edges. */
export const SliceQuery = z.strictObject({
  axis: z.enum(['x', 'y', 'z', 'oblique']),
  positionMm: z.number().optional().meta({ description: 'position along the axis; default: the middle' }),
  level: z.int().min(0).max(16).default(0).meta({ description: '0 = full resolution' }),
  rect: z.array(z.int().min(0)).length(4).optional().meta({
    description:
      'axis-aligned: part of the plane as [first column, first row, end column, end row] in pixels of the level, ends excluded; default: all of it',
  }),
  format: z.enum(['raw', 'png']).default('raw'),
  windowMin: z.number().optional().meta({ description: 'PNG: grey value drawn black' }),
  windowMax: z.number().optional().meta({ description: 'PNG: grey value drawn white' }),
  cornerMm: z
    .array(z.number())
    .length(3)
    .optional()
    .meta({ description: 'oblique: corner of the plane, x, y, z' }),
  uMm: z
    .array(z.number())
    .length(3)
    .optional()
    .meta({ description: 'oblique: edge vector along the columns' }),
  vMm: z.array(z.number()).length(3).optional().meta({ description: 'oblique: edge vector along the rows' }),
  width: z.int().min(1).max(4096).default(512).meta({ description: 'oblique: pixels per row' }),
  height: z.int().min(1).max(4096).default(512).meta({ description: 'oblique: number of rows' }),
});
export type SliceQuery = z.infer<typeof SliceQuery>;

export const LevelQuery = z.strictObject({
  max_dimension_size: z.int().min(64).max(1024).default(256).meta({
    description: 'maximum number of voxels along the longest axis; every volume has a level of at most 64',
  }),
});

export const FileDownload = z
  .object({ url: Url, fileName: z.string(), sizeBytes: z.int(), sha256: Sha256 })
  .meta({ id: 'FileDownload' });
