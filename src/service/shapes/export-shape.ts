import type { WorkError } from '#contract/base/primitives.ts';
import type { ProjectExport } from '#contract/shapes/export.ts';
import type { exports } from '#storage/db/schema-work.ts';
import type { SignAddress } from '../http/signed-address.ts';

export type ExportRow = typeof exports.$inferSelect;

/** Converts an export row to the contract's shape. An expired archive has no address. */
export function exportShape(row: ExportRow, sign: SignAddress): ProjectExport {
  const isThere =
    row.status === 'completed' &&
    row.blobKey !== null &&
    (row.expiresAt === null || row.expiresAt.getTime() > Date.now());
  const fileName = row.fileName ?? 'export.zip';
  return {
    id: row.id,
    projectId: row.projectId,
    status: row.status,
    progress: row.progress,
    stage: row.stage,
    config: {
      ...row.config,
      volumeFormat: row.config.volumeFormat ?? 'nrrd',
      meshFormats: row.config.meshFormats ?? [],
    },
    sendToRequester: row.sendToRequester,
    url: isThere
      ? sign(
          {
            key: row.blobKey ?? '',
            fileName,
            mediaType: row.config.report ? 'application/pdf' : 'application/zip',
          },
          { projectId: row.projectId },
          // Valid as long as the archive is kept, so that an interrupted download can be resumed days later.
          row.expiresAt === null ? undefined : row.expiresAt.getTime() - Date.now(),
        )
      : null,
    fileName: row.fileName,
    sizeBytes: row.sizeBytes,
    sha256: row.sha256,
    exportGenerationTime: row.exportGenerationTime?.toISOString() ?? null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    error: row.error as WorkError | null,
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
  };
}
