/**
 * How far the determined surface of a scan may lie off as a whole, from what the scan itself shows: the level, the blur, the
 * noise, the curvature. Standard uncertainties (k = 1). What no scan shows of itself is not in them: the scanner's scale.
 */
import { binWidth, computeTotal, type Histogram } from '../grid/histogram.ts';
import { type EdgeMiddles, middleDepths, normalDensity, normalShare } from './edge-blur.ts';

/** Each in voxels, as a shift of the whole surface along its normal. */
export interface SurfaceUncertainty {
  /** the grey value that the surface was taken at, which is not midway between air and material everywhere */
  level: number;
  /** what a grid of voxels leaves open of a face as a mean over it */
  grid: number;
  /** of one place, from noise; that of places further apart than the blur and the filter is independent */
  noise: number;
  /** variance of the edges, with the voxels' own length, in voxels² */
  edgeVariance: number;
  /** deviation of the grid's edges, which the filter has made flatter, in voxels */
  gridEdge: number;
  /** what blur makes of walls of few voxels, beside the rest; 0 where there are none */
  thin: number;
}

export interface SurfaceFacts {
  /** standard deviation of the edges, in voxels */
  blurVoxels: number;
  /** standard deviation of the noise over the contrast */
  noiseShare: number;
  /** how many times flatter edges are behind the filter that the grid went through; 1: none */
  stretch: number;
  /** how far the level may be off as a mean over the surface, as a share of the contrast */
  levelShare: number;
  /** how far it is off where that was measured, likewise */
  levelOffset: number;
  /** how far inside blur in the radiographs is estimated to put it, in voxels */
  inwardVoxels: number;
  /** share of the part in walls of few voxels, and the thickness that hardly any of them stays below, in voxels */
  thinShare?: number;
  wallVoxels?: number | null;
}

/** As a mean over a face at any angle and place to the grid; seen on bodies without blur, noise or shading. */
const gridShift = 0.005;
/** What a histogram of finite bins leaves open of the level between its peaks, as a share of the contrast: of clean scans it lay off by up to 0.002. */
const leastLevelShare = 0.003;
/** Of white noise, what is left after the filter that places vertices, at the blur of sharp edges (0.6 voxels). */
const [noiseGain, sharpEdge] = [0.7, 0.67];

/**
 * What is known of a shift in size and sign is left in the surface, and is right to a third: of simulated scans of aluminium and
 * steel 0.6 to 1.4 of it were there. As a standard uncertainty it counts so much of itself, so that its interval reaches to
 * 1.3 of it.
 */
const leftShare = 0.65;
/**
 * Edges that blur in the radiographs moved inward lie there by 0.5 to 0.8 of its estimate, which is the most that a ray shows;
 * faces along the beam by all of it.
 */
const inwardShare = 0.55;

/** Of plates, sheets and tubes of 2 to 4 voxels whose level was known faces lay up to 0.03 voxels off. */
const thinShift = 0.02;

/**
 * A face whose wall ends a thickness T behind it: at half of the contrast the blurred profile lies √(2π) s Φ(−T / s) further inside, as
 * the wall's other edge takes so much of the contrast away.
 */
function findThinShift(wallVoxels: number, edge: number): number {
  // Φ(−x) is below φ(x) / x.
  const ratio = wallVoxels / edge;
  return Math.hypot(thinShift, edge * (Math.exp((-ratio * ratio) / 2) / Math.max(1, ratio)));
}

/** By how many voxels noise moves one place of an edge of this width (voxels): a standard deviation. */
export const noiseOfPlaces = (noiseShare: number, edge: number): number =>
  noiseGain * noiseShare * Math.sqrt(edge / sharpEdge);

/**
 * An edge that a Gaussian of deviation s has blurred rises by contrast / (s √(2π)) a voxel: a level that is off by a share of
 * the contrast moves it by that share · s √(2π), everywhere to the same side; an offset that was measured by as many times
 * more as the filter has made it flatter.
 */
