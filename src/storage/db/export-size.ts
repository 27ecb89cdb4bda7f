/**
 * What parts of an export will weigh, from what is known of the data objects: for the progress of the worker and for
 * whoever wants to know before. Files as stored and grey values to the byte but for headers; surfaces in other formats
 * within some percent.
 */
import type { ExportMeshFormat, ExportVolumeFormat } from '#contract/shapes/export.ts';
import { bytesPerVoxel, type DataType } from '../volumes/volume-layout.ts';

interface Weighed {
  metadata: Record<string, unknown>;
  /** of everything that is stored of the data object */
  sizeBytes: number;
}

const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : 0;

/** @param filesBytes of its stored files, which are not part of the stored volume */
export function volumeBytes(
  { metadata, sizeBytes }: Weighed,
  filesBytes: number,
  format: ExportVolumeFormat,
): number {
  const stored = Math.max(0, sizeBytes - filesBytes);
  const { dimensions, dataType } = metadata as { dimensions?: number[]; dataType?: DataType };
  if (format === 'omeZarr' || !dimensions || !dataType) return stored;
  return dimensions.reduce((product, n) => product * n, bytesPerVoxel(dataType));
}

/**
 * A surface in a format that it is not stored in. STL: 50 bytes a triangle. PLY: 24 a vertex with its normal, 13 a
 * triangle. 3MF: text, deflated to about 9 bytes a number.
 *
 * @param glbBytes of the surface as stored
 */
export function meshBytes(
  metadata: Record<string, unknown>,
  glbBytes: number,
  format: ExportMeshFormat,
): number {
  const [vertices, triangles] = [numberOf(metadata['vertices']), numberOf(metadata['triangles'])];
  // Not every kind says how many triangles its surface has; a GLB takes about 36 bytes of each.
  const faces = triangles || Math.ceil(glbBytes / 36);
  const points = vertices || Math.ceil(faces / 2);
  return {
    glb: glbBytes,
    stl: 84 + 50 * faces,
    ply: 400 + 24 * points + 13 * faces,
    '3mf': 14 * (points + faces),
  }[format];
}
