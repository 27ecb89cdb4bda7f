/** Edges that rise in two steps, as a part that moved, a centre of rotation that is off, or a layer of a lighter material leaves them. */
import { median } from './block-levels.ts';

/** What lies between two steps falls behind both by this share of the height, and by so many deviations of the noise in a mean of 16 lines. */
const [leastDip, dipDeviations] = [0.1, 1.4];
/** A part's own groove falls between its edges by more. */
const mostFall = 0.06;
/** Half of the time aside leaves half of the height between the steps: what is nearer to an end is a texture, or beside the edge. */
const leastHalf = 0.3;
/** Cells from one step to the other at least. */
const leastApart = 2;
/** Edges along an axis at least, and of them those that rise, and that fall. */
const [fewestEdges, fewestEachWay] = [20, 12];
/**
 * A second step of less than half of the height comes after the first along an axis, of edges that rise and of those that fall, or before
 * both of them. Shares of the height that come so much later than earlier, in the mean of the medians of both and in either, and cells from
 * the middle on.
 */
const [leastLate, leastOfEach, lateFrom] = [0.06, 0.04, 2.2];
/**
 * A layer of a lighter material around a denser one makes edges rise in two steps on the side of air: so much more of the height comes there
 * than on the other side of an edge, or than on all edges, beyond errors; on the side of the material where it has more than half of the grey
 * value. Of good scans, also cupped ones, the middle is 0.014 at the most and −0.023 at the least, and a tenth of the edges, at corners and where they
 * are bent, have more than one.
 */
const lopsided = { one: 0.07, air: 0.017, material: 0.06, errors: 3, fewest: 40 } as const;

/** Cells from the middle of an edge, for that. */
const leanFrom = 2;

/**
 * Two steps of the same height look alike from either side. What cells along a line through an edge rise by, times what those one and two cells
 * on do, falls as a Gauss function where blur has made the edge: by four times as many powers of e over two cells as over one, however
 * wide it is, or tilted; of good scans whose edges are wide enough, 4 times and more. Of two steps, two voxels apart, it is 2.9 to 3.2 times. An
 * edge is too narrow to tell where the second product is less than that share of the first, and so are fewer edges; each quarter of them
 * has to say the same.
 */
const twin = { most: 3.6, leastWide: 0.4, fewest: 80, groups: 4 } as const;

/** Means along the lines through an edge: of squares of what cells rise by, of products with the next one, and with the second. */
export type RiseProducts = [own: number, next: number, second: number];

/** Of the edges along one axis. */
export interface DoubleEdges {
  all: number;
  double: number;
  /** of those that rise, and those that fall, the share of the height that comes later than earlier */
  late: [rising: number[], falling: number[]];
  /** by how much more of it comes on the side of air than on that of the material */
  lean: number[];
}
export const noDoubles = (): DoubleEdges[] =>
  [0, 1, 2].map(() => ({ all: 0, double: 0, late: [[], []], lean: [] }));

/**
 * @param profile across an edge, from 0 to 1; noise: of a voxel, as a share of the height
 */
export function addDouble(
  profile: Float64Array,
  cells: number,
  noise: number,
  isRising: boolean,
  edges: DoubleEdges,
): void {
  edges.all++;
  if (isDouble(profile, cells, noise)) edges.double++;
  const { before, behind } = measureSides(profile, cells, lateFrom);
  edges.late[isRising ? 0 : 1].push(behind - before);
  const near = measureSides(profile, cells, leanFrom);
  const [air, material] = isRising ? [near.before, near.behind] : [near.behind, near.before];
  edges.lean.push(compareSides(air, material));
}

