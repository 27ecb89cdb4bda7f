import { solveSymmetric } from '../linear/least-squares.ts';
import { columns, type Slab, sumDerivatives, type WallLook, type WallProfile } from './slab-model.ts';

export interface FoundWall {
  profile: WallProfile;
  slab: Slab;
}

/** Prior uncertainty of the air beside a wall, as a share of the contrast. */
const airWithin = 0.004;
/** Largest step of face and thickness per round, as a share of a voxel. */
const maxStep = 0.7;
const own = 3;

/** Prior of contrast and blur: uncertainty of the contrast as a share of itself, and of the blur in mm. */
export interface LookPrior extends WallLook {
  contrastWithin: number;
  blurWithinMm: number;
  air: number;
}

export interface WallsFit extends WallLook {
  /** standard deviation of the contrast, from the residuals */
  contrastDeviation: number;
  /** standard deviation of single grey values about the slabs */
  rest: number;
  walls: FoundWall[];
}

const rounds = 16;
/**
 * Rounds after which outliers, such as rims, are removed: by multiples of the usual residual, and at least by a share
 * of the contrast.
 */
const sieves = new Map([
  [4, 1.7],
  [7, 1.35],
  [10, 1.25],
]);
const lastSieve = Math.max(...sieves.keys());
const minResidual = 0.006;
const settledWithin = 2e-4;
/** Range of thicknesses in voxels for which slabs are fitted. */
const [thinnest, thickest] = [0.5, 7];
const minWalls = 40;

/**
 * Fits slabs to many walls at once, each with its own faces and air, all with one contrast and one blur: this
 * determines the material's grey value when no place of the part is deep enough to show it. Gauss–Newton; the
 * parameters of single walls are eliminated. O(walls).
 * @returns null when fewer than 40 walls are slabs, or they do not determine the contrast
 * @see https://doi.org/10.1016/j.media.2010.01.003
 */
export function fitWalls(found: readonly FoundWall[], prior: LookPrior): WallsFit | null {
  let walls = found.map(({ profile, slab }) => ({ profile, slab: { ...slab } }));
  const look: WallLook = { contrast: prior.contrast, blurMm: prior.blurMm };
  let variance = (0.03 * prior.contrast) ** 2;
  let deviation = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    if (walls.length < minWalls) return null;
    const before = { ...look };
    const { squares, values, schur } = improve(walls, look, prior, variance);
    if (schur === null) return null;
    deviation = schur;
    const isSettled =
      round > lastSieve &&
      Math.abs(look.contrast - before.contrast) < settledWithin * look.contrast &&
      Math.abs(look.blurMm - before.blurMm) < settledWithin * prior.blurWithinMm;
    const sieve = sieves.get(round);
    if (sieve !== undefined) {
      const rests = walls.map(({ profile }, i) => Math.sqrt(squares[i] / profile.places.length));
      const usual = Float64Array.from(rests).sort()[rests.length >> 1];
      const most = Math.max(sieve * usual, minResidual * look.contrast);
      walls = walls.filter(({ profile, slab }, i) => {
        const voxels = slab.thicknessMm / profile.spanMm;
        return rests[i] < most && voxels > thinnest && voxels < thickest;
      });
    }
    const total = squares.reduce((sum, each) => sum + each, 0);
    variance = Math.max((0.002 * look.contrast) ** 2, total / Math.max(1, values - own * walls.length));
    if (isSettled) break;
  }
  if (walls.length < minWalls || !(look.contrast > 0)) return null;
  return { ...look, contrastDeviation: deviation, rest: Math.sqrt(variance), walls };
}

