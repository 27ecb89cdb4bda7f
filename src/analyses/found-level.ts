/** The surface of a volume and its settings, determined once and stored. */
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import type { OneLevelReason, PartMeasures, SurfaceMetadata } from '#contract/metadata/surface.ts';
import type { Histogram } from '#kernels/grid/histogram.ts';
import type { LocalLevels } from '#kernels/levels/fit-levels.ts';
import type { SurfaceChoice, SurfaceLevel } from '#kernels/surface/surface-level.ts';
import type { NoiseFilterParameters } from './noise-filter.ts';

export interface SurfaceSettings extends Partial<NoiseFilterParameters> {
  /** local: levels around each place, or one level where that gives the same */
  surface: SurfaceChoice | { mode: 'local' };
}

/** A level whose uncertainty (k = 1) exceeds this share of the contrast counts as unknown. */
const maxLevelError = 0.03;

/** Whether the grey value of a part with hardly any place full of material is known nevertheless. */
export const hasKnownLevel = ({
  contrastWithin = Number.POSITIVE_INFINITY,
}: Pick<SurfaceLevel, 'contrastWithin'>) => contrastWithin < maxLevelError;

/**
 * Smallest wall thickness, in voxels, that leaves volume and area measurable: for a level from places deep in the part,
 * and for one from the walls themselves, where thickness and contrast cannot be separated below that.
 */
const minVoxels = { depth: 2, walls: 3 };
/** The same in standard deviations of its edges, and the blur in voxels assumed when neither edges nor walls show it. */
const [minDeviations, unseenBlur] = [4, 1.2];

/** Whether blur leaves the faces of thin walls in place, given one well-known level for the whole part. */
export function areWallsKnown(
  {
    toldBy,
    contrastWithin = 0,
    blurVoxels: ofWalls,
  }: Pick<SurfaceMetadata, 'contrastWithin'> & {
    toldBy?: SurfaceMetadata['toldBy'] | undefined;
    blurVoxels?: number | null;
  },
  { thinnestWallVoxels, blurVoxels }: Pick<ScanQuality, 'thinnestWallVoxels' | 'blurVoxels'>,
): boolean {
  if (toldBy !== 'depth' && toldBy !== 'walls') return false;
  const edge = Math.hypot(blurVoxels ?? ofWalls ?? unseenBlur, Math.sqrt(1 / 12));
  const least = Math.max(minVoxels[toldBy], minDeviations * edge);
  return contrastWithin < maxLevelError && (thinnestWallVoxels ?? 0) >= least;
}

/** The surface of a volume in terms of its grey values. */
export interface FoundLevel {
  /** one level for the whole volume; below its lightest material if that would be cut off */
  level: SurfaceLevel;
  /** local levels, which take precedence */
  local?: LocalLevels;
  /** why there are no local levels although they were requested */
  oneLevel?: OneLevelReason;
  /** several materials, whose outer surface is used */
  materialGrays?: number[];
  /** grey values behind the median filter, if the scan is so noisy that levels are read there */
  quiet?: { histogram: Histogram; range: [number, number] };
}

/** A stored level, and the measures of the part stored with it. */
export interface DeterminedSurface extends FoundLevel {
  part: PartMeasures | undefined;
  keepPart(part: PartMeasures): void;
}
