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
 * With a greater deviation of the contrast from single walls, as a share of it, it comes out too high: thickness and contrast of a
 * wall are known as a product only. From plates of 1.5 to 4 voxels in all poses.
 */
const mostOfOne = 0.1;
/** A wall of fewer voxels looks alike at several thicknesses, and of more without blur. */
const [fewestVoxels, sharpBlur, fewestSharp] = [1.7, 0.2, 2.5];
/** What the model itself is off by, as a share. */
const modelWithin = 0.015;
/** Blurs to begin with and how far they may be off, in voxels: walls that look alike at several thicknesses end at several. */
const startingBlurs = [0.6, 0.3, 1];
const blurWithin = 0.4;
/** The first guess of the contrast: that of walls whose middle is brighter than so many others', and how far it is off, as a share. */
const [brightShare, firstWithin] = [0.8, 2];

/**
 * What walls that were fitted together can tell of their material.
 * @param isKnown the contrast was known before, and is held near that
 * @returns null where they are too thin or too few for that
 */
export function judgeFit(fit: WallsFit | null, isKnown = false): MaterialOfWalls | null {
  if (!fit) return null;
  const { contrast, blurMm, contrastDeviation, walls } = fit;
  const share = contrastDeviation / contrast;
  const ofOne = share * Math.sqrt(walls.length);
  const voxels = computeMedian(walls.map(({ profile, slab }) => slab.thicknessMm / profile.spanMm));
  const blurVoxels = blurMm / computeMedian(walls.map(({ profile }) => profile.spanMm));
  if (isKnown) return { contrast, blurMm, contrastWithin: Math.hypot(share, modelWithin) };
  const fewest = blurVoxels < sharpBlur ? fewestSharp : fewestVoxels;
  if (!(ofOne < mostOfOne && voxels > fewest)) return null;
  return { contrast, blurMm, contrastWithin: Math.hypot(share, 1.5 * ofOne ** 2, modelWithin) };
}

/**
 * How far the material of a part that is nothing but thin walls lies above air, read from the walls' profiles: blur leaves none of
 * its places the material's own grey value.
 * @returns null where the walls can't tell
 */
export async function findMaterialOfWalls(
  source: SlabSource,
  place: { cells: CellBox; isoValue: number; air: number; signal?: AbortSignal },
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
