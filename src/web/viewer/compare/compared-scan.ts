import type { ReactNode } from 'react';
import type { Pose } from '#kernels/grid/draw-scan.ts';
import type { Volume } from '#kernels/grid/volume.ts';
import type { VolumeDescription } from '../data/slice-source.ts';
import type { SurfaceSource } from '../state/surface-source.ts';

/** One scan of a comparison. */
export interface ComparedScan {
  id: string;
  title: string;
  /** behind the title in its pane */
  aside?: ReactNode;
  /** null until it is known */
  volume: VolumeDescription | null;
  load: ((signal: AbortSignal) => Promise<Volume>) | null;
  surface: Pick<SurfaceSource, 'id' | 'load' | 'loadSimplified'> | null;
  /** lays the scan on what it was aligned to */
  pose: Pose | null;
  /** why there is nothing to be seen */
  problem: string | null;
}

/** What is said in place of a picture: of the first scan that has something, by its name where there are two. */
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
