import type { Vector3 } from '../grid/volume.ts';
import { KernelError } from '../kernel-error.ts';
import type { ScanGeometry } from './geometry.ts';
import type { VirtualDetector } from './virtual-detector.ts';

export interface PreviewGrid {
  dimensions: Vector3;
  voxelSizeMm: number;
  /** centre of the first cell */
  originMm: Vector3;
  /** cells farther than this from the axis were not seen from all sides */
  radiusMm: number;
}

/**
 * The cells that the detector sees from all sides, no finer than a pixel scaled to the axis.
 * @param centerColumn column of the axis
 */
export function previewGrid(
  geometry: ScanGeometry,
  detector: VirtualDetector,
  centerColumn: number,
  maxDimension: number,
): PreviewGrid {
  const { beam, columns, rows, pixelSizeMm, sourceToAxisMm } = geometry;
  const scale = beam === 'parallel' ? 1 : sourceToAxisMm / detector.sourceToDetectorMm;
  const [left, right] = detector.seenColumns;
  const halfWidthMm = Math.min(centerColumn - left, right - centerColumn) * pixelSizeMm[0];
  if (!(halfWidthMm > 0)) {
    throw new KernelError(
      'BAD_INPUT',
      `The axis of rotation falls beside the detector (column ${centerColumn.toFixed(1)} of ${columns}): check the centre of rotation.`,
    );
  }
  const radiusMm =
    beam === 'parallel'
      ? halfWidthMm
      : sourceToAxisMm * Math.sin(Math.atan(halfWidthMm / detector.sourceToDetectorMm));
  const heightScale = beam === 'cone' ? scale : 1;
  const heightMm = rows * pixelSizeMm[1] * heightScale;
  const voxelSizeMm = Math.max(
    pixelSizeMm[0] * scale,
    (2 * radiusMm) / maxDimension,
    rows > 1 ? heightMm / maxDimension : 0,
  );
  const across = Math.max(1, Math.min(maxDimension, Math.round((2 * radiusMm) / voxelSizeMm)));
  const up = rows > 1 ? Math.max(1, Math.min(maxDimension, Math.round(heightMm / voxelSizeMm))) : 1;
  const middleZ = ((rows - 1) / 2 - detector.middleRow) * pixelSizeMm[1] * heightScale;
  const start = -((across - 1) / 2) * voxelSizeMm;
  return {
    dimensions: [across, across, up],
    voxelSizeMm,
    originMm: [start, start, middleZ - ((up - 1) / 2) * voxelSizeMm],
    radiusMm,
  };
}
