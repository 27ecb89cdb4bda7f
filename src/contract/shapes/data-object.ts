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

/** Kind and metadata, which belong together. */
export type DataContent<Kind extends DataObjectKind = DataObjectKind> = {
  [Each in Kind]: { kind: Each; metadata: MetadataOf<Each> };
}[Kind];
export type DataObject<Kind extends DataObjectKind = DataObjectKind> = z.infer<typeof Common> &
  DataContent<Kind>;

/** A union by kind: each has metadata of its own. */
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

/** What a part of one project can be held against in another: a model, or a scan of another part. */
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
/** Data of another project, with where it is found. */
export const ForeignReference = z
  .discriminatedUnion('kind', [foreignReference('cad'), foreignReference('volume'), foreignReference('mesh')])
  .meta({ id: 'ForeignReference' });
export type ForeignReference = z.infer<typeof ForeignReference>;
export const ForeignReferencePage = definePage(ForeignReference, 'ForeignReferencePage');
export const ForeignReferenceQuery = PageQuery.extend({
  kind: z.enum(foreignReferenceKinds).default('cad').meta({ description: 'ignored where an id is given' }),
  search: z.string().max(200).optional().meta({
    description: 'in the name, part or serial number of the project, or the name of the data or its file',
  }),
  id: Uuid.optional().meta({ description: 'only this one' }),
});

/** What a surface that was uploaded is: the part, or what it is held against. */
export const surfaceKinds = ['mesh', 'cad'] as const;
export const DataObjectPatch = z
  .strictObject({
    kind: z.enum(surfaceKinds).meta({ description: 'a part to measure, or a reference to compare with' }),
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

/** Raised when the same parameters give another file; a view of an earlier one is not shown any more. */
export const viewVersion = 2;
export const viewFormats = ['nrrd', 'raw', 'tiff'] as const;

export const VolumeViewQuery = z.strictObject({
  outputFormat: z.enum(viewFormats).default('nrrd'),
  max_voxel_count: z.int().min(1).optional().meta({ description: 'maximum voxels' }),
  max_dimension_size: z.int().min(1).max(16384).default(2048),
  mapped_percentile_range: z
    .array(z.number().min(0).max(100))
    .length(2)
    .refine(([low = 0, high = 0]) => low < high, 'the first percentile must be lower than the second')
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

export const VolumeViewState = z
  .object({ id: Uuid, status: WorkStatus, progress: Fraction })
  .meta({ id: 'VolumeViewState' });
export type VolumeViewState = z.infer<typeof VolumeViewState>;

export const RequestedVolumeView = z
  .object({ view: VolumeViewState.nullable().meta({ description: 'null = it was never requested' }) })
  .meta({ id: 'RequestedVolumeView' });

/** How much of a surface: every triangle, or as many as are turned without waiting. */
export const surfaceDetails = ['whole', 'simplified'] as const;
export type SurfaceDetail = (typeof surfaceDetails)[number];
export const SurfaceViewQuery = z.strictObject({
  detail: z.enum(surfaceDetails).meta({
    description: 'all triangles as stored, or a simplified surface of at most 300,000',
  }),
});
export type SurfaceViewQuery = z.infer<typeof SurfaceViewQuery>;

export const SurfaceView = z
  .object({
    status: WorkStatus,
    data: Url.nullable().meta({
      description: 'a GLB with EXT_meshopt_compression; null until it has been made',
    }),
    triangles: z.int().nullable(),
    wholeTriangles: z.int().nullable().meta({ description: 'of the surface as it is stored' }),
  })
  .meta({ id: 'SurfaceView' });
export type SurfaceView = z.infer<typeof SurfaceView>;

/** Bytes of a GLB below which it is drawn as it is stored. */
const leastViewedBytes = 16e6;

/** The views that there are of a surface. Places are only compressed: with fewer triangles the small ones would be gone. */
export function listSurfaceDetails(
  { kind, metadata }: { kind: DataObjectKind; metadata: object },
  glbBytes: number,
): SurfaceDetail[] {
  const shows = findSurface(kind);
  if (shows === null || glbBytes < leastViewedBytes || 'texture' in metadata) return [];
  return shows === 'places' ? ['whole'] : [...surfaceDetails];
}

/** One plane of a volume. Axis-aligned: `axis` and `positionMm`; oblique: a corner and two edges. */
export const SliceQuery = z.strictObject({
  axis: z.enum(['x', 'y', 'z', 'oblique']),
  positionMm: z.number().optional().meta({ description: 'along the axis; the middle by default' }),
  level: z.int().min(0).max(16).default(0).meta({ description: '0 = full resolution' }),
  rect: z.array(z.int().min(0)).length(4).optional().meta({
    description:
      'across an axis: first column and row of the level’s plane, and those after the last; all of it by default',
  }),
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

export const LevelQuery = z.strictObject({
  max_dimension_size: z.int().min(64).max(1024).default(256).meta({
    description: 'voxels along the longest axis at most; every volume has a level of 64',
  }),
});

export const FileDownload = z
  .object({ url: Url, fileName: z.string(), sizeBytes: z.int(), sha256: Sha256 })
  .meta({ id: 'FileDownload' });
