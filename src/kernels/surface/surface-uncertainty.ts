/**
 * Uncertainty of the position of a scan's surface as a whole, from the scan itself: level, blur, noise, curvature.
 * Standard uncertainties (k = 1). The scanner's scale error is not included, since no scan shows it.
 */
import { binWidth, computeTotal, type Histogram } from '../grid/histogram.ts';
import { type EdgeMiddles, middleDepths, normalDensity, normalShare } from './edge-blur.ts';

/** Each in voxels, as a shift of the whole surface along its normal. */
export interface SurfaceUncertainty {
  /** from the grey value of the surface, which is not midway between air and material everywhere */
  level: number;
  /** from the voxel grid, for the mean position of a face */
  grid: number;
  /** of one point, from noise; independent for points further apart than blur and filter */
  noise: number;
  /** variance of the edge spread, the voxel's own length included, in voxels² */
  edgeVariance: number;
  /** standard deviation of the edge spread after the filter, in voxels */
  gridEdge: number;
  /** additional effect of blur on walls of few voxels; 0 when there are none */
  thin: number;
}

export interface SurfaceFacts {
  /** standard deviation of the edge spread, in voxels */
  blurVoxels: number;
  /** standard deviation of the noise over the contrast */
  noiseShare: number;
  /** factor by which the filter has flattened the edges; 1: no filter */
  stretch: number;
  /** uncertainty of the level, mean over the surface, as a share of the contrast */
  levelShare: number;
  /** measured offset of the level, as a share of the contrast */
  levelOffset: number;
  /** estimated inward shift from blur in the radiographs, in voxels */
  inwardVoxels: number;
  /** rings were removed by the reconstruction */
  areRingsRemoved?: boolean;
  /** shift of the mid-level by a curve in the grey values, as the noise of air shows it, as a share of the contrast */
  curveShift?: number;
  /** share of the part in walls of few voxels, and a low percentile of their thickness, in voxels */
  thinShare?: number;
  wallVoxels?: number | null;
}

/**
 * Shift of a face's mean, for any angle and position on the grid; observed on bodies without blur, noise or shading.
 */
const gridShift = 0.005;
/**
 * Uncertainty of a level between two peaks of a finite histogram, as a share of the contrast: in clean scans it was off
 * by up to 0.002.
 */
const minLevelShare = 0.003;
/**
 * Share of white noise that remains after the filter that places vertices, and the edge spread of sharp edges (blur of
 * 0.6 voxels) that it holds for.
 */
const [noiseGain, sharpEdge] = [0.7, 0.67];

/**
 * A known shift is not corrected in the surface, and its estimate is right to about a third: simulated scans of
 * aluminium and steel showed 0.6 to 1.4 of it. As a standard uncertainty it counts with this factor, so that its
 * interval extends to 1.3 of it.
 */
const leftShare = 0.65;
/**
 * Edges shifted inward by blur in the radiographs lie there by 0.5 to 0.8 of the estimate, which is the largest shift
 * that a ray shows; faces along the beam by all of it.
 */
export const inwardShare = 0.55;
/**
 * Shift, in voxels, of faces that run around the axis of rotation: removing rings takes a part of these for a ring. The
 * volumes of simulated upright cylinders and tubes of plastic were off by up to 0.05 voxels times their area at pixel
 * errors of 0.4 and 1.2 %, and by 0.065 at 3 %.
 */
export const ringsShift = 0.03;
/**
 * Standard uncertainty as a share of the shift of the mid-level that the noise of air shows for a curve in the grey
 * values. It is that of a curve bent everywhere as much as at air; gamma curves of 0.5 to 1.7 are bent less towards the
 * material, and moved faces by 0.48 to 0.12 of it.
 */
export const curveShare = 0.3;

/** With a known level, faces of plates, sheets and tubes of 2 to 4 voxels were off by up to 0.03 voxels. */
const thinShift = 0.02;

/**
 * Shift of a face whose wall has thickness T: the half-maximum of the blurred profile lies √(2π) s Φ(−T / s) further
 * inside, because the wall's other edge reduces the contrast by that much.
 */
function findThinShift(wallVoxels: number, edge: number): number {
  // Φ(−x) is below φ(x) / x.
  const ratio = wallVoxels / edge;
  return Math.hypot(thinShift, edge * (Math.exp((-ratio * ratio) / 2) / Math.max(1, ratio)));
}