/** @returns what has risen more than so many cells before the middle, and what rises as far behind it */
function measureSides(
  profile: Float64Array,
  cells: number,
  from: number,
): { before: number; behind: number } {
  let next = 1;
  while (next + 1 < cells && profile[next] < 0.5) next++;
  const middle = next - (profile[next] - 0.5) / (profile[next] - profile[next - 1]);
  const read = (place: number) => {
    const at = Math.min(Math.max(place, 0), cells - 1.001);
    const share = at - Math.floor(at);
    return (1 - share) * profile[Math.floor(at)] + share * profile[Math.floor(at) + 1];
  };
  return { before: read(middle - from), behind: 1 - read(middle + from) };
}

/** More on the side of air is above 0. What lies beyond the end, as cupping leaves material brighter beside air, is no step. */
const compareSides = (air: number, material: number): number =>
  air > material ? air - Math.max(0, material) : Math.max(0, air) - material;

function isDouble(profile: Float64Array, cells: number, noise: number): boolean {
  const least = Math.max(leastDip, dipDeviations * noise);
  let deepest = 0;
  for (let a = 1; a + leastApart < cells; a++) {
    const one = profile[a] - profile[a - 1];
    let between = Number.POSITIVE_INFINITY;
    let height = 0;
    for (let b = a + 1; b < cells; b++) {
      const other = profile[b] - profile[b - 1];
      const isHalf = height > leastHalf && height < 1 - leastHalf;
      if (isHalf && b - a >= leastApart && between > -mostFall - noise)
        deepest = Math.max(deepest, Math.min(one, other) - between);
      if (other < between) [between, height] = [other, (profile[b] + profile[b - 1]) / 2];
    }
  }
  return deepest > least;
}

/**
 * @param isHazy what comes early is told as haze
 * @returns the share of the edges along the axis where it is largest, or of all that are lopsided; null where each axis has too few
 */
export function findDoubleShare(
  axes: readonly DoubleEdges[],
  products: readonly RiseProducts[],
  isHazy: boolean,
): number | null {
  const shares = axes.flatMap((edges) =>
    edges.all < fewestEdges ? [] : [Math.max(edges.double, countLate(edges)) / edges.all],
  );
  if (shares.length === 0) return null;
  return areTwins(products) ? 1 : Math.max(...shares, isHazy ? 0 : findLopsided(axes));
}

/** Whether edges rise in two steps of about the same height. */
export function areTwins(edges: readonly RiseProducts[]): boolean {
  if (edges.length < twin.fewest) return false;
  const groups = Map.groupBy(edges.entries(), ([n]) => n % twin.groups);
  return [...groups.values()].every((group) => {
    const [own, next, second] = [0, 1, 2].map((k) => group.reduce((sum, [, each]) => sum + each[k], 0));
    const isWide = own > next && second > twin.leastWide * own;
    return isWide && Math.log(own / second) < twin.most * Math.log(own / next);
  });
}

/** The share of all edges that rise in two steps on the side of air, or on that of the material. */
function findLopsided(axes: readonly DoubleEdges[]): number {
  const leans = axes.flatMap(({ lean }) => lean);
  if (leans.length < lopsided.fewest) return 0;
  const middle = median(leans);
  const spread = median(leans.map((each) => Math.abs(each - middle))) / ofNormal;
  const error = (lopsided.errors * spread) / Math.sqrt(leans.length);
  const shareFrom = (way: 1 | -1, all: number) => {
    const least = way * middle > all + error ? all : lopsided.one;
    return leans.filter((each) => way * each > least).length / leans.length;
  };
  return Math.max(shareFrom(1, lopsided.air), shareFrom(-1, lopsided.material));
}
/** Median of the amount of a normal value, over its deviation. */
const ofNormal = 0.6745;

/** Haze, hardening and grooves of the part come before edges that rise, and after those that fall: they cancel out. */
function countLate({ late }: DoubleEdges): number {
  if (late.some(({ length }) => length < fewestEachWay)) return 0;
  const [rising, falling] = late.map(median);
  const way = Math.sign(rising + falling);
  const isLate =
    Math.min(way * rising, way * falling) > leastOfEach && way * (rising + falling) > 2 * leastLate;
  return isLate ? late.flat().filter((each) => way * each > leastLate).length : 0;
}
