/** Changes of grey values by exports and viewers (curves, coarse steps), and a detector with a dead column. */
import type { Volume } from '../../grid/volume.ts';
import { seededRandom } from '../../random.ts';
import { blurVolume } from '../blur.ts';
import { partGrey } from '../carve.ts';

const most = 65_535;
const mapGreys = (volume: Volume, change: (grey: number, at: number) => number): Volume => ({
  ...volume,
  dataType: 'uint16',
  data: Uint16Array.from(volume.data, change),
});

/** A gamma curve over all 65,536 grey values. */
export const bendGreys = (volume: Volume, power: number): Volume =>
  mapGreys(volume, (grey) => Math.round(most * (grey / most) ** power));

/** @param steps number of steps over all 65,536 grey values */
export const roundGreys = (volume: Volume, steps: number): Volume =>
  mapGreys(volume, (grey) => Math.round(Math.round((grey / most) * steps) * (most / steps)));

/** Sets this share of the voxels, at random places, to the lowest or the highest grey value. */
export function strewSpecks(volume: Volume, share: number, seed: number): Volume {
  const random = seededRandom(seed);
  return mapGreys(volume, (grey) => {
    const picked = random() / share;
    return picked < 0.5 ? 0 : picked < 1 ? most : grey;
  });
}

/** Sets the middle plane across x to 0. */
export const emptyColumn = (volume: Volume): Volume => {
  const [columns] = volume.dimensions;
  return mapGreys(volume, (grey, at) => (at % columns === columns >> 1 ? 0 : grey));
};

/**
 * Brightens the air beside a part, by this share of the contrast at its faces. @param reach standard deviation of its
 * extent, in voxels
 */
export function addHaze(volume: Volume, share: number, reach: number): Volume {
  const { air, material } = partGrey;
  const near = Float32Array.from(volume.data);
  blurVolume({ ...volume, voxelSizeMm: [1, 1, 1], dataType: 'float32', data: near }, reach);
  return mapGreys(volume, (grey, at) => {
    const open = Math.min(1, Math.max(0, (material - grey) / (material - air)));
    return Math.round(grey + 2 * share * open * Math.min((material - air) / 2, near[at] - air));
  });
}
