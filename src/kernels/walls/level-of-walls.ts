import type { CellBox } from '../grid/region.ts';
import type { SlabSource } from '../grid/volume.ts';
import { computeMedian } from '../select-nth.ts';
import { fitWalls, type WallsFit } from './fit-walls.ts';
import { sampleWalls } from './sample-walls.ts';
import type { WallLook } from './slab-model.ts';

export interface MaterialOfWalls extends WallLook {
  /** standard deviation of the contrast, as a share of it */
  contrastWithin: number;
}

/**
 * Largest uncertainty of the contrast from a single wall, as a share of it; above, the contrast comes out too high,
 * because only thickness times contrast of a wall is known. From plates of 1.5 to 4 voxels in all orientations.
 */
const maxSingleWallError = 0.1;
/**
 * Smallest thickness in voxels: thinner walls look the same at several thicknesses. Without blur (below `sharpBlur`)
 * more voxels are needed.
 */
const [minVoxels, sharpBlur, minSharp] = [1.7, 0.2, 2.5];
/** Error of the model itself, as a share. */
const modelWithin = 0.015;
/**
 * Initial blurs and their uncertainty, in voxels: walls that look the same at several thicknesses converge to several
 * results.
 */
const startingBlurs = [0.6, 0.3, 1];
const blurWithin = 0.4;
/**
 * Initial contrast: that of walls whose middle is brighter than this share of the others; and its uncertainty, as a
 * share.
 */
const [brightShare, firstWithin] = [0.8, 2];

/**
 * Contrast and blur of the material from walls that were fitted together.
 * @param isKnown the contrast was known before and is kept near that
 * @returns null when the walls are too thin or too few
 */
export function judgeFit(fit: WallsFit | null, isKnown = false): MaterialOfWalls | null {
  if (!fit) return null;
  const { contrast, blurMm, contrastDeviation, walls } = fit;
  const share = contrastDeviation / contrast;
  const ofOne = share * Math.sqrt(walls.length);
  const voxels = computeMedian(walls.map(({ profile, slab }) => slab.thicknessMm / profile.spanMm));
  const blurVoxels = blurMm / computeMedian(walls.map(({ profile }) => profile.spanMm));
  if (isKnown) return { contrast, blurMm, contrastWithin: Math.hypot(share, modelWithin) };
  const fewest = blurVoxels < sharpBlur ? minSharp : minVoxels;
  if (!(ofOne < maxSingleWallError && voxels > fewest)) return null;
  return { contrast, blurMm, contrastWithin: Math.hypot(share, 1.5 * ofOne ** 2, modelWithin) };
}

/**
 * Contrast of a part that consists of thin walls only, from the walls' profiles: blur leaves no place with the
 * material's own grey value.
 * @returns null when the walls do not determine it
 */
export async function findMaterialOfWalls(
  source: SlabSource,
  place: { cells: CellBox; isoValue: number; air: number },
): Promise<MaterialOfWalls | null> {
  const walls = await sampleWalls(source, place);
  if (walls.length === 0) return null;
  const heights = walls.map(({ profile }) => Math.max(...profile.greys) - place.air).sort((a, b) => a - b);
  const voxelMm = Math.min(...source.grid.voxelSizeMm);
  const contrast = heights[Math.floor(brightShare * (heights.length - 1))];
  const fitFrom = (blur: number) =>
    judgeFit(
      fitWalls(walls, {
        contrast,
        contrastWithin: firstWithin,
        blurMm: blur * voxelMm,
        blurWithinMm: blurWithin * voxelMm,
        air: place.air,
      }),
    );
  const [first, ...others] = startingBlurs;
  const found = fitFrom(first);
  if (!found) return null;
  const isAlike = (other: MaterialOfWalls | null) =>
    other !== null && Math.abs(other.contrast / found.contrast - 1) < 2 * found.contrastWithin;
  return others.every((blur) => isAlike(fitFrom(blur))) ? found : null;
}
