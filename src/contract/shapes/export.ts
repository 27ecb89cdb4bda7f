import { z } from 'zod';
import { exportParts } from '../analyses/data-kinds.ts';
import { exportMeshFormats, exportVolumeFormats } from '../base/export-formats.ts';
import { Fraction, Timestamp, Url, Uuid, WorkError, WorkStatus } from '../base/primitives.ts';
import { definePage, PageQuery, StatusFilter } from './page.ts';

const kindFlags = {
  exportMeshes: z.boolean().default(true).meta({ title: 'Meshes and results' }),
  exportVolumes: z.boolean().default(false).meta({ title: 'Volumes' }),
  exportRadiographs: z.boolean().default(false).meta({ title: 'Radiographs' }),
};

export const ExportConfig = z
  .strictObject({
    ...kindFlags,
    volumeFormat: z.enum(exportVolumeFormats).default('nrrd').meta({
      title: 'Volumes and radiographs as',
      description: 'extension; omeZarr is a folder of the archive, with all levels of a volume',
    }),
    meshFormats: z.array(z.enum(exportMeshFormats)).max(4).default([]).meta({
      title: 'Meshes as',
      description: 'extension; every surface is written in these formats; none = as stored',
    }),
  })
  .refine((config) => config.exportMeshes || config.exportVolumes || config.exportRadiographs, {
    message: 'choose at least one kind of data',
  })
  .meta({ id: 'ExportConfig' });
export type ExportConfig = z.infer<typeof ExportConfig>;

export const ExportInput = z
  .strictObject({
    config: ExportConfig.default({
      exportMeshes: true,
      exportVolumes: false,
      exportRadiographs: false,
      volumeFormat: 'nrrd',
      meshFormats: [],
    }),
    sendToRequester: z.boolean().default(false).meta({ title: 'Email me the link' }),
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
      volumeFormat: z.enum(exportVolumeFormats),
      meshFormats: z.array(z.enum(exportMeshFormats)),
      report: z.literal(true).optional().meta({ description: 'an inspection report as PDF, no archive' }),
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

/** With the name of its project, as exports of several projects stand in one list. */
export const ListedExport = ProjectExport.extend({
  projectName: z.string().meta({ 'x-extension': true }),
}).meta({ id: 'ListedExport' });
export const ListedExportPage = definePage(ListedExport, 'ListedExportPage');
export const ExportListQuery = PageQuery.extend({ project: Uuid.optional(), status: StatusFilter });

export const ExportEstimateQuery = z.strictObject({
  volumeFormat: z.enum(exportVolumeFormats).default('nrrd'),
  meshFormats: z.array(z.enum(exportMeshFormats)).max(4).default([]),
});

export const ExportEstimate = z
  .object({
    parts: z.array(
      z.object({
        part: z.enum(exportParts),
        dataObjectCount: z.int(),
        sizeBytes: z.int().meta({ description: 'of the archive, estimated' }),
      }),
    ),
  })
  .meta({ id: 'ExportEstimate' });
export type ExportEstimate = z.infer<typeof ExportEstimate>;
