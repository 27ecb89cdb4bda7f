/**
 * Volume of an inclusion whose own grey value is unknown: it has no peak in the histogram, and blur lowers its centre.
 * Its excess over the material determines volume times height, the cells above a level determine its width; for a ball
 * blurred by a Gaussian, both together give the volume. Within a fifth for compact inclusions at least 6 cells across,
 * within a third for smaller ones; longer and flatter ones come out too small. O(1).
 */

import { readBlurredBall } from './blurred-ball.ts';

/**
 * Distance from the centre at which a blurred ball has fallen to a share of its height; 0 when it is nowhere that high.
 */
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
 * @param excess summed excess over the material, of its cells and of those that it is blurred into
 * @param voxels number of its cells above the level
 * @param level above the material, in the excess's unit
 * @param blur standard deviation of the edge spread, in cells
 * @returns volume in cells
 */
export function modelInclusion(excess: number, voxels: number, level: number, blur: number): number {
  // Cells average over their volume, which adds blur.
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
