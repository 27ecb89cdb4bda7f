/** Where the surface of a volume lies, and by which settings: what is determined once and stored. */
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import type { OneLevelReason, PartMeasures, SurfaceMetadata } from '#contract/metadata/surface.ts';
import type { Histogram } from '#kernels/grid/histogram.ts';
import type { LocalLevels } from '#kernels/levels/fit-levels.ts';
import type { SurfaceChoice, SurfaceLevel } from '#kernels/surface/surface-level.ts';
import type { NoiseFilterParameters } from './noise-filter.ts';

export interface SurfaceSettings extends Partial<NoiseFilterParameters> {
  /** local: levels around each place, or one where they would say the same */
  surface: SurfaceChoice | { mode: 'local' };
}

/** A level that is off by more, as a share of the contrast (k = 1), is not told. */
const toldWithin = 0.03;

/** Whether a part with hardly any place that is full of material has its grey value told all the same. */
export const isLevelTold = ({
  contrastWithin = Number.POSITIVE_INFINITY,
}: Pick<SurfaceLevel, 'contrastWithin'>) => contrastWithin < toldWithin;

/**
 * Voxels from which on walls leave their volume and area measurable: by a level that places deep in the part have told, and by one that
 * the walls themselves have, whose thickness and height can't be told apart below that.
 */
const fewestVoxels = { depth: 2, walls: 3 };

/** Whether blur leaves the thin walls of a part where they are, as far as one level for all of it is known. */
export function areWallsTold(
  {
    toldBy,
    contrastWithin = 0,
  }: Pick<SurfaceMetadata, 'contrastWithin'> & { toldBy?: SurfaceMetadata['toldBy'] | undefined },
  { thinnestWallVoxels }: Pick<ScanQuality, 'thinnestWallVoxels'>,
): boolean {
  if (toldBy !== 'depth' && toldBy !== 'walls') return false;
  return contrastWithin < toldWithin && (thinnestWallVoxels ?? 0) >= fewestVoxels[toldBy];
}

/** Where the surface of a volume lies, in its own grey values. */
export interface FoundLevel {
  /** for all of it: below its lightest material, where that was to be cut off */
  level: SurfaceLevel;
  /** around each place, which goes before it */
  local?: LocalLevels;
  /** why there are none although they were asked for */
  oneLevel?: OneLevelReason;
  /** several materials, of which the surface is the outer one */
  materialGrays?: number[];
  /** of the grey values behind the median filter, where the scan is so noisy that levels are read there */
  quiet?: { histogram: Histogram; range: [number, number] };
}

/** A level that is stored, and with it what was measured of the part. */
export interface DeterminedSurface extends FoundLevel {
  part: PartMeasures | undefined;
  keepPart(part: PartMeasures): void;
}