export function estimateSurfaceUncertainty({
  blurVoxels,
  noiseShare,
  stretch,
  levelShare,
  levelOffset,
  inwardVoxels,
  thinShare = 0,
  wallVoxels = null,
}: SurfaceFacts): SurfaceUncertainty {
  const edgeVariance = blurVoxels ** 2 + 1 / 12;
  const edge = Math.sqrt(edgeVariance);
  const perShare = Math.sqrt(2 * Math.PI) * edge;
  const outward = perShare * stretch * levelOffset;
  return {
    level: Math.hypot(
      perShare * leastLevelShare,
      // Two estimates of one shift.
      Math.max(perShare * levelShare, leftShare * Math.abs(outward)),
      inwardShare * inwardVoxels,
    ),
    grid: gridShift,
    noise: noiseOfPlaces(noiseShare, edge),
    edgeVariance,
    gridEdge: edge * stretch,
    thin: thinShare * findThinShift(wallVoxels ?? 0, edge * stretch),
  };
}

/** Where an edge of this deviation (voxels) takes its levels from: so many deviations to either side of it. */
const edgeSide = 0.6;
/** Deviations of a rise towards the face, as its sections show them, below which it is taken for noise. */
const mostByChance = 2;
/** Edges that rise towards the face look sharper than they are, by up to a third: what rises moves them as much further. */
const hardenedGain = 1.5;

/**
 * How far the level midway between the grey values right beside the edges lies above that of the surface, as a share of the
 * contrast. What hardens the beam makes material the brighter, the shorter the rays through it are, which is steepest at a
 * face: by the root of the depth (the inverse Radon transform of squared chords of a disc). The values at 4 voxels are carried
 * on by that law to where the edge is, by no more than both its steps say: what is left of the edge itself shows at 3
 * voxels, and other faces at 5. What overshoots at edges, as a sharp filter of the reconstruction makes it, does so on both
 * sides, and cancels out; local levels that follow what is uneven leave nothing to carry on. Of each only what goes beyond its
 * own standard error counts. The rise counts more, by what it makes edges look sharper.
 * @param edgeVoxels standard deviation of the grid's edges
 */
export function findLevelOffset({ medians, ofSections }: EdgeMiddles, edgeVoxels: number): number {
  const roots = middleDepths.map(Math.sqrt);
  const [, middle] = roots;
  const rises = [0, 1].map((at) => {
    const apart = ofSections[at].map((value, n) => value - ofSections[at + 1][n]);
    const rise = takeOffNoise(medians[at] - medians[at + 1], mostByChance * findError(apart));
    return rise / (roots[at + 1] - roots[at]);
  });
  const [first, second] = rises;
  const level = takeOffNoise(medians[1], findError(ofSections[1]));
  const rise = first * second > 0 ? Math.sign(first) * Math.min(Math.abs(first), Math.abs(second)) : 0;
  return level + hardenedGain * rise * (middle - Math.sqrt(edgeSide * edgeVoxels));
}

/**
 * How much the middle between air and material differs from place to place beside the edges, beyond white noise: a standard deviation,
 * as a share of the contrast. Noise with a grain counts as such differences.
 * @param weights of the filter that the grid went through, along each axis
 * @param noiseShare standard deviation of the noise before it, as a share of the contrast
 */
export function findUnevenness(
  { spread }: Pick<EdgeMiddles, 'spread'>,
  weights: readonly (readonly number[])[],
  noiseShare: number,
): number {
  // Between two cells a straight line leaves (1 − t)² + t² of the variance, and 2 t (1 − t) of their covariance: ⅔ and ⅓ as means.
  const variance = weights.reduce((product, half) => {
    const full = [...half.slice(1).reverse(), ...half];
    const sumProducts = (apart: number) =>
      full.slice(apart).reduce((sum, weight, i) => sum + weight * (full[i] ?? 0), 0);
    return product * ((2 * sumProducts(0) + sumProducts(1)) / 3);
  }, noiseShare ** 2);
  // A middle is the mean of two values.
  return Math.sqrt(Math.max(0, spread ** 2 - variance / 2));
}