/** One Gauss–Newton round; for each wall the sum of squared residuals before it. */
function improve(walls: FoundWall[], look: WallLook, prior: LookPrior, variance: number) {
  const shared = new Float64Array(4);
  const right = new Float64Array(2);
  const squares: number[] = [];
  let values = 0;
  const solved: number[][][] = [];
  const products = new Float64Array(columns * columns);
  const rests = new Float64Array(columns);
  const airWeight = variance / (airWithin * look.contrast) ** 2;
  for (const { profile, slab } of walls) {
    squares.push(sumDerivatives(profile, slab, look, products, rests));
    values += profile.places.length;
    const answer = eliminate(products, rests, slab, prior.air, airWeight);
    solved.push(answer);
    for (let a = 0; a < 2; a++) {
      for (let b = 0; b < 2; b++) {
        let taken = 0;
        for (let k = 0; k < own; k++) taken += products[k * columns + own + a] * answer[1 + b][k];
        shared[2 * a + b] += products[(own + a) * columns + own + b] - taken;
      }
      let taken = 0;
      for (let k = 0; k < own; k++) taken += products[k * columns + own + a] * answer[0][k];
      right[a] += rests[own + a] - taken;
    }
  }
  const weights = [
    variance / (prior.contrastWithin * prior.contrast) ** 2,
    variance / prior.blurWithinMm ** 2,
  ];
  shared[0] += weights[0];
  shared[3] += weights[1];
  right[0] += weights[0] * (prior.contrast - look.contrast);
  right[1] += weights[1] * (prior.blurMm - look.blurMm);
  const determinant = shared[0] * shared[3] - shared[1] * shared[2];
  if (!(determinant > 0)) return { squares, values, schur: null };
  const schur = Math.sqrt((variance * shared[3]) / determinant);
  const step = [
    (shared[3] * right[0] - shared[1] * right[1]) / determinant,
    (shared[0] * right[1] - shared[2] * right[0]) / determinant,
  ];
  const contrastStep = clamp(step[0], 0.3 * look.contrast);
  const blurStep = clamp(step[1], 0.4 * Math.max(look.blurMm, prior.blurWithinMm / 2));
  look.contrast += contrastStep;
  look.blurMm = Math.max(0.02 * prior.blurWithinMm, look.blurMm + blurStep);
  for (const [i, { profile, slab }] of walls.entries()) {
    moveSlab(slab, solved[i], profile.spanMm, contrastStep, blurStep);
  }
  return { squares, values, schur };
}

const clamp = (value: number, most: number) => Math.min(most, Math.max(-most, value));

/** Solutions for a wall's own three parameters: for the residuals, and for the effects of contrast and blur. */
function eliminate(
  products: Float64Array,
  rests: Float64Array,
  slab: Slab,
  air: number,
  airWeight: number,
): number[][] {
  const rows = Array.from({ length: own }, (_, a) => products.subarray(columns * a, columns * (a + 1)));
  const matrix = rows.map((row) => [...row.subarray(0, own)]);
  // Faces that are not constrained stay in place.
  for (let a = 0; a < own; a++) matrix[a][a] *= 1 + 1e-6;
  const left = [...rests.subarray(0, own)];
  matrix[2][2] += airWeight;
  left[2] += airWeight * (air - slab.air);
  const changes = [own, own + 1].map((column) => rows.map((row) => row[column]));
  return solveSymmetric(matrix, left, ...changes) ?? [left, ...changes].map((side) => side.map(() => 0));
}

function moveSlab(slab: Slab, answer: number[][], spanMm: number, contrastStep = 0, blurStep = 0): number {
  const step = (k: number) => answer[0][k] - answer[1][k] * contrastStep - answer[2][k] * blurStep;
  const face = clamp(step(0), maxStep * spanMm);
  const thickness = clamp(step(1), maxStep * spanMm);
  slab.faceMm += face;
  slab.thicknessMm = Math.max(0.1 * spanMm, slab.thicknessMm + thickness);
  slab.air += step(2);
  return Math.max(Math.abs(face), Math.abs(thickness)) / spanMm;
}

const maxRounds = 8;
const enough = 0.002;

/**
 * Fits one wall with known contrast and blur; changes the slab.
 * @returns standard deviation of single grey values about it
 */
export function fitWall(profile: WallProfile, slab: Slab, look: WallLook, air: number, rest: number): number {
  const products = new Float64Array(columns * columns);
  const rests = new Float64Array(columns);
  const airWeight = (rest / (airWithin * look.contrast)) ** 2;
  let squares = 0;
  for (let round = 0; round < maxRounds; round++) {
    squares = sumDerivatives(profile, slab, look, products, rests);
    if (moveSlab(slab, eliminate(products, rests, slab, air, airWeight), profile.spanMm) < enough) break;
  }
  return Math.sqrt(squares / profile.places.length);
}
