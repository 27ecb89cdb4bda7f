/**
 * The thinnest wall, in mm, that still gives a surface half-way between air and material: blur and filter spread its
 * grey values until none of them reaches the level. With a margin for noise.
 * @param blurMm standard deviation of the scan's edge spread
 * @param weights right half of the filter along the axis, from its centre
 * @param spanMm a voxel's edge along it
 */
export function findDetectionLimit(blurMm: number, weights: readonly number[], spanMm: number): number {
  const deviation = Math.hypot(blurMm, spanMm / Math.sqrt(12));
  const steps = 200;
  for (let step = 1; step < steps; step++) {
    const thickness = (step / steps) * maxVoxels * spanMm;
    const peak = weights.reduce((sum, weight, k) => {
      const share = slabShare(k * spanMm, thickness / 2, deviation);
      return sum + (k === 0 ? 1 : 2) * weight * share;
    }, 0);
    if (peak > minPeak) return thickness;
  }
  return maxVoxels * spanMm;
}

/** Smallest peak of a visible wall, as a share of the contrast; and the thickest wall considered, in voxels. */
const [minPeak, maxVoxels] = [0.6, 8];

/** Share of a slab's contrast at a distance from its middle, by summing over the slab. */
function slabShare(place: number, half: number, deviation: number): number {
  const parts = 40;
  let sum = 0;
  for (let i = 0; i < parts; i++) {
    const x = place - half + (2 * half * (i + 0.5)) / parts;
    sum += Math.exp(-0.5 * (x / deviation) ** 2);
  }
  return (sum * 2 * half) / parts / (deviation * Math.sqrt(2 * Math.PI));
}
