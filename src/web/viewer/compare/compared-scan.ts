import type { ReactNode } from 'react';
import type { Bounds } from '#kernels/grid/camera.ts';
import type { Pose } from '#kernels/grid/draw-scan.ts';
import type { Volume } from '#kernels/grid/volume.ts';
import type { VolumeDescription } from '../data/slice-source.ts';
import type { SurfaceSource } from '../state/surface-source.ts';

export interface ComparedScan {
  id: string;
  title: string;
  /** shown after the title in its pane */
  aside?: ReactNode;
  /** null until loaded */
  volume: VolumeDescription | null;
  load: ((signal: AbortSignal) => Promise<Volume>) | null;
  surface: Pick<SurfaceSource, 'id' | 'load' | 'loadSimplified'> | null;
  surfaceBounds: Bounds | null;
  /** transform to the frame of its alignment */
  pose: Pose | null;
  /** why nothing can be shown */
  problem: string | null;
}

/**
 * The message shown in place of a picture: that of the first scan with a problem, with its name if there are two scans.
 */
export function findNotice(
  scans: readonly ComparedScan[],
  describe: (scan: ComparedScan) => string | null,
): string | null {
  for (const scan of scans) {
    const notice = describe(scan);
    if (notice !== null) return scans.length > 1 ? `${scan.title}: ${notice}` : notice;
  }
  return null;
}
