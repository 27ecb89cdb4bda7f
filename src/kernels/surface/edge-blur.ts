/**
 * Blur of a scan, measured on the scan itself: the slope of the grey values across the surface gives the edge spread;
 * the share of the voxel length and of the filter in it is known.
 */
import { computeMedian } from '../select-nth.ts';
import { defineTask } from '../task.ts';
import { type GridLayout, listPlanes, type VerticesOnGrid } from './grid-layout.ts';

/** At least this many profiles are read, and fewer than twice as many, evenly over the vertices. */
const enoughProfiles = 20_000;
/** Below this number or share of clear edges no blur is reported: the part is all thin walls, pores and corners. */
const minProfiles = 200;
const minShare = 0.2;
/** Positions along the normal, in cells: the slope is measured between ± near, the height between ± far. */
const [near, far, beyond] = [1, 3, 4];
/** Half of the thinnest walls that show their grey value, in cells. */
const shallowDepth = 2;
/**
 * With at least this many cells of material on one side and air on the other, the grey values beside an edge are
 * undisturbed.
 */
const deep = 6;
/** Number of sections along the surface; the scatter of their medians gives the standard error. */
const sections = 16;
/**
 * A profile counts when it has reached air and material: between far and beyond the grey value changes by less than
 * this share.
 */
const levelWithin = 0.12;
/** Smaller blur cannot be distinguished from none. */
const minBlurCells = 0.25;
/** Variances in cells² of averaging over a cell, and of linear interpolation between cells (mean over positions). */
const [cellVariance, lineVariance] = [1 / 12, 1 / 6];
/** Table of standard deviations: number of steps and step in cells, from 0. */
const [blurSteps, blurStep] = [80, 0.025];

/**
 * Every n-th vertex is profiled. n is a power of two, so that the vertices read of a part include those needed for the
 * whole.
 */
export const profileStep = (vertices: number): number =>
  2 ** Math.max(0, Math.floor(Math.log2(vertices / enoughProfiles)));

export interface EdgeProfiles {
  /** numbers of the vertices with a clear profile */
  vertices: number[];
  variances: number[];
  /**
   * how far the mean of the grey values on both sides lies above the surface's level, as a share of the edge's height,
   * at each of `middleDepths`
   */
  middles: number[][];
  /** whether the profile reaches deep enough into material and air for `middles` to be undisturbed */
  isDeep: boolean[];
  /**
   * of vertices with a clear profile, or beside a wall or gap of a few cells: the mean of the brightest and the darkest
   * value up to `far` cells away, as in `middles`; noise moves both alike
   */
  shallow: { vertex: number; middle: number }[];
}

/** Medians of `middles` at each of `middleDepths`, for the whole surface and for consecutive sections of it. */
export interface EdgeMiddles {
  medians: readonly number[];
  /** standard deviation from place to place at the middle depth, noise included */
  spread: number;
  ofSections: readonly (readonly number[])[];
  /** mean beside all edges, thin walls included, from less deep, and its standard error; null when too few show it */
  shallow: { mean: number; error: number } | null;
}
/** Distances from the edge, in cells. */
export const middleDepths = [far, beyond, beyond + 1] as const;

/** Selects the profiles to use. They were read before the number of vertices was known, so some have to be left out. */
export function chooseProfiles(
  found: readonly EdgeProfiles[],
  vertices: number,
): { variances: number[]; middles: EdgeMiddles | null } {
  const step = profileStep(vertices);
  // Sections follow one another on the surface, whichever thread finished first.
  const inOrder = found
    .filter((profiles) => profiles.vertices.length > 0)
    .sort((a, b) => a.vertices[0] - b.vertices[0]);
  const choose = <Value>(of: (profiles: EdgeProfiles) => readonly Value[]) =>
    inOrder.flatMap((profiles) => of(profiles).filter((_, i) => profiles.vertices[i] % step === 0));
  const variances = choose((profiles) => profiles.variances);
  if (variances.length < minProfiles) return { variances, middles: null };
  const isDeep = choose((profiles) => profiles.isDeep);
  // On a part that is thin everywhere, shallow profiles are better than none.
  const isCounted = isDeep.filter(Boolean).length < minProfiles ? isDeep.map(() => true) : isDeep;
  const counted = middleDepths.map((_, at) =>
    choose(({ middles }) => middles[at]).filter((_, i) => isCounted[i]),
  );
  const shallow = found
    .flatMap(({ shallow: own }) => own)
    .filter(({ vertex }) => vertex % step === 0)
    .sort((a, b) => a.vertex - b.vertex);
  const [, beyondEdges = []] = counted;
  const middle = computeMedian(beyondEdges);
  const middles = {
    medians: counted.map(computeMedian),
    shallow: shallow.length < minProfiles ? null : findMean(shallow.map(({ middle: own }) => own)),
    spread: computeMedian(beyondEdges.map((value) => Math.abs(value - middle))) / medianOfNormal,
    ofSections: counted.map((values) =>
      Array.from({ length: sections }, (_, n) => {
        const [from, to] = [n, n + 1].map((at) => Math.floor((at * values.length) / sections));
        return computeMedian(values.slice(from, to));
      }),
    ),
  };
  return { variances, middles };
}

