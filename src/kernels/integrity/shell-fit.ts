/** Volume of one void, in a box of cells: the integral of its grey values against a shell of material around it. */
import type { Vector3 } from '../grid/volume.ts';
import { selectNth } from '../select-nth.ts';

/** Extent of a void's grey values, and prior knowledge of the scan. */
export interface ShellOptions {
  /** distance in cells from a void's own cells to the end of its blurred edge */
  reach: number;
  /** standard deviation of the material's grey values, as a share of the contrast */
  noise: number;
  level: LevelPrior;
}

/** Prior for the levels of shells, used as far as their own cells leave them open. */
export interface LevelPrior {
  /** the material's mean level; standard deviations of its variation from place to place and of its slope per cell */
  mean: number;
  spread: number;
  slope: number;
}

/** A box of cells; values are 0 for air and 1 for material. */
export interface ShellPatch {
  values: Float32Array;
  size: Vector3;
  /** squared distances to the void's own cells and to other air, in cells; `beyond` when further than needed */
  own: Uint8Array;
  other: Uint8Array;
  /**
   * for the void's own cells, squared distances to the nearest other cell; null when it has no middle, see hasMiddle
   */
  inner: Uint8Array | null;
}

export interface ShellIntegral {
  /** volume, in cells */
  volume: number;
  /** standard deviation of the volume from noise and from the shell's level, in cells */
  deviation: number;
  /** number of cells in the integral */
  cells: number;
  /** mean deficit of the void's own cells, as a share of the contrast */
  depth: number;
  /** mean deficit of the cells in its middle, which no edge reaches, as a share of the contrast; and their number */
  middle: { depth: number; cells: number };
  /** centroid of the missing material, in cells of the box */
  center: Vector3;
  /** value and slopes of the material's level in the middle of the box, and their variances */
  level: number[];
  variances: number[];
  /**
   * variance of the mean residuals of the shell's eighths, divided by that of as many independent cells; NaN when too
   * little of the shell is visible
   */
  patchiness: number;
}

/** Gap in cells between a void's reach and the shell, and thickness of the shell. */
const [shellGap, shellWidth] = [0.3, 3.4];
/** Largest extra reach in cells, for voids that are fainter than air. */
const maxExtraReach = 1.5;
/** Margin in cells that the shell needs around a void's box. */
export const shellMargin = (reach: number): number =>
  Math.ceil(reach + shellGap + shellWidth + maxExtraReach);
/**
 * Cells within the first distance of other air are in its blurred edge; there, only cells within the second distance of
 * the void count.
 */
const [edgeOfOthers, nextTo] = [1.8, 1.5];
/**
 * Largest weight of a cell: where almost all cells at a distance are nearer to other air, the rest cannot represent
 * them.
 */
const maxWeight = 4;
/** Shell cells whose residuals exceed this many standard deviations belong to something else. */
const trimmedBeyond = 3.5;
/** Larger shells are subsampled. */
const maxShellCells = 12_000;
/** Lower limit of the material's height above air. */
export const minHeight = 0.1;
/** Weight of the prior noise, in cells. */
const priorCells = 30;
export const beyond = 255;
const farthest = 15;

/**
 * V = Σ (m − g) / m over the cells within reach of the void and not nearer to other air, where m is a linear fit
 * through the grey values of the shell around it, without outliers. When the shell is small, m stays close to the prior
 * level of the material. A void fainter than air is larger than its cells below the half level; then the reach grows by
 * the difference.
 */
export function integrateShell(patch: ShellPatch, options: ShellOptions): ShellIntegral {
  const first = integrateWithin(patch, options, options.reach);
  let isOwn = 0;
  for (let i = 0; i < patch.own.length; i++) if (patch.own[i] === 0) isOwn++;
  const radius = (cells: number) => Math.cbrt((3 * Math.max(0, cells)) / (4 * Math.PI));
  const extra = Math.min(maxExtraReach, radius(first.volume) - radius(isOwn));
  return extra > 0.25 ? integrateWithin(patch, options, options.reach + extra) : first;
}