/** Standard deviation of one point's position from noise, at an edge of this spread; both in voxels. */
export const findPlaceNoise = (noiseShare: number, edge: number): number =>
  noiseGain * noiseShare * Math.sqrt(edge / sharpEdge);
/** Noise over contrast behind the filter that places vertices, from that of one place. */
export const findFilteredNoise = (placeNoise: number, edge: number): number =>
  placeNoise / Math.sqrt(edge / sharpEdge);

/**
 * An edge blurred by a Gaussian of standard deviation s rises by contrast / (s √(2π)) per voxel. A level error, as a
 * share of the contrast, therefore moves it by share · s √(2π), everywhere to the same side; a measured offset moves it
 * further by the factor that the filter has flattened the edge.
 */
export function estimateSurfaceUncertainty({
  blurVoxels,
  noiseShare,
  stretch,
  levelShare,
  levelOffset,
  inwardVoxels,
  areRingsRemoved = false,
  curveShift = 0,
  thinShare = 0,
  wallVoxels = null,
}: SurfaceFacts): SurfaceUncertainty {
  const edgeVariance = blurVoxels ** 2 + 1 / 12;
  const edge = Math.sqrt(edgeVariance);
  const perShare = Math.sqrt(2 * Math.PI) * edge;
  const outward = perShare * stretch * levelOffset;
  return {
    level: Math.hypot(
      perShare * minLevelShare,
      // Two estimates of the same shift.
      Math.max(perShare * levelShare, leftShare * Math.abs(outward)),
      inwardShare * inwardVoxels,
      areRingsRemoved ? ringsShift : 0,
      curveShare * perShare * stretch * curveShift,
    ),
    grid: gridShift,
    noise: findPlaceNoise(noiseShare, edge),
    edgeVariance,
    gridEdge: edge * stretch,
    thin: thinShare * findThinShift(wallVoxels ?? 0, edge * stretch),
  };
}

/** Effective distance from the edge of its levels, in standard deviations of the edge spread. */
const edgeSide = 0.6;
/** A rise towards the face below this many standard errors (from the sections) is taken for noise. */
const maxByChance = 2;
/**
 * Edges with a rise towards them look sharper than they are, by up to a third, so the rise moves them further by this
 * factor.
 */
const hardenedGain = 1.5;

/**
 * Offset between the level midway between the grey values right beside the edges and the surface's level, as a share of
 * the contrast. Beam hardening makes material brighter where the rays through it are shorter, most steeply at a face:
 * with the square root of the depth (the inverse Radon transform of squared chords of a disc). The values at 4 voxels
 * are extrapolated to the edge by that law, by no more than both steps support: remains of the edge itself show at 3
 * voxels, other faces at 5. Overshoot from a sharp reconstruction filter occurs on both sides and cancels out; with
 * local levels that follow the unevenness nothing is left to extrapolate. Each value counts only beyond its own
 * standard error. The rise has extra weight because it makes edges look sharper.
 * @param edgeVoxels standard deviation of the edge spread in the grid
 */
export function findLevelOffset({ medians, ofSections }: EdgeMiddles, edgeVoxels: number): number {
  const roots = middleDepths.map(Math.sqrt);
  const [, middle] = roots;
  const rises = [0, 1].map((at) => {
    const apart = ofSections[at].map((value, n) => value - ofSections[at + 1][n]);
    const rise = takeOffNoise(medians[at] - medians[at + 1], maxByChance * findError(apart));
    return rise / (roots[at + 1] - roots[at]);
  });
  const [first, second] = rises;
  const level = takeOffNoise(medians[1], findError(ofSections[1]));
  const rise = first * second > 0 ? Math.sign(first) * Math.min(Math.abs(first), Math.abs(second)) : 0;
  return level + hardenedGain * rise * (middle - Math.sqrt(edgeSide * edgeVoxels));
}

/**
 * Offset of the level beside thin walls moves a volume by this multiple of what it would move deep edges by: 1.3 to 2.1
 * in cupped hubs with fins or flanges.
 */
const shallowGain = 1.8;

/**
 * The offset where thin walls are included, which are as bright as the rim of a cupped scan, while the level is that of
 * the massive places in its middle.
 * @param offset what deep edges show
 * @param raised share of the mean that noise cut off at the lowest grey value adds
 */
