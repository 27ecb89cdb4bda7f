import { z } from 'zod';
import { PageQuery, pageOf } from './page.ts';
import { Fraction, Timestamp, Url, Uuid, WorkError, WorkStatus } from './primitives.ts';

export const ExportConfig = z
  .strictObject({
    exportMeshes: z.boolean().default(true).meta({ title: 'Meshes and results' }),
    exportVolumes: z.boolean().default(false).meta({ title: 'Volumes' }),
    exportRadiographs: z.boolean().default(false).meta({ title: 'Radiographs' }),
  })
  .refine((config) => Object.values(config).some(Boolean), { message: 'choose at least one kind of data' })
  .meta({ id: 'ExportConfig' });
export type ExportConfig = z.infer<typeof ExportConfig>;

export const ExportInput = z
  .strictObject({
    config: ExportConfig.default({ exportMeshes: true, exportVolumes: false, exportRadiographs: false }),
    sendToRequester: z.boolean().default(false).meta({ title: 'Mail the address to me' }),
  })
  .meta({ id: 'ExportInput' });

export const ProjectExport = z
  .object({
    id: Uuid,
    projectId: Uuid,
    status: WorkStatus,
    progress: Fraction,
    stage: z.string().nullable(),
    config: z.object({
      exportMeshes: z.boolean(),
      exportVolumes: z.boolean(),
      exportRadiographs: z.boolean(),
    }),
    sendToRequester: z.boolean(),
    url: Url.nullable(),
    fileName: z.string().nullable(),
    sizeBytes: z.int().nullable(),
    sha256: z.string().nullable(),
    exportGenerationTime: Timestamp.nullable(),
    expiresAt: Timestamp.nullable(),
    error: WorkError.nullable(),
    createdBy: Uuid.nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: 'ProjectExport' });
export type ProjectExport = z.infer<typeof ProjectExport>;
export const ProjectExportPage = pageOf(ProjectExport, 'ProjectExportPage');
export const ExportListQuery = PageQuery.extend({ project: Uuid.optional(), status: z.string().optional() });
