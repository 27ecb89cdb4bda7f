/** A ball of height 1 blurred by a Gaussian; all lengths in one unit. O(1). */
import { computeErf } from '../error-function.ts';

/** Its height at a distance above 0 from its centre. */
export function readBlurredBall(distance: number, radius: number, deviation: number): number {
  const [near, far] = [radius - distance, radius + distance].map((n) => n / (Math.SQRT2 * deviation));
  const [a, b] = [near ?? 0, far ?? 0];
  const ring = (deviation / (distance * Math.sqrt(2 * Math.PI))) * (Math.exp(-a * a) - Math.exp(-b * b));
  return (computeErf(a) + computeErf(b)) / 2 - ring;
}

/** Number of spheres averaged over. */
const spheres = 8;

/** Its mean height within a ball around its centre. */
export function averageBlurredBall(within: number, radius: number, deviation: number): number {
  let [sum, weights] = [0, 0];
  for (let i = 0.5; i < spheres; i++) {
    const distance = (within * i) / spheres;
    sum += distance ** 2 * readBlurredBall(distance, radius, deviation);
    weights += distance ** 2;
  }
  return sum / weights;
}
