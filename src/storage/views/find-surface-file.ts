import type { DataObjectRow, dataObjectFiles } from '../db/schema-data.ts';

/** The service's own GLB in mm, stored beside the source file, which may also be a GLB. */
export function findSurfaceFile<
  File extends Pick<typeof dataObjectFiles.$inferSelect, 'fileName' | 'mediaType'>,
>(row: Pick<DataObjectRow, 'kind' | 'metadata'>, files: readonly File[]): File | undefined {
  const source = 'sourceFileName' in row.metadata ? row.metadata.sourceFileName : undefined;
  return files.find(({ fileName, mediaType }) => mediaType === 'model/gltf-binary' && fileName !== source);
}
