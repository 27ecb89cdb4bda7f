import type { DataObjectRow, dataObjectFiles } from '../db/schema-data.ts';

/** The GLB in mm that stands beside the source, which may be a GLB in any shape itself. */
export function findSurfaceFile<
  File extends Pick<typeof dataObjectFiles.$inferSelect, 'fileName' | 'mediaType'>,
>(row: Pick<DataObjectRow, 'kind' | 'metadata'>, files: readonly File[]): File | undefined {
  const source = 'sourceFileName' in row.metadata ? row.metadata.sourceFileName : undefined;
  return files.find(({ fileName, mediaType }) => mediaType === 'model/gltf-binary' && fileName !== source);
}