/** Neighbouring profiles share the noise of the voxels between them. */
const sharedNoise = 2;

function findMean(values: readonly number[]): { mean: number; error: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, error: (sharedNoise * Math.sqrt(squares / (values.length - 1))) / Math.sqrt(values.length) };
}

/** Median absolute value of a standard normal variable. */
const medianOfNormal = 0.6745;

/** Planes along z that a profile needs on either side of its vertex's plane, that plane included. */
export function profileReach([ex, ey, ez]: readonly number[]): number {
  // Length of a cell along the normal n, in planes along z: nz √(nx² ex² + … ) / ez at most.
  const ratio2 = (Math.max(ex, ey) / ez) ** 2;
  const most = ratio2 > 2 ? ratio2 / (2 * Math.sqrt(ratio2 - 1)) : 1;
  return Math.ceil(deep * most) + 2;
}

/**
 * Blur variances in mm² (of an equivalent Gaussian) at clear edges among the vertices from … to−1, one for each profile
 * read, and the grey values on either side of these edges.
 * @param positions, normals f32 xyz of these vertices, in mm from the first cell
 * @param values the filtered grid's planes in memory, u16 or f32
 * @param slopes of the filter applied to the grid
 */
export function edgeProfiles(
  grid: GridLayout,
  values: Uint16Array | Float32Array,
  positions: Float32Array,
  normals: Float32Array,
  { slopes, step, from, to }: { slopes: Slopes[]; step: number; from: number; to: number },
): EdgeProfiles {
  const [ex, ey, ez] = grid.voxelSizeMm;
  const grey = greyReader(grid, values);
  const found: EdgeProfiles = {
    vertices: [],
    variances: [],
    middles: middleDepths.map(() => []),
    isDeep: [],
    shallow: [],
  };
  for (let vertex = Math.ceil(from / step) * step; vertex < to; vertex += step) {
    const v = vertex - from;
    const [x, y, z] = [positions[3 * v] / ex, positions[3 * v + 1] / ey, positions[3 * v + 2] / ez];
    const [nx, ny, nz] = [normals[3 * v], normals[3 * v + 1], normals[3 * v + 2]];
    const edge2 = (nx * ex) ** 2 + (ny * ey) ** 2 + (nz * ez) ** 2;
    const edge = Math.sqrt(edge2);
    const at = (d: number) =>
      grey(x + (nx * d * edge) / ex, y + (ny * d * edge) / ey, z + (nz * d * edge) / ez);
    const [inside, outside] = [at(-far), at(far)];
    const [inner, outer] = [at(-shallowDepth), at(shallowDepth)];
    const [full, empty] = [Math.max(inner, inside), Math.min(outer, outside)];
    const change = Math.max(Math.abs(inner - inside), Math.abs(outer - outside));
    if (full > empty && change < levelWithin * (full - empty))
      found.shallow.push({ vertex, middle: ((full + empty) / 2 - grid.iso) / (full - empty) });
    const height = inside - outside;
    const [deeper, further] = [at(-beyond), at(beyond)];
    const left = Math.max(Math.abs(deeper - inside), Math.abs(further - outside));
    // Negated so that NaN (outside of the grid) fails, too.
    if (!(height > 0 && left < levelWithin * height)) continue;
    const evenness = ((nx * ex) ** 4 + (ny * ey) ** 4 + (nz * ez) ** 4) / edge2 ** 2;
    found.vertices.push(vertex);
    for (const [i, depth] of middleDepths.entries()) {
      found.middles[i].push(((at(-depth) + at(depth)) / 2 - grid.iso) / height);
    }
    found.isDeep.push(Math.abs(at(-deep) - deeper) < levelWithin * height);
    found.variances.push(findBlurOfSlope(slopes, evenness, (at(-near) - at(near)) / height) ** 2 * edge2);
  }
  return found;
}

/** Median blur variance in mm²; `unseen` when the surface shows too few clear edges. */
export function findBlurVariance(
  variances: readonly number[],
  vertices: number,
  voxelSizeMm: readonly number[],
  unseen = 0,
): number {
  const read = vertices / profileStep(vertices);
  if (variances.length < Math.max(minProfiles, minShare * read)) return unseen;
  const variance = computeMedian(variances);
  return variance > (minBlurCells * Math.min(...voxelSizeMm)) ** 2 ? variance : 0;
}

/** Trilinear grey value; positions in cells from the first cell, NaN outside. */
export function greyReader(
  { stride, cells: [cx, cy, cz], planes: [firstPlane] }: GridLayout,
  values: Uint16Array | Float32Array,
) {
  const plane = stride * (cy + 2);
  return (x: number, y: number, z: number): number => {
    // The grid has a border of one cell on every side.
    const i = Math.floor(x) + 1;
    const j = Math.floor(y) + 1;
    const k = Math.floor(z) + 1;
    if (!(i > 0 && j > 0 && k > 0 && i < cx && j < cy && k < cz)) return Number.NaN;
    const [u, v, w] = [x + 1 - i, y + 1 - j, z + 1 - k];
    // Called several times per vertex, so kept cheap.
    const first = (k - firstPlane) * plane + j * stride + i;
    const along = (at: number) => values[at] + u * (values[at + 1] - values[at]);
    const near = along(first) + v * (along(first + stride) - along(first));
    const far = along(first + plane) + v * (along(first + plane + stride) - along(first + plane));
    return near + w * (far - near);
  };
}

