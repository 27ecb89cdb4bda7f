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
      description: 'extension; omeZarr is a folder in the archive with all resolution levels of a volume',
    }),
    meshFormats: z.array(z.enum(exportMeshFormats)).max(4).default([]).meta({
      title: 'Meshes as',
      description: 'extension; every surface is written in each of these formats; default: as stored',
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
    stage: z.string().nullable().meta({ description: 'current step, in words; null when none is reported' }),
    config: z.object({
      exportMeshes: z.boolean(),
      exportVolumes: z.boolean(),
      exportRadiographs: z.boolean(),
      volumeFormat: z.enum(exportVolumeFormats),
      meshFormats: z.array(z.enum(exportMeshFormats)),
      report: z
        .literal(true)
        .optional()
        .meta({ description: 'true: an inspection report as PDF instead of an archive' }),
    }),
    sendToRequester: z.boolean(),
    url: Url.nullable().meta({
      description: 'signed download address; null until completed, and after expiry',
    }),
    fileName: z.string().nullable().meta({ description: 'null until completed' }),
    sizeBytes: z.int().nullable().meta({ description: 'null until completed' }),
    sha256: z.string().nullable().meta({ description: 'null until completed' }),
    exportGenerationTime: Timestamp.nullable().meta({ description: 'null until completed' }),
    expiresAt: Timestamp.nullable().meta({ description: 'when the file is deleted; null until completed' }),
    error: WorkError.nullable().meta({ description: 'null unless it failed' }),
    createdBy: Uuid.nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: 'ProjectExport' });
export type ProjectExport = z.infer<typeof ProjectExport>;

/** An export with the name of its project, for lists across projects. */
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
        sizeBytes: z.int().meta({ description: 'estimated size in the archive' }),
      }),
    ),
  })
  .meta({ id: 'ExportEstimate' });
export type ExportEstimate = z.infer<typeof ExportEstimate>;