function integrateWithin(
  { values, size, own, other, inner }: ShellPatch,
  { noise, level, reach: edgeEnd }: ShellOptions,
  reach: number,
): ShellIntegral {
  const [nx, ny, nz] = size;
  const near = reach ** 2;
  const clear = (reach + shellGap) ** 2;
  const shellEnd = (reach + shellGap + shellWidth) ** 2;
  const edge = edgeOfOthers ** 2;
  const next = nextTo ** 2;
  const shell: number[] = [];
  /**
   * by squared distance: number of all cells; and for those that count: number, grey values, positions, their products,
   * and squares
   */
  const rings = new Float64Array(ringNumbers * (Math.floor(near) + 1));
  const middle: Vector3 = [(nx - 1) / 2, (ny - 1) / 2, (nz - 1) / 2];
  for (let z = 0, i = 0; z < nz; z++) {
    for (let y = 0; y < ny; y++) {
      for (let x = 0; x < nx; x++, i++) {
        const mine = own[i];
        if (mine > shellEnd) continue;
        const others = other[i];
        if (mine <= near) {
          const ring = ringNumbers * mine;
          rings[ring]++;
          if (mine > others || (others <= edge && mine > next)) continue;
          const u = x - middle[0];
          const v = y - middle[1];
          const w = z - middle[2];
          const g = values[i];
          rings[ring + 1]++;
          rings[ring + 2] += g;
          rings[ring + 3] += u;
          rings[ring + 4] += v;
          rings[ring + 5] += w;
          rings[ring + 6] += g * u;
          rings[ring + 7] += g * v;
          rings[ring + 8] += g * w;
          rings[ring + 9] += u * u;
          rings[ring + 10] += v * v;
          rings[ring + 11] += w * w;
        } else if (mine > clear && others > clear) shell.push(i);
      }
    }
  }
  const fit = fitLevel(values, shell, size, { noise, level });
  return {
    ...sumRings(rings, fit, middle),
    middle: readMiddle({ values, size, inner }, edgeEnd, fit.line, middle),
  };
}

/** A cell's edge is half a cell from the centre of the next cell that is not the void's own. */
const toEdge = 0.5;
/** Whether a void has cells that its edges do not reach: it needs at least as many as a ball of that radius. */
export const hasMiddle = (cells: number, reach: number): boolean =>
  cells >= (4 / 3) * Math.PI * (reach - toEdge) ** 3;

/** Mean deficit of a void's cells beyond the reach of its blurred edge. */
function readMiddle(
  { values, size: [nx, ny], inner }: Pick<ShellPatch, 'values' | 'size' | 'inner'>,
  reach: number,
  line: readonly number[],
  middle: Vector3,
): ShellIntegral['middle'] {
  if (!inner) return { depth: 0, cells: 0 };
  const clear = (reach - toEdge) ** 2;
  let [cells, lacks] = [0, 0];
  for (let i = 0; i < inner.length; i++) {
    if (inner[i] <= clear) continue;
    const row = Math.floor(i / nx);
    const at = [i - row * nx, row % ny, Math.floor(row / ny)];
    lacks += at.reduce((sum, n, k) => sum + line[k + 1] * (n - middle[k]), line[0]) - values[i];
    cells++;
  }
  return { depth: cells === 0 ? 0 : lacks / (cells * Math.max(minHeight, line[0])), cells };
}

const ringNumbers = 12;

/**
 * Cells nearer to other air are assumed to have the same deficit as the other cells at the same distance from the void.
 */
function sumRings(
  rings: Float64Array,
  { line, inverse, noise, patchiness }: LevelFit,
  middle: Vector3,
): Omit<ShellIntegral, 'middle'> {
  const at = [0, 0, 0, 0];
  const greys = [0, 0, 0, 0];
  const squaredAt = [0, 0, 0];
  let squares = 0;
  for (let ring = 0; ring < rings.length; ring += ringNumbers) {
    const count = rings[ring + 1];
    if (count === 0) continue;
    const weight = Math.min(maxWeight, rings[ring] / count);
    squares += weight * weight * count;
    at[0] += weight * count;
    greys[0] += weight * rings[ring + 2];
    for (let k = 0; k < 3; k++) {
      at[k + 1] += weight * rings[ring + 3 + k];
      greys[k + 1] += weight * rings[ring + 6 + k];
      squaredAt[k] += weight * rings[ring + 9 + k];
    }
  }
  // The deficit of an empty cell is the full height of the material around it.
  const height = Math.max(minHeight, line[0]);
  const volume = at.reduce((sum, each, k) => sum + line[k] * each, -greys[0]) / height;
  const [own, ownGreys, ...ownAt] = rings.subarray(1, 6);
  const depth =
    own > 0
      ? (line[0] * own + ownAt.reduce((sum, at, k) => sum + line[k + 1] * at, 0) - ownGreys) / (own * height)
      : 0;
  let leverage = 0;
  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) leverage += at[i] * at[j] * inverse[4 * i + j];
  // The counted cells lie evenly around the void, so a slope moves the centroid along its own axis only.
  const center = middle.map((n, k) => {
    const missing = line[0] * at[k + 1] + line[k + 1] * squaredAt[k] - greys[k + 1];
    return n + (volume > 0 ? missing / (volume * height) : at[k + 1] / at[0]);
  }) as Vector3;
  const variances = [0, 5, 10, 15].map((k) => noise * noise * inverse[k]);
  return {
    volume,
    deviation: (noise * Math.sqrt(squares + leverage)) / height,
    cells: at[0],
    depth,
    center,
    level: line,
    variances,
    patchiness,
  };
}

