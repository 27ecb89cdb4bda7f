/** The volume of one void as the integral of grey values against a shell of material around it, in a box of cells. */
import type { Vector3 } from '../grid/volume.ts';
import { selectNth } from '../select-nth.ts';

/** How far a void's grey values reach, and what is known of the scan before any shell is looked at. */
export interface ShellOptions {
  /** cells from a void's own cells to where its blurred edge has ended */
  reach: number;
  /** standard deviation of the material's grey values; 1 is the height of material above air */
  noise: number;
  level: LevelPrior;
}

/** What shells are expected to say, as far as their own cells leave it open. */
export interface LevelPrior {
  /** the material's level, how much it differs from place to place, and its slope a cell, as standard deviations */
  mean: number;
  spread: number;
  slope: number;
}

/** A box of cells; values are 0 for air and 1 for material. */
export interface ShellPatch {
  values: Float32Array;
  size: Vector3;
  /** squared distances to the void's own cells and to other air, in cells; `beyond` where they are farther than counts */
  own: Uint8Array;
  other: Uint8Array;
  /** of the void's own cells, squared distances to what is none of them; null where it has no middle, see hasMiddle */
  inner: Uint8Array | null;
}

export interface ShellIntegral {
  /** volume, in cells */
  volume: number;
  /** standard deviation of the volume from noise and from the shell's level alone, in cells */
  deviation: number;
  /** cells that the integral goes over */
  cells: number;
  /** what the void's own cells lack on average, as a share of the height of the material around them */
  depth: number;
  /** what the cells in its middle lack, where no edge reaches, likewise, and how many these are */
  middle: { depth: number; cells: number };
  /** centre of what is missing, in cells of the box */
  center: Vector3;
  /** value and slopes of the material's level in the middle of the box, and their variances */
  level: number[];
  variances: number[];
  /**
   * variance of what is left of the means of the shell's eighths, over that of as many independent cells; NaN where too little of the
   * shell is seen
   */
  patchiness: number;
}

/** Cells between a void's reach and the shell, and of the shell itself. */
const [shellGap, shellWidth] = [0.3, 3.4];
/** How much farther than half-level cells a void that is fainter than air may turn out to reach. */
const mostExtra = 1.5;
/** Cells of the box around a void that its shell needs. */
export const shellMargin = (reach: number): number => Math.ceil(reach + shellGap + shellWidth + mostExtra);
/** Beside other air the edge of that is near; only what is next to the void counts there. */
const [edgeOfOthers, nextTo] = [1.8, 1.5];
/** Where nearly all at a distance is nearer to other air, the rest doesn't stand for it. */
const mostWeight = 4;
/** Shell cells that differ from the fit by so many deviations are something else. */
const trimmedBeyond = 3.5;
/** Of larger shells, not every cell is asked. */
const mostOfShell = 12_000;
/** Material is at least so high above air. */
export const leastHeight = 0.1;
/** The noise that is known beforehand counts as so many cells. */
const priorCells = 30;
export const beyond = 255;
const farthest = 15;

/**
 * V = Σ (m − g) / m over the cells within reach of the void and not nearer to other air, where m is a straight line through the
 * grey values of the shell around it, without outliers. Where the shell is small, m stays near the level of material.
 * A void fainter than air is larger than its cells below the half level: then reach grows by the difference.
 */
export function integrateShell(patch: ShellPatch, options: ShellOptions): ShellIntegral {
  const first = integrateWithin(patch, options, options.reach);
  let isOwn = 0;
  for (let i = 0; i < patch.own.length; i++) if (patch.own[i] === 0) isOwn++;
  const radius = (cells: number) => Math.cbrt((3 * Math.max(0, cells)) / (4 * Math.PI));
  const extra = Math.min(mostExtra, radius(first.volume) - radius(isOwn));
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
  /** by squared distance: all cells, and of those that count their number, grey values, places, both, and squares */
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

/** From the next cell that isn't the void's own, its edge is half a cell away. */
const toEdge = 0.5;
/** Voids of fewer cells than a ball of this reach have none that their edges don't reach. */
export const hasMiddle = (cells: number, reach: number): boolean =>
  cells >= (4 / 3) * Math.PI * (reach - toEdge) ** 3;

/** What a void's cells lack where its blurred edge has all but ended. */
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
  return { depth: cells === 0 ? 0 : lacks / (cells * Math.max(leastHeight, line[0])), cells };
}

const ringNumbers = 12;

/** What lies nearer to other air is taken to lack as much as the other cells at the same distance from the void. */
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
    const weight = Math.min(mostWeight, rings[ring] / count);
    squares += weight * weight * count;
    at[0] += weight * count;
    greys[0] += weight * rings[ring + 2];
    for (let k = 0; k < 3; k++) {
      at[k + 1] += weight * rings[ring + 3 + k];
      greys[k + 1] += weight * rings[ring + 6 + k];
      squaredAt[k] += weight * rings[ring + 9 + k];
    }
  }
  // A full cell lacks all of the height of the material around it.
  const height = Math.max(leastHeight, line[0]);
  const volume = at.reduce((sum, each, k) => sum + line[k] * each, -greys[0]) / height;
  const [own, ownGreys, ...ownAt] = rings.subarray(1, 6);
  const depth =
    own > 0
      ? (line[0] * own + ownAt.reduce((sum, at, k) => sum + line[k + 1] * at, 0) - ownGreys) / (own * height)
      : 0;
  let leverage = 0;
  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) leverage += at[i] * at[j] * inverse[4 * i + j];
  // The cells that count lie evenly around the void: a slope moves the centre along its own axis only.
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
  /** of the fit's parameters the covariance over the noise's variance; 4 × 4 */
  inverse: Float64Array;
  noise: number;
  /** as of ShellIntegral */
  patchiness: number;
}

/** Of each eighth of the shell, this many cells count at least; of so many eighths, four numbers are those of the line. */
const [cellsOfEighth, fewestEighths, ofLine] = [10, 6, 4];

/** @param sums of what is left of the values in each eighth, and `counts` of its cells */
function findPatchiness(sums: Float64Array, counts: Float64Array, variance: number): number {
  let [eighths, squares] = [0, 0];
  for (const [i, count] of counts.entries()) {
    if (count < cellsOfEighth) continue;
    eighths++;
    squares += sums[i] ** 2 / count;
  }
  return eighths < fewestEighths ? Number.NaN : squares / variance / (eighths - ofLine);
}

/** A straight line through the shell's values, least squares after what differs too much has been left out. */
function fitLevel(
  values: Float32Array,
  shell: readonly number[],
  [nx, ny, nz]: Vector3,
  { noise, level }: Pick<ShellOptions, 'noise' | 'level'>,
): LevelFit {
  const step = Math.max(1, Math.ceil(shell.length / mostOfShell));
  const count = Math.ceil(shell.length / step);
  const sample = new Float32Array(count);
  /** four a cell: its place from the middle of the box, and its value */
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
    // As if every cell of the shell had been asked.
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

/** Inverse of a symmetric positive definite 4 × 4, of which the upper half is given. */
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

/** Squared distances of a box's cells to those where `squared` is 0, in place; what is 15 cells away or more is `beyond`. */
export function spreadDistances(squared: Uint8Array, [nx, ny, nz]: Vector3, most: number): void {
  const span = Math.min(farthest, Math.ceil(most));
  // Beyond either end there is room that nobody reads.
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
        // A neighbour that is as near says more of all that lies on its side.
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
