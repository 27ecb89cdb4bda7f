/**
 * Model of a wall in a scan: a slab of one grey value between two parallel faces, blurred by a Gaussian and by the
 * voxels' own length. Its thickness comes from the profile itself, however few voxels lie across it.
 */

/** Grey values along the normal of a wall. */
export interface WallProfile {
  /** mm along the normal, outward from where the wall was found */
  places: Float64Array;
  greys: Float64Array;
  /**
   * extent of a voxel along the normal, mm: the root of 12 times its variance, and the projection of its longest side
   */
  spanMm: number;
  longestMm: number;
}

/** Faces at d and d − t along the normal, mm, and the grey value of the air beside them. */
export interface Slab {
  faceMm: number;
  thicknessMm: number;
  air: number;
}

/** Properties common to many walls. */
export interface WallLook {
  /** in grey values, material above air */
  contrast: number;
  /** standard deviation, mm, without the voxels' own length */
  blurMm: number;
}

/**
 * The cumulative normal distribution and its density, by linear interpolation in a table with steps of 1/128: accurate
 * to 2e−6.
 */
const [tableSteps, tableReach] = [128, 6];
const tableLength = 2 * tableReach * tableSteps + 2;
const density = Float64Array.from({ length: tableLength }, (_, i) => {
  const x = i / tableSteps - tableReach;
  return Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);
});
const share = Float64Array.from(density);
for (let i = 1, sum = 0; i < tableLength; i++) {
  const middle = (i - 0.5) / tableSteps - tableReach;
  const between = Math.exp(-0.5 * middle * middle) / Math.sqrt(2 * Math.PI);
  sum += (density[i - 1] + 4 * between + density[i]) / (6 * tableSteps);
  share[i] = sum;
}
share[0] = 0;

/** At a distance u inside of a face: share of the contrast, and its derivatives by u and by the blur s. */
function writeEdge(u: number, s: number, width: number, into: Float64Array): void {
  const a = (u + width / 2) / s;
  const b = (u - width / 2) / s;
  let inA = a < 0 ? 0 : 1;
  let inB = b < 0 ? 0 : 1;
  let densityA = 0;
  let densityB = 0;
  if (Math.abs(a) < tableReach) {
    const place = (a + tableReach) * tableSteps;
    const i = Math.floor(place);
    inA = share[i] + (share[i + 1] - share[i]) * (place - i);
    densityA = density[i] + (density[i + 1] - density[i]) * (place - i);
  }
  if (Math.abs(b) < tableReach) {
    const place = (b + tableReach) * tableSteps;
    const i = Math.floor(place);
    inB = share[i] + (share[i + 1] - share[i]) * (place - i);
    densityB = density[i] + (density[i + 1] - density[i]) * (place - i);
  }
  into[0] = (s / width) * (a * inA + densityA - (b * inB + densityB));
  into[1] = (inA - inB) / width;
  into[2] = (densityA - densityB) / width;
}

/** Smaller blur, as a share of a voxel's extent, cannot be distinguished from none. */
const minBlur = 0.1;

/** Standard deviation of blur and voxel, without the part of the voxel's longest side. */
export const combineBlur = ({ spanMm, longestMm }: WallProfile, blurMm: number): number =>
  Math.sqrt(Math.max(blurMm, minBlur * spanMm) ** 2 + Math.max(0, spanMm ** 2 - longestMm ** 2) / 12);

/**
 * Wall thickness, in mm, above which a wrong contrast does not change the thickness further: the error is that share of
 * the wall's thickness or of this, whichever is less. While blur lowers a wall's middle, only contrast times thickness
 * is known; in a thicker wall the plateau is visible, and each face moves as an edge moves with its level. By least
 * squares over a profile, within a seventh.
 */
export const findContrastReach = (blurMm: number, spanMm: number): number =>
  2 * Math.sqrt(Math.PI) * Math.hypot(blurMm, spanMm / Math.sqrt(12));

/** Columns of the derivatives: face, thickness, air, contrast, blur. */
export const columns = 5;

/**
 * Sums of the products of a wall's derivatives (full 5 × 5), and of the derivatives with the residuals; returns the sum
 * of squared residuals.
 */
export function sumDerivatives(
  profile: WallProfile,
  { faceMm, thicknessMm, air }: Slab,
  { contrast, blurMm }: WallLook,
  products: Float64Array,
  rests: Float64Array,
): number {
  const { places, greys, longestMm } = profile;
  const s = combineBlur(profile, blurMm);
  products.fill(0);
  rests.fill(0);
  const outer = new Float64Array(3);
  const inner = new Float64Array(3);
  let squares = 0;
  for (let i = 0; i < places.length; i++) {
    writeEdge(faceMm - places[i], s, longestMm, outer);
    writeEdge(faceMm - thicknessMm - places[i], s, longestMm, inner);
    const rest = greys[i] - air - contrast * (outer[0] - inner[0]);
    squares += rest * rest;
    const face = contrast * (outer[1] - inner[1]);
    const thickness = contrast * inner[1];
    const height = outer[0] - inner[0];
    const blur = (contrast * (outer[2] - inner[2]) * blurMm) / s;
    rests[0] += face * rest;
    rests[1] += thickness * rest;
    rests[2] += rest;
    rests[3] += height * rest;
    rests[4] += blur * rest;
    // The upper half, written out row by row: half the time of two nested loops.
    products[0] += face * face;
    products[1] += face * thickness;
    products[2] += face;
    products[3] += face * height;
    products[4] += face * blur;
    products[6] += thickness * thickness;
    products[7] += thickness;
    products[8] += thickness * height;
    products[9] += thickness * blur;
    products[13] += height;
    products[14] += blur;
    products[18] += height * height;
    products[19] += height * blur;
    products[24] += blur * blur;
  }
  products[12] = places.length;
  for (let a = 1; a < columns; a++) {
    for (let b = 0; b < a; b++) products[a * columns + b] = products[b * columns + a];
  }
  return squares;
}