interface LevelFit {
  /** value in the middle of the box, and slopes */
  line: number[];
  /** covariance of the fit's parameters divided by the noise variance; 4 × 4 */
  inverse: Float64Array;
  noise: number;
  /** see ShellIntegral */
  patchiness: number;
}

/**
 * An eighth of the shell counts from this many cells on; the smallest number of eighths; and the parameters of the
 * linear fit (degrees of freedom lost).
 */
const [cellsOfEighth, minEighths, ofLine] = [10, 6, 4];

/**
 * @param sums summed residuals of each eighth
 * @param counts number of its cells
 */
function findPatchiness(sums: Float64Array, counts: Float64Array, variance: number): number {
  let [eighths, squares] = [0, 0];
  for (const [i, count] of counts.entries()) {
    if (count < cellsOfEighth) continue;
    eighths++;
    squares += sums[i] ** 2 / count;
  }
  return eighths < minEighths ? Number.NaN : squares / variance / (eighths - ofLine);
}

/** Linear least-squares fit through the shell's values, without outliers. */
function fitLevel(
  values: Float32Array,
  shell: readonly number[],
  [nx, ny, nz]: Vector3,
  { noise, level }: Pick<ShellOptions, 'noise' | 'level'>,
): LevelFit {
  const step = Math.max(1, Math.ceil(shell.length / maxShellCells));
  const count = Math.ceil(shell.length / step);
  const sample = new Float32Array(count);
  /** four numbers per cell: its position relative to the middle of the box, and its value */
  const places = new Float32Array(4 * count);
  for (let k = 0; k < count; k++) {
    const i = shell[k * step];
    const row = Math.floor(i / nx);
    places[4 * k] = i - row * nx - (nx - 1) / 2;
    places[4 * k + 1] = (row % ny) - (ny - 1) / 2;
    places[4 * k + 2] = Math.floor(row / ny) - (nz - 1) / 2;
    places[4 * k + 3] = values[i];
    sample[k] = values[i];
  }
  const known = count >= priorCells;
  let line = [known ? selectNth(sample, count >> 1) : level.mean, 0, 0, 0];
  let sd = Math.max(
    noise,
    known
      ? (selectNth(sample, Math.floor(0.84 * count)) - selectNth(sample, Math.floor(0.16 * count))) / 2
      : 0,
    1e-4,
  );
  const inverse = new Float64Array(16);
  const [sums, counts] = [new Float64Array(8), new Float64Array(8)];
  for (let pass = 0; pass < 3; pass++) {
    const within = trimmedBeyond * sd;
    const ata = new Float64Array(16);
    const atb = [0, 0, 0, 0];
    let [kept, squares] = [0, 0];
    sums.fill(0);
    counts.fill(0);
    const [middle, alongX, alongY, alongZ] = line;
    for (let k = 0; k < places.length; k += 4) {
      const x = places[k];
      const y = places[k + 1];
      const z = places[k + 2];
      const rest = places[k + 3] - middle - alongX * x - alongY * y - alongZ * z;
      if (!(Math.abs(rest) <= within)) continue;
      kept++;
      squares += rest * rest;
      const eighth = (x > 0 ? 1 : 0) + (y > 0 ? 2 : 0) + (z > 0 ? 4 : 0);
      sums[eighth] += rest;
      counts[eighth]++;
      ata[0]++;
      ata[1] += x;
      ata[2] += y;
      ata[3] += z;
      ata[5] += x * x;
      ata[6] += x * y;
      ata[7] += x * z;
      ata[10] += y * y;
      ata[11] += y * z;
      ata[15] += z * z;
      atb[0] += rest;
      atb[1] += rest * x;
      atb[2] += rest * y;
      atb[3] += rest * z;
    }
    if (pass > 0) sd = Math.sqrt((squares + priorCells * noise * noise) / (kept + priorCells));
    // Scales the sums as if every cell of the shell had been used.
    for (let k = 0; k < 16; k++) ata[k] *= step;
    const variance = Math.max(sd * sd, 1e-8);
    ata[0] += variance / level.spread ** 2;
    for (const k of [5, 10, 15]) ata[k] += variance / level.slope ** 2;
    invertSymmetric(ata, inverse);
    const pull = [(variance / level.spread ** 2) * (level.mean - line[0]), 0, 0, 0];
    for (let k = 1; k < 4; k++) pull[k] = -(variance / level.slope ** 2) * line[k];
    line = line.map((value, i) => {
      let more = 0;
      for (let j = 0; j < 4; j++) more += inverse[4 * i + j] * (step * atb[j] + pull[j]);
      return value + more;
    });
  }
  const patchiness = findPatchiness(sums, counts, Math.max(sd * sd, 1e-8));
  return { line, inverse, noise: Math.max(sd, 1e-4), patchiness };
}

