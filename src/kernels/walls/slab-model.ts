/**
 * A wall as the scan shows it: a slab of one grey value between two parallel faces, blurred by a Gauss function and by the
 * voxels' own length. Its thickness comes from the profile itself, however few voxels lie across it.
 */

/** Grey values along the normal of a wall. */
export interface WallProfile {
  /** mm along the normal, outward from where the wall was found */
  places: Float64Array;
  greys: Float64Array;
  /** mm that a voxel spans along the normal: as the root of its variance times 12, and the longest side of that */
  spanMm: number;
  longestMm: number;
}

/** Faces at d and d − t along the normal, mm, and the grey value of the air beside them. */
export interface Slab {
  faceMm: number;
  thicknessMm: number;
  air: number;
}

/** What holds for many walls together. */
export interface WallLook {
  /** grey values, how far material lies above air */
  contrast: number;
  /** standard deviation, mm, without the voxels' own length */
  blurMm: number;
}

/** The normal distribution and its density, by straight lines between values that are 1/128 apart: right to 2e−6. */
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

/** Of what is u inside of a face: its share of the contrast, and what that changes by with u and with the blur s. */
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

/** Blur below this share of a voxel's span can't be told from none. */
const leastBlur = 0.1;

/** Standard deviation of what is left of the blur and the voxel beside the voxel's longest side. */
export const blurBeside = ({ spanMm, longestMm }: WallProfile, blurMm: number): number =>
  Math.sqrt(Math.max(blurMm, leastBlur * spanMm) ** 2 + Math.max(0, spanMm ** 2 - longestMm ** 2) / 12);

/**
 * How thick a wall is, in mm, from which on a contrast that is off moves its thickness no further: by that share of the wall's
 * thickness or of this, whichever is less. Where blur lowers a wall's middle only contrast times thickness is known; of a thicker one
 * the plateau stays, and each face moves by what a level moves an edge by. By least squares over a profile, to a seventh.
 */
export const findContrastReach = (blurMm: number, spanMm: number): number =>
  2 * Math.sqrt(Math.PI) * Math.hypot(blurMm, spanMm / Math.sqrt(12));

/** Columns of the derivatives: face, thickness, air, contrast, blur. */
export const columns = 5;

/** Sums of products of a wall's derivatives (upper half, row by row, 5 × 5 full) and with what is left over; returns its squares' sum. */
export function sumDerivatives(
  profile: WallProfile,
  { faceMm, thicknessMm, air }: Slab,
  { contrast, blurMm }: WallLook,
  products: Float64Array,
  rests: Float64Array,
): number {
  const { places, greys, longestMm } = profile;
  const s = blurBeside(profile, blurMm);
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
    // Row by row of the upper half: written out, it takes half of the time of two loops.
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
