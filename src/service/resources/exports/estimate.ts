/** Estimates the size of an export, part by part. */
import { and, eq, inArray } from 'drizzle-orm';
import { exportParts, findExportPart, surfaceKinds } from '#contract/analyses/data-kinds.ts';
import {
  type ExportMeshFormat,
  type ExportVolumeFormat,
  exportMeshFormats,
} from '#contract/base/export-formats.ts';
import type { ExportEstimate } from '#contract/shapes/export.ts';
import { volumeFormats } from '#formats/registry.ts';
import type { Executor } from '#storage/db/connection.ts';
import { meshBytes, volumeBytes } from '#storage/db/export-size.ts';
import { type DataObjectRow, dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';

/** Overhead per file: its header in the archive, and its lines in the manifest and the list of checksums. */
const BYTES_A_FILE = 600;

type FileRow = typeof dataObjectFiles.$inferSelect;

export async function estimateExport(
  db: Executor,
  projectId: string,
  volumeFormat: ExportVolumeFormat,
  meshFormats: ExportMeshFormat[],
): Promise<ExportEstimate> {
  const rows = await db
    .select()
    .from(dataObjects)
    .where(and(eq(dataObjects.projectId, projectId), eq(dataObjects.status, 'completed')));
  const ids = rows.map(({ id }) => id);
  const files =
    ids.length === 0
      ? []
      : await db.select().from(dataObjectFiles).where(inArray(dataObjectFiles.dataObjectId, ids));
  const weigh = (row: DataObjectRow) =>
    countBytes(
      row,
      files.filter(({ dataObjectId }) => dataObjectId === row.id),
      volumeFormat,
      meshFormats,
    );
  return {
    parts: exportParts.map((part) => {
      const own = rows.filter(({ kind }) => findExportPart(kind) === part);
      return {
        part,
        dataObjectCount: own.length,
        sizeBytes: own.reduce((sum, row) => sum + weigh(row), 0),
      };
    }),
  };
}

/** Selects the same files as the worker, with the sizes known beforehand. */
function countBytes(
  row: DataObjectRow,
  files: FileRow[],
  volumeFormat: ExportVolumeFormat,
  meshFormats: ExportMeshFormat[],
): number {
  const filesBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let bytes = files.length * BYTES_A_FILE + filesBytes;
  if (row.volumeKey !== null) bytes += volumeBytes(row, filesBytes, volumeFormat);
  else if (row.kind === 'radiographs') bytes += stackBytes(files, volumeFormat);
  if (meshFormats.length === 0 || !surfaceKinds.includes(row.kind)) return bytes;
  const getFormat = ({ fileName }: FileRow) => fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase();
  const stored = new Map(files.map((file) => [getFormat(file), file]));
  for (const format of exportMeshFormats) {
    const file = stored.get(format);
    if (file && !meshFormats.includes(format)) bytes -= file.sizeBytes + BYTES_A_FILE;
    const glb = stored.get('glb');
    if (!file && glb && meshFormats.includes(format)) {
      bytes += BYTES_A_FILE + meshBytes(row, glb.sizeBytes, format);
    }
  }
  return bytes;
}

/** Stacks stored in another format than the requested one are included in both formats. */
function stackBytes(files: FileRow[], format: ExportVolumeFormat): number {
  const own = new RegExp(`\\.(${volumeFormats[format].extensions.join('|')})$`, 'i');
  return files
    .filter(({ fileName }) => /\.(nrrd|tiff?|mha)$/i.test(fileName) && !own.test(fileName))
    .reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
