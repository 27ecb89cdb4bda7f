import { greyPeaks } from '../grid/histogram.ts';
import { type SummarizedVolume, withoutOutliers } from '../grid/outliers.ts';
import { type UnseenField, withAirUnseen, withoutValue } from '../grid/unseen-field.ts';
import { type BlockGrid, readBlocks } from './block-grid.ts';
import { findLevels } from './block-levels.ts';
import { findCutSides, findUnseen, withoutUnseen } from './find-unseen.ts';

/**
 * The remainder must have air of its own that differs from its material by this many standard deviations of the noise.
 */
const minContrast = 3;
const minAir = 12;
/** A constant value no further below air than this share of the noise is equivalent to air. */
const minBelow = 0.5;
/** Smallest number of the part's blocks beside unseen ones, for the part to be cut there. */
const minPatches = 4;

export interface SeenScan {
  source: SummarizedVolume;
  blocks: BlockGrid;
  unseen: {
    field: UnseenField;
    /** faces on whose side the part continues there */
    cutSides: Set<number>;
  } | null;
}

/**
 * A scan and its blocks without the region outside of the field of view.
 * @param gathered its blocks, when they were gathered from its planes; otherwise it is read
 * @returns null for a scan of fewer than seven blocks along an axis
 */
export async function readSeen(
  scan: SummarizedVolume,
  gathered?: BlockGrid | null,
): Promise<SeenScan | null> {
  const source = withoutOutliers(scan);
  const blocks = gathered === undefined || source !== scan ? await readBlocks(source) : gathered;
  if (!blocks) return null;
  const unseen = findUnseen(blocks, source.grid.dimensions);
  if (!unseen) return { source, blocks, unseen: null };
  const { field } = unseen;
  const seen = withoutUnseen(blocks, field, source.grid.dimensions);
  const levels = findLevels(seen, greyPeaks(withoutValue(source.histogram, field.value)));
  const hasAir =
    levels !== null &&
    field.value < levels.air - minBelow * levels.noise &&
    levels.materials[0].grey - levels.air > minContrast * levels.noise &&
    levels.even.filter((kind) => kind === 1).length >= minAir;
  if (!hasAir) return { source, blocks, unseen: null };
  const cutSides = findCutSides(blocks, levels.level, unseen.isUnseen, minPatches);
  return {
    source: withAirUnseen(source, field, levels.air),
    blocks: seen,
    unseen: { field, cutSides },
  };
}