/**
 * By how much noise about a grey value is brighter in the mean where all that is darker than the lowest value was raised to it. A
 * filter shows that mean beside the edges, while peaks and medians stay where they were; at the edges nothing is that dark.
 */
export function findRaised(grey: number, noise: number, lowest: number): number {
  if (!(noise > 0)) return 0;
  const deviations = (grey - lowest) / noise;
  return noise * (normalDensity(deviations) - deviations * (1 - normalShare(deviations)));
}

/** What of a value is left beside its standard error, as squares add up. */
const takeOffNoise = (value: number, error: number): number =>
  Math.sign(value) * Math.sqrt(Math.max(0, value ** 2 - error ** 2));

/** Standard error of a mean of these. */
function findError(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1) / values.length);
}

/** Of values above a peak, the tenth that is highest lies beyond 1.645 standard deviations where all of it is noise. */
const [highestShare, deviationsOfHighest] = [0.1, 1.645];

/**
 * By how much the brightest places of the material lie above its peak, beyond what noise explains, as a share of the
 * contrast. Where cupping makes the rim brighter than the inside, the peak is that of the inside, and the level between it
 * and air lies below the one that the rim asks for by half as much. Partial volume does not reach above the peak.
 * @param speckShare of all values: single ones that were replaced since, and may be the brightest
 */
export function findBrightening(
  { min, max, counts }: Histogram,
  { air, material }: { air: number; material: number },
  noise: number,
  speckShare = 0,
): number {
  const width = binWidth({ min, max, counts });
  const first = Math.max(0, Math.floor((material - min) / width));
  const above = counts.slice(first).reduce((sum, count) => sum + count, 0);
  const specks = speckShare > 0 ? speckShare * computeTotal({ min, max, counts }) : 0;
  let left = highestShare * Math.max(0, above - specks) + specks;
  let bin = counts.length - 1;
  for (; bin > first && left >= (counts[bin] ?? 0); bin--) left -= counts[bin] ?? 0;
  const part = left / Math.max(1, counts[bin] ?? 0);
  const highest = min + (bin + 1 - part) * width;
  return Math.max(0, highest - material - deviationsOfHighest * noise) / (material - air);
}

/** Triangles that the curvature is taken from, evenly spread over the surface. */
const mostLooked = 200_000;

export interface SurfaceMesh {
  positions: Float32Array;
  /** unit normal of each vertex */
  normals: Float32Array;
  indices: Uint32Array;
}

/**
 * Mean amount of the mean curvature over a surface, in 1/mm: the divergence of the normals over each triangle, edges with
 * the radius that the scan gives them; its mean with its sign, convex above 0; the share of the area that is bent by more than
 * `sharp` (1/mm); and how much of that may be an edge. An edge is bent across alone: what is bent alike in all directions, as a pore,
 * was round before the scan, too. O(1): of so many triangles at most.
 * @param isCounted a triangle counts by its first corner
 */
export function findCurvature(
  mesh: SurfaceMesh,
  {
    sharp = Number.POSITIVE_INFINITY,
    isCounted,
  }: { sharp?: number; isCounted?: ((vertex: number) => boolean) | undefined } = {},
): { mean: number; signed: number; sharpShare: number; edgeShare: number } {
  let [bent, signed, area2, sharpArea2, edgeArea2] = [0, 0, 0, 0, 0];
  eachBend(mesh, lookStep(mesh), (t, bend, twice, turned) => {
    if (isCounted && !isCounted(mesh.indices[t] ?? 0)) return;
    bent += Math.abs(bend);
    signed += bend;
    area2 += twice;
    if (!(Math.abs(bend) > sharp * twice)) return;
    sharpArea2 += twice;
    // Of principal curvatures p and q: |p − q| / |p + q|, from (p + q)² / 4 and p q.
    edgeArea2 += twice * Math.sqrt(Math.min(1, Math.max(0, 1 - (turned * twice) / bend ** 2)));
  });
  const computeShare = (part: number) => (area2 > 0 ? part / area2 : 0);
  return {
    mean: computeShare(bent),
    signed: computeShare(signed),
    sharpShare: computeShare(sharpArea2),
    edgeShare: computeShare(edgeArea2),
  };
}

