/**
 * What parts of an export will weigh, from what is known of the data objects: for the progress of the worker and for
 * whoever wants to know before. Files as stored and grey values to the byte but for headers; surfaces in other formats
 * within some percent.
 */
import type { ExportMeshFormat, ExportVolumeFormat } from '#contract/base/export-formats.ts';
import { meshFormats, volumeFormats } from '#formats/registry.ts';
import { type DataObjectRow, narrowRow } from './schema-data.ts';

/** @param filesBytes of its stored files, which are not part of the stored volume */
export function volumeBytes(row: DataObjectRow, filesBytes: number, format: ExportVolumeFormat): number {
  const volume = narrowRow(row, 'volume', 'radiographs');
  if (format === 'omeZarr' || !volume) return Math.max(0, row.sizeBytes - filesBytes);
  return volumeFormats[format].estimateBytes(volume.metadata);
}

/**
 * A surface in a format that it is not stored in.
 *
 * @param glbBytes of the surface as stored
 */
export function meshBytes({ metadata }: DataObjectRow, glbBytes: number, format: ExportMeshFormat): number {
  const known = 'triangles' in metadata ? metadata : { vertices: undefined, triangles: undefined };
  // Not every kind says how many triangles its surface has; a GLB takes about 36 bytes of each.
  const triangles = known.triangles || Math.ceil(glbBytes / 36);
  const vertices = known.vertices || Math.ceil(triangles / 2);
  return meshFormats[format].estimateBytes({ vertices, triangles, glbBytes });
}
