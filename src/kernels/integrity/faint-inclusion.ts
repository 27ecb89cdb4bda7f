/**
 * How large an inclusion is whose own grey value nothing tells: no peak of the histogram is its, and blur lowers its middle.
 * Its excess over the material fixes volume times height, and the cells above a level its width: together, for a ball
 * behind a Gauss, both. Right to a fifth for compact inclusions of 6 cells across and more, to a third for smaller ones;
 * longer and flatter ones come out too small. O(1).
 */

import { readBlurredBall } from './blurred-ball.ts';

/** Distance from the middle at which a blurred ball has fallen to a share of its height; 0 where it is nowhere as high. */
function findEdge(share: number, radius: number, deviation: number): number {
  let [low, high] = [1e-3, radius + 5 * deviation];
  if (readBlurredBall(low, radius, deviation) < share) return 0;
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (readBlurredBall(middle, radius, deviation) < share) high = middle;
    else low = middle;
  }
  return low;
}

const smallest = 0.5;
const growth = 1.01;

/**
 * @param excess sum of what its cells, and those that it is blurred over, have above the material
 * @param voxels of its cells above the level
 * @param level above the material, in the excess's unit
 * @param blur standard deviation of the edges, in cells
 * @returns volume in cells
 */
export function modelInclusion(excess: number, voxels: number, level: number, blur: number): number {
  // Cells take means: their own length blurs too.
  const deviation = Math.hypot(blur, Math.sqrt(1 / 12));
  const wanted = Math.cbrt((3 * voxels) / (4 * Math.PI));
  let [best, most] = [voxels, 0];
  for (let radius = smallest; ; radius *= growth) {
    const volume = (4 / 3) * Math.PI * radius ** 3;
    const height = excess / volume;
    if (!(height > level)) return best;
    const edge = findEdge(level / height, radius, deviation);
    if (edge > most) [best, most] = [volume, edge];
    if (edge >= wanted) return volume;
  }
}
