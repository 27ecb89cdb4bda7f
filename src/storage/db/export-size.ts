/**
 * Estimates the size of parts of an export from metadata, for the worker's progress and for size estimates. Stored files and
 * grey values are exact except for headers; surfaces in other formats are accurate within some percent.
 */
import type { ExportMeshFormat, ExportVolumeFormat } from '#contract/base/export-formats.ts';
import { meshFormats, volumeFormats } from '#formats/registry.ts';
import { type DataObjectRow, narrowRow } from './schema-data.ts';

/** @param filesBytes size of its stored files, which are not part of the stored volume */
export function volumeBytes(row: DataObjectRow, filesBytes: number, format: ExportVolumeFormat): number {
  const volume = narrowRow(row, 'volume', 'radiographs');
  if (format === 'omeZarr' || !volume) return Math.max(0, row.sizeBytes - filesBytes);
  return volumeFormats[format].estimateBytes(volume.metadata);
}

/**
 * Size of a surface in a format other than the stored one.
 *
 * @param glbBytes size of the stored GLB
 */
export function meshBytes({ metadata }: DataObjectRow, glbBytes: number, format: ExportMeshFormat): number {
  const known = 'triangles' in metadata ? metadata : { vertices: undefined, triangles: undefined };
  // Not every kind stores the number of triangles; a GLB takes about 36 bytes per triangle.
  const triangles = known.triangles || Math.ceil(glbBytes / 36);
  const vertices = known.vertices || Math.ceil(triangles / 2);
  return meshFormats[format].estimateBytes({ vertices, triangles, glbBytes });
}