export function includeThinWalls({ shallow }: EdgeMiddles, offset: number, raised: number): number {
  if (!shallow) return offset;
  return offset + shallowGain * takeOffNoise(shallow.mean - raised - offset, maxByChance * shallow.error);
}

/**
 * Standard deviation from place to place of the level midway between air and material beside the edges, beyond white
 * noise, as a share of the contrast. Correlated noise counts as such variation.
 * @param weights of the filter applied to the grid, along each axis
 * @param noiseShare standard deviation of the noise before the filter, as a share of the contrast
 */
export function findUnevenness(
  { spread }: Pick<EdgeMiddles, 'spread'>,
  weights: readonly (readonly number[])[],
  noiseShare: number,
): number {
  // Linear interpolation between two cells leaves (1 − t)² + t² of the variance and 2 t (1 − t) of their covariance: on
  // average ⅔ and ⅓.
  const variance = weights.reduce((product, half) => {
    const full = [...half.slice(1).reverse(), ...half];
    const sumProducts = (apart: number) =>
      full.slice(apart).reduce((sum, weight, i) => sum + weight * (full[i] ?? 0), 0);
    return product * ((2 * sumProducts(0) + sumProducts(1)) / 3);
  }, noiseShare ** 2);
  // The level is the mean of two values.
  return Math.sqrt(Math.max(0, spread ** 2 - variance / 2));
}

/**
 * Increase of the mean of noise about a grey value when everything below the lowest value was clipped to it. A filter
 * shows that mean beside the edges, while peaks and medians stay; at the edges themselves nothing is that dark.
 */
export function findRaised(grey: number, noise: number, lowest: number): number {
  if (!(noise > 0)) return 0;
  const deviations = (grey - lowest) / noise;
  return noise * (normalDensity(deviations) - deviations * (1 - normalShare(deviations)));
}

/** Removes a value's standard error in quadrature. */
const takeOffNoise = (value: number, error: number): number =>
  Math.sign(value) * Math.sqrt(Math.max(0, value ** 2 - error ** 2));

/** Standard error of the mean. */
function findError(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1) / values.length);
}

/** The brightest tenth of normally distributed values above a peak lies beyond 1.645 standard deviations. */
const [highestShare, deviationsOfHighest] = [0.1, 1.645];

/**
 * How far the brightest places of the material lie above its peak, beyond noise, as a share of the contrast. When
 * cupping makes the rim brighter than the inside, the peak is that of the inside, and the level lies below the rim's
 * proper level by half as much. Partial volume never exceeds the peak.
 * @param speckShare share of all values that were single outliers, since replaced, and may be the brightest
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

/** Largest number of triangles sampled for curvature, evenly over the surface. */
const maxSampled = 200_000;

export interface SurfaceMesh {
  positions: Float32Array;
  /** unit normal of each vertex */
  normals: Float32Array;
  indices: Uint32Array;
}

/**
 * Curvature over a surface, in 1/mm (from the divergence of the normals over each triangle; edges have the radius that
 * the scan gives them): mean absolute value and signed mean (positive = convex) of the mean curvature; the share of the
 * area with more than `sharp` (1/mm); and the share that may be an edge. An edge is curved in one direction only:
 * whatever is curved alike in all directions, as a pore, was round before the scan, too. O(1): the number of sampled
 * triangles is limited.
 * @param isCounted selects triangles by their first corner
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
    // With principal curvatures p and q: |p − q| / |p + q|, from (p + q)² / 4 and p q.
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
 * Share of the area whose larger principal curvature exceeds `most` (1/mm): p = |h| + √(h² − k) with mean curvature h
 * and Gaussian curvature k. O(1), as in findCurvature.
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
  3 * Math.max(1, Math.ceil(indices.length / 3 / maxSampled));

/** Absolute mean curvature at each vertex, in 1/mm, averaged over its triangles. O(triangles). */
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
 * Visits triangles with their curvature.
 * @param work receives the first corner; the triangle's mean curvature times twice its area; twice its area; and its
 * Gaussian curvature times twice its area, which is twice the area spanned by the normals
 * @param some first corners of the triangles to visit, instead of every `step`-th
 */
export function eachBend(
  { positions, normals, indices }: SurfaceMesh,
  step: number,
  work: (t: number, bend: number, twice: number, turned: number) => void,
  some: Uint32Array | null = null,
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
    const twice = Math.sqrt(nx * nx + ny * ny + nz * nz);
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