/**
 * Share of the area that is bent by more than `most` (1/mm) in the direction in which it is bent the most: the larger principal
 * curvature, p = |h| + √(h² − k) with the mean curvature h and the Gaussian one k. O(1), as before.
 */
export function findBentShare(mesh: SurfaceMesh, most: number): number {
  let [bent2, area2] = [0, 0];
  eachBend(mesh, lookStep(mesh), (_, bend, twice, turned) => {
    area2 += twice;
    const larger = Math.abs(bend) + Math.sqrt(Math.max(0, bend ** 2 - turned * twice));
    if (larger > most * twice) bent2 += twice;
  });
  return area2 > 0 ? bent2 / area2 : 0;
}

export const lookStep = ({ indices }: SurfaceMesh) =>
  3 * Math.max(1, Math.ceil(indices.length / 3 / mostLooked));

/** Amount of the mean curvature at each vertex, in 1/mm, as a mean over the triangles around it. O(triangles). */
export function findVertexCurvatures(mesh: SurfaceMesh): Float32Array {
  const bends = new Float32Array(mesh.positions.length / 3);
  const areas = new Float32Array(bends.length);
  eachBend(mesh, 3, (t, bend, twice) => {
    for (let corner = t; corner < t + 3; corner++) {
      const v = mesh.indices[corner] ?? 0;
      bends[v] = (bends[v] ?? 0) + bend;
      areas[v] = (areas[v] ?? 0) + twice;
    }
  });
  return bends.map((bend, v) => Math.abs(bend) / (areas[v] || Number.POSITIVE_INFINITY));
}

const edge = (values: Float32Array, from: number, to: number) => (values[to] ?? 0) - (values[from] ?? 0);

/**
 * @param work gets the first corner, the mean curvature over the triangle times twice its area, that area, and the Gaussian
 *   curvature times that area: twice the area that the normals span
 * @param some first corners of the triangles, instead of every so many
 */
export function eachBend(
  { positions, normals, indices }: SurfaceMesh,
  step: number,
  work: (t: number, bend: number, twice: number, turned: number) => void,
  some?: readonly number[],
): void {
  const count = some ? some.length : Math.ceil(indices.length / step);
  for (let i = 0; i < count; i++) {
    const t = some?.[i] ?? i * step;
    const a = 3 * (indices[t] ?? 0);
    const b = 3 * (indices[t + 1] ?? 0);
    const c = 3 * (indices[t + 2] ?? 0);
    const ux = edge(positions, a, b);
    const uy = edge(positions, a + 1, b + 1);
    const uz = edge(positions, a + 2, b + 2);
    const vx = edge(positions, a, c);
    const vy = edge(positions, a + 1, c + 1);
    const vz = edge(positions, a + 2, c + 2);
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    const twice = Math.hypot(nx, ny, nz);
    if (!(twice > 0)) continue;
    // The gradient of a vertex's barycentric weight is normal × opposite edge / (2 · area).
    const across = (at: number, ex: number, ey: number, ez: number) =>
      ((normals[at] ?? 0) * (ny * ez - nz * ey) +
        (normals[at + 1] ?? 0) * (nz * ex - nx * ez) +
        (normals[at + 2] ?? 0) * (nx * ey - ny * ex)) /
      twice;
    const ofA = across(
      a,
      edge(positions, b, c),
      edge(positions, b + 1, c + 1),
      edge(positions, b + 2, c + 2),
    );
    const divergence2 = ofA + across(b, -vx, -vy, -vz) + across(c, ux, uy, uz);
    const px = edge(normals, a, b);
    const py = edge(normals, a + 1, b + 1);
    const pz = edge(normals, a + 2, b + 2);
    const qx = edge(normals, a, c);
    const qy = edge(normals, a + 1, c + 1);
    const qz = edge(normals, a + 2, c + 2);
    const spanned = (py * qz - pz * qy) * nx + (pz * qx - px * qz) * ny + (px * qy - py * qx) * nz;
    work(t, divergence2 / 2, twice, spanned / twice);
  }
}
