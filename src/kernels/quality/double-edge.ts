/** Edges that rise in two steps, as a part that moved or a centre of rotation that is off leaves them. */
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

/** Of the edges along one axis. */
export interface DoubleEdges {
  all: number;
  double: number;
  /** of those that rise, and those that fall, the share of the height that comes later than earlier */
  late: [rising: number[], falling: number[]];
}
export const noDoubles = (): DoubleEdges[] => [0, 1, 2].map(() => ({ all: 0, double: 0, late: [[], []] }));

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
  edges.late[isRising ? 0 : 1].push(measureLate(profile, cells));
}

/** What rises more than 2.2 cells behind the middle, less what does as far before it. */
function measureLate(profile: Float64Array, cells: number): number {
  let next = 1;
  while (next + 1 < cells && profile[next] < 0.5) next++;
  const middle = next - (profile[next] - 0.5) / (profile[next] - profile[next - 1]);
  const read = (place: number) => {
    const at = Math.min(Math.max(place, 0), cells - 1.001);
    const share = at - Math.floor(at);
    return (1 - share) * profile[Math.floor(at)] + share * profile[Math.floor(at) + 1];
  };
  return 1 - read(middle + lateFrom) - read(middle - lateFrom);
}

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

/** @returns the share of the edges along the axis where it is largest; null where each has too few */
export function findDoubleShare(axes: readonly DoubleEdges[]): number | null {
  const shares = axes.flatMap((edges) =>
    edges.all < fewestEdges ? [] : [Math.max(edges.double, countLate(edges)) / edges.all],
  );
  return shares.length === 0 ? null : Math.max(...shares);
}

/** Haze, hardening and grooves of the part come before edges that rise, and after those that fall: they cancel out. */
function countLate({ late }: DoubleEdges): number {
  if (late.some(({ length }) => length < fewestEachWay)) return 0;
  const [rising, falling] = late.map(median);
  const way = Math.sign(rising + falling);
  const isLate =
    Math.min(way * rising, way * falling) > leastOfEach && way * (rising + falling) > 2 * leastLate;
  return isLate ? late.flat().filter((each) => way * each > leastLate).length : 0;
}
