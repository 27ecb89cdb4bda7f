/**
 * Edges that rise in two steps, as left by a part that moved, a wrong centre of rotation, or a layer of a lighter
 * material.
 */
import { median } from './block-levels.ts';
import type { EdgeShape } from './edge-shape.ts';

/**
 * The dip between two steps is at least this share of the height, and this many standard deviations of the noise in a
 * mean of 16 lines.
 */
const [minDip, dipDeviations] = [0.1, 1.4];
/** A larger fall between the steps is a groove of the part. */
const maxFall = 0.06;
/**
 * The steps must be separated at mid-height, at least this far from both ends; closer to an end it is texture, or lies
 * beside the edge.
 */
const minEndMargin = 0.3;
/** Smallest distance between the steps, in cells. */
const minStepDistance = 2;
/** Smallest number of edges along an axis, and of rising and of falling ones. */
const [minEdges, minEachWay] = [20, 12];
/**
 * A second, smaller step follows the first in both rising and falling edges along an axis, or precedes it in both.
 * Limits for the share of the height that comes late rather than early: for the average of both medians, and for each;
 * and distance in cells from the middle.
 */
const [minLate, minOfEach, lateFrom] = [0.06, 0.04, 2.2];
/**
 * A layer of a lighter material around a denser one makes edges rise in two steps on the side of air, or on the side of
 * the material when the layer has more than half of its grey value. Limits for the share of the height on that side
 * minus the other: for one edge, and, beyond this many errors, for the median of all. In good scans, also cupped ones,
 * the median lies between −0.023 and 0.014, and a tenth of the edges, at corners and curved places, exceed the limit
 * for one.
 */
const lopsided = { one: 0.07, air: 0.017, material: 0.06, errors: 3, fewest: 40 } as const;

/** Distance in cells from the middle of an edge, for that comparison. */
const leanFrom = 2;

/**
 * Two steps of equal height look the same from either side. The correlation of the steps along a line at lags 0, 1 and
 * 2 cells is a Gaussian when blur made the edge: its logarithm drops four times as much at lag 2 as at lag 1, whatever
 * its width or tilt; in good scans with wide enough edges 4 times or more. For two steps two voxels apart it is 2.9 to
 * 3.2 times. Edges are too narrow when the product at lag 2 is below `minWide` of that at lag 0, and too few below
 * `fewest`; each of four groups must agree.
 */
const twin = { most: 3.6, minWide: 0.4, fewest: 80, groups: 4 } as const;

/**
 * Means along the lines through an edge: of squared steps between cells, of products with the next step, and with the
 * second next.
 */
export type RiseProducts = [own: number, next: number, second: number];

/** Layers of wood and laminates vary by 0.023 of the contrast and more, cores under a coating by 0.004. */
const maxTexture = 0.015;

/** Edges along one axis. */
export interface DoubleEdges {
  all: number;
  double: number;
  /** for rising and for falling ones, the share of the height that comes late minus that which comes early */
  late: [rising: number[], falling: number[]];
  /** the share of the height on the side of air minus that on the side of the material */
  lean: number[];
}
export const noDoubles = (): DoubleEdges[] =>
  [0, 1, 2].map(() => ({ all: 0, double: 0, late: [[], []], lean: [] }));

/**
 * Adds the mean profile of one edge.
 * @param profile across the edge, from 0 to 1
 * @param noise of a voxel, as a share of the height
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

/** @returns the share of the height more than `from` cells before the middle, and the share more than that behind it */
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

/**
 * Positive when there is more on the side of air. Overshoot, such as brighter material beside air from cupping, is not
 * a step.
 */
const compareSides = (air: number, material: number): number =>
  air > material ? air - Math.max(0, material) : Math.max(0, air) - material;

function isDouble(profile: Float64Array, cells: number, noise: number): boolean {
  const least = Math.max(minDip, dipDeviations * noise);
  let deepest = 0;
  for (let a = 1; a + minStepDistance < cells; a++) {
    const one = profile[a] - profile[a - 1];
    let between = Number.POSITIVE_INFINITY;
    let height = 0;
    for (let b = a + 1; b < cells; b++) {
      const other = profile[b] - profile[b - 1];
      const isHalf = height > minEndMargin && height < 1 - minEndMargin;
      if (isHalf && b - a >= minStepDistance && between > -maxFall - noise)
        deepest = Math.max(deepest, Math.min(one, other) - between);
      if (other < between) [between, height] = [other, (profile[b] + profile[b - 1]) / 2];
    }
  }
  return deepest > least;
}

/**
 * Share of the edges that rise in two steps.
 * @param isHazy early rise is already reported as haze
 * @param texture variation of the material's grey value; layers of laminates and wood make steps of their own
 * @returns the share along the axis where it is largest, or of all edges that are lopsided; null when every axis has
 * too few
 */
export function findDoubleShare(
  {
    doubles: axes,
    products,
    shape,
  }: { doubles: readonly DoubleEdges[]; products: readonly RiseProducts[]; shape: EdgeShape },
  isHazy: boolean,
  texture: number | null,
): number | null {
  const shares = axes.flatMap((edges) =>
    edges.all < minEdges ? [] : [Math.max(edges.double, countLate(edges)) / edges.all],
  );
  if (shares.length === 0) return null;
  const isSplit = areTwins(products) || (!isHazy && (texture ?? 0) < maxTexture && shape.isStepped());
  return isSplit ? 1 : Math.max(...shares, isHazy ? 0 : findLopsided(axes));
}

/** Whether edges rise in two steps of about the same height. */
export function areTwins(edges: readonly RiseProducts[]): boolean {
  if (edges.length < twin.fewest) return false;
  const groups = Map.groupBy(edges.entries(), ([n]) => n % twin.groups);
  return [...groups.values()].every((group) => {
    const [own, next, second] = [0, 1, 2].map((k) => group.reduce((sum, [, each]) => sum + each[k], 0));
    const isWide = own > next && second > twin.minWide * own;
    return isWide && Math.log(own / second) < twin.most * Math.log(own / next);
  });
}

/** The share of all edges with a second step on the side of air, or on that of the material. */
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
/** Median absolute value of a standard normal variable. */
const ofNormal = 0.6745;

/**
 * Number of edges with a late or an early step. Haze, beam hardening and grooves of the part come early in rising and
 * late in falling edges, so they cancel out.
 */
function countLate({ late }: DoubleEdges): number {
  if (late.some(({ length }) => length < minEachWay)) return 0;
  const [rising, falling] = late.map(median);
  const way = Math.sign(rising + falling);
  const isLate = Math.min(way * rising, way * falling) > minOfEach && way * (rising + falling) > 2 * minLate;
  return isLate ? late.flat().filter((each) => way * each > minLate).length : 0;
}