/** Inverse of a symmetric positive definite 4 × 4 matrix, given its upper half. */
function invertSymmetric(upper: Float64Array, target: Float64Array): void {
  const lower = new Float64Array(16);
  for (let i = 0; i < 4; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = upper[4 * j + i];
      for (let k = 0; k < j; k++) sum -= lower[4 * i + k] * lower[4 * j + k];
      lower[4 * i + j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / lower[5 * j];
    }
  }
  for (let column = 0; column < 4; column++) {
    const y = [0, 0, 0, 0];
    for (let i = 0; i < 4; i++) {
      let sum = i === column ? 1 : 0;
      for (let k = 0; k < i; k++) sum -= lower[4 * i + k] * y[k];
      y[i] = sum / lower[5 * i];
    }
    for (let i = 3; i >= 0; i--) {
      let sum = y[i];
      for (let k = i + 1; k < 4; k++) sum -= lower[4 * k + i] * target[4 * k + column];
      target[4 * i + column] = sum / lower[5 * i];
    }
  }
}

/** Squared distances of a box's cells to the cells where `squared` is 0, in place; 15 cells or more are `beyond`. */
export function spreadDistances(squared: Uint8Array, [nx, ny, nz]: Vector3, most: number): void {
  const span = Math.min(farthest, Math.ceil(most));
  // Padding at both ends takes writes beyond the line and is never read.
  const line = new Uint8Array(Math.max(nx, ny, nz) + 2 * span);
  const along = (length: number, stride: number, starts: (k: number) => number, lines: number) => {
    for (let l = 0; l < lines; l++) {
      const start = starts(l);
      let all = beyond;
      for (let k = 0, i = start; k < length; k++, i += stride) {
        const value = squared[i];
        line[span + k] = value;
        all &= value;
      }
      if (all === beyond) continue;
      for (let k = 0, i = start; k < length; k++, i += stride) {
        const value = squared[i];
        // A neighbour that is at least as close covers everything on its side.
        if (k > 0 && squared[i - stride] > value) {
          for (
            let far = 1, there = value + 1;
            far <= span && there < beyond;
            far++, there = value + far * far
          )
            if (there < line[span + k - far]) line[span + k - far] = there;
        }
        if (k + 1 < length && squared[i + stride] > value) {
          for (
            let far = 1, there = value + 1;
            far <= span && there < beyond;
            far++, there = value + far * far
          )
            if (there < line[span + k + far]) line[span + k + far] = there;
        }
      }
      for (let k = 0, i = start; k < length; k++, i += stride) squared[i] = line[span + k];
    }
  };
  along(nx, 1, (l) => l * nx, ny * nz);
  along(ny, nx, (l) => Math.floor(l / nx) * nx * ny + (l % nx), nx * nz);
  along(nz, nx * ny, (l) => l, nx * ny);
}