export type Slopes = { evenness: number; slopes: Float64Array };

/**
 * Share of an edge's height that lies between ± near, for each blur, along one axis, and diagonal to two and to three
 * axes: a separable filter acts differently in diagonal directions. Evenness is the sum of the fourth powers of the
 * direction's components. Averaging over a cell and interpolation between cells are treated as Gaussians.
 */
export function tabulateSlopes(weights: readonly number[]): Slopes[] {
  return [1, 2, 3].map((axes) => {
    const points = spreadPoints(weights, axes);
    const slopes = Float64Array.from({ length: blurSteps }, (_, s) => {
      const width = Math.sqrt((s * blurStep) ** 2 + cellVariance + lineVariance);
      const below = (x: number) =>
        points.reduce((sum, [at, weight]) => sum + weight * normalShare((at - x) / width), 0);
      return (below(-near) - below(near)) / (below(-far) - below(far));
    });
    return { evenness: 1 / axes, slopes };
  });
}

/** Positions of a filter's points along the diagonal of this many axes, in cells, with their weights. */
function spreadPoints(weights: readonly number[], axes: number): [at: number, weight: number][] {
  const full = [...weights.slice(1).reverse(), ...weights];
  const offset = weights.length - 1;
  let points: [number, number][] = [[0, 1]];
  for (let axis = 0; axis < axes; axis++) {
    points = points.flatMap(([at, weight]) =>
      full.map((w, i): [number, number] => [at + (i - offset) / Math.sqrt(axes), weight * w]),
    );
  }
  return points;
}

/**
 * Factor by which a filter flattens the middle of an edge with this standard deviation (cells), mean over directions. A
 * curvature-keeping filter leaves it steeper than a Gaussian of the same sigma: at 0.9 cells the factor is 1.15 instead
 * of 1.7.
 */
export function findStretch(weights: readonly number[], edge: number): number {
  const stretches = [1, 2, 3].map((axes) => {
    const points = spreadPoints(weights, axes);
    return 1 / points.reduce((sum, [at, weight]) => sum + weight * Math.exp(-0.5 * (at / edge) ** 2), 0);
  });
  return stretches.reduce((sum, each) => sum + each, 0) / stretches.length;
}

/** Rise per cell of an edge with this blur after the filter, as a share of its height, mean over all directions. */
export function findEdgeSlope(weights: readonly number[], blurCells: number): number {
  const step = Math.min(blurSteps - 1, Math.round(blurCells / blurStep));
  const tables = tabulateSlopes(weights);
  return tables.reduce((sum, { slopes }) => sum + (slopes[step] ?? 0), 0) / (2 * tables.length);
}

/** Density of the standard normal distribution. */
export const normalDensity = (t: number) => Math.exp(-0.5 * t * t) / Math.sqrt(2 * Math.PI);

/** Cumulative standard normal distribution: Abramowitz and Stegun 26.2.17, to 1e−7. */
export function normalShare(t: number): number {
  const k = 1 / (1 + 0.2316419 * Math.abs(t));
  const polynomial =
    k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  const tail = normalDensity(t) * polynomial;
  return t < 0 ? tail : 1 - tail;
}

/** Standard deviation of the blur in cells; slopes fall as the blur grows. */
function findBlurOfSlope(tables: readonly Slopes[], evenness: number, slope: number): number {
  const second = evenness > tables[1].evenness ? 1 : 2;
  const [low, high] = [tables[second], tables[second - 1]];
  const part = Math.max(0, (evenness - low.evenness) / (high.evenness - low.evenness));
  const at = (s: number) => low.slopes[s] + part * (high.slopes[s] - low.slopes[s]);
  let s = 0;
  while (s + 1 < blurSteps && at(s + 1) > slope) s++;
  if (s + 1 === blurSteps) return s * blurStep;
  const within = (at(s) - slope) / (at(s) - at(s + 1));
  return (s + Math.min(Math.max(within, 0), 1)) * blurStep;
}

/** edgeProfiles for a surface in the arena. */
export const readEdgeProfiles = defineTask(
  import.meta.url,
  'readEdgeProfiles',
  ({ memory: { buffer } }, input: VerticesOnGrid & { slopes: Slopes[]; step: number }): EdgeProfiles => {
    const { grid, from, to } = input;
    const floats = (address: number) => new Float32Array(buffer, address + 12 * from, 3 * (to - from));
    return edgeProfiles(
      grid,
      listPlanes(buffer, grid),
      floats(input.positions),
      floats(input.normals),
      input,
    );
  },
);
