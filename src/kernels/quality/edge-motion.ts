/** Whether all edges of a slice move together against those before and after it, as a stage or a part that sways leaves them. */
import { median } from './block-levels.ts';
import type { DetailSlab } from './detail.ts';

/** Slices before and after one that edges are followed to, and how far they may lie off from one to the next, in voxels. */
const [reach, farthest] = [3, 2.5];
/** Rows along x and columns along y that are looked at in a slice, about. */
const mostRows = 48;
/** Edges of a slice at least, and slices. */
const [fewestEdges, fewestSlices] = [24, 16];
/** What a slice moves by as those so far before and after it do is the part's own bend. */
const bendReach = 10;
/** Edges that a first fit leaves so many times its median off don't count in the second. */
const mostOff = 3;
/**
 * Where slices move as a whole most of their edges lie off by so many times as much without that move as with it. Of a gear that lies,
 * with a tooth on one side where a gap is on the other, few edges move to one side while bore and ends stay.
 */
const leastExplained = 1.45;
/** Opposite sides that go their own ways make a slice wider in turns, by half as much as they seem to move it and more. */
const leastOverGrown = 2;
/** A thread, a spring and a screw turn: slices lie off by as much everywhere. Quartiles over the median; of a sine across the slices 0.8. */
const roundTo = 0.3;
/** Weighs directions that hardly any edge is across, as a share of the edges. */
const damping = 0.06;

/** An edge of a slice: its direction towards material, and how far it lies off the middle of where it is three slices before and after, along that. */
interface EdgeBend {
  normal: readonly [number, number];
  off: number;
}

/** What each slice lies off by and is wider by than the middle, and what its edges lie off by without and beside its move: medians. */
interface SliceOff {
  move: [x: number, y: number, grown: number];
  unmoved: number;
  rest: number;
}

export class EdgeMotion {
  private readonly slices: (SliceOff | undefined)[];

  constructor(slices: number) {
    this.slices = new Array(slices).fill(undefined);
  }

  /** Follows edges through a slab. O(voxels of 48 rows and columns of each slice). */
  add(slab: DetailSlab): void {
    const { first, planes } = slab;
    const rows = [0, 1].map((axis) => followRows(slab, axis as 0 | 1));
    for (let z = reach; z + reach < planes; z++) {
      if (this.slices[first + z]) continue;
      const found = fitSlice(rows.flatMap((bends) => bends[z]));
      if (found) this.slices[first + z] = found;
    }
  }

  /**
   * How far slices lie off the middle of those three before and after them, all edges together and some in turns to the other side; 0
   * where edges move each by themselves, or turn as a thread does.
   * @returns the median, in voxels; null where too few slices have edges that run across them
   */
  find(): number | null {
    const found = [...this.slices.entries()].flatMap(([z, slice]) => {
      const near = this.slices
        .slice(Math.max(0, z - bendReach), z + bendReach + 1)
        .flatMap((each) => each ?? []);
      if (!slice || near.length < bendReach) return [];
      const [x, y, grown] = slice.move.map(
        (part, n) => part - near.reduce((sum, { move }) => sum + move[n], 0) / near.length,
      );
      return [{ ...slice, off: Math.hypot(x, y), grown: Math.abs(grown) }];
    });
    if (found.length < fewestSlices) return null;
    const offs = found.map(({ off }) => off).sort((a, b) => a - b);
    const [low, middle, high] = [1, 2, 3].map((quarter) => offs[(quarter * offs.length) >> 2]);
    const of = (pick: (slice: (typeof found)[number]) => number) => median(found.map(pick));
    const isRigid =
      of(({ unmoved }) => unmoved) > leastExplained * of(({ rest }) => rest) &&
      middle > leastOverGrown * of(({ grown }) => grown);
    return isRigid && high - low > roundTo * middle ? middle : 0;
  }
}

/** Of each slice what its edges lie off by that rows along an axis meet, and meet more across than along. */
function followRows({ values, dimensions: [nx, ny], planes, levels }: DetailSlab, axis: 0 | 1): EdgeBend[][] {
  const { level } = levels;
  const [length, rows] = axis === 0 ? [nx, ny] : [ny, nx];
  const [along, across] = axis === 0 ? [1, nx] : [nx, 1];
  const plane = nx * ny;
  const found = Array.from({ length: planes }, (): EdgeBend[] => []);
  const every = Math.max(1, Math.round(rows / mostRows));
  for (let row = 1; row + 1 < rows; row += every) {
    const crossings = Array.from({ length: planes }, (_, z) => {
      const sides: [rising: number[], falling: number[]] = [[], []];
      let at = z * plane + row * across;
      for (let i = 0; i + 1 < length; i++, at += along) {
        const [here, next] = [values[at] - level, values[at + along] - level];
        if (here < 0 !== next < 0) sides[here < 0 ? 0 : 1].push(i + here / (here - next));
      }
      return sides;
    });
    const follow = (side: number, z: number, from: number, step: number): number => {
      let place = from;
      for (let n = 1; n <= reach && !Number.isNaN(place); n++) {
        const near = crossings[z + n * step][side];
        let nearest = Number.NaN;
        for (const other of near)
          if (Math.abs(other - place) < Math.min(farthest, Math.abs(nearest - place) || farthest))
            nearest = other;
        place = nearest;
      }
      return place;
    };
    for (let z = reach; z + reach < planes; z++) {
      for (const side of [0, 1]) {
        for (const place of crossings[z][side]) {
          const bend = place - (follow(side, z, place, -1) + follow(side, z, place, 1)) / 2;
          if (!Number.isFinite(bend)) continue;
          const at = z * plane + row * across + Math.floor(place) * along;
          const rise = values[at + along] - values[at];
          const share = place - Math.floor(place);
          const slope = (cell: number) => (values[cell + across] - values[cell - across]) / 2;
          const slant = (1 - share) * slope(at) + share * slope(at + along);
          const height = Math.hypot(rise, slant);
          const fall =
            (values[at + plane] -
              values[at - plane] +
              values[at + along + plane] -
              values[at + along - plane]) /
            4;
          if (!(Math.abs(rise) >= Math.abs(slant)) || Math.abs(fall) > height) continue;
          const [u, v] = [rise / height, slant / height];
          found[z].push({ normal: axis === 0 ? [u, v] : [v, u], off: bend * u });
        }
      }
    }
  }
  return found;
}

/** The move of all edges, beside what they grow or shrink by alike, that leaves least. */
function fitSlice(edges: readonly EdgeBend[]): SliceOff | null {
  if (edges.length < fewestEdges) return null;
  const leftOf = ([x, y, grown]: readonly number[], { normal, off }: EdgeBend) =>
    Math.abs(off - normal[0] * x - normal[1] * y - grown);
  const rough = solveMove(edges);
  const within = mostOff * median(edges.map((edge) => leftOf(rough, edge)));
  const kept = edges.filter((edge) => leftOf(rough, edge) <= within);
  const fit = solveMove(kept);
  const middle = median(edges.map(({ off }) => off));
  return {
    move: fit,
    unmoved: median(edges.map(({ off }) => Math.abs(off - middle))),
    rest: median(edges.map((edge) => leftOf(fit, edge))),
  };
}

/** Least squares by Cramer's rule: moved along x, along y, and grown. */
function solveMove(edges: readonly EdgeBend[]): [x: number, y: number, grown: number] {
  const least = damping * edges.length;
  let [xx, xy, x1, yy, y1, n, xo, yo, o] = [least, 0, 0, least, 0, least, 0, 0, 0];
  for (const {
    normal: [x, y],
    off,
  } of edges) {
    xx += x * x;
    xy += x * y;
    x1 += x;
    yy += y * y;
    y1 += y;
    n++;
    xo += x * off;
    yo += y * off;
    o += off;
  }
  // By columns.
  const sums = [
    [xx, xy, x1],
    [xy, yy, y1],
    [x1, y1, n],
  ] as const;
  const wanted = [xo, yo, o] as const;
  const solve = (column: number) => determinant(sums.map((each, i) => (i === column ? wanted : each)));
  const all = determinant(sums);
  return [solve(0) / all, solve(1) / all, solve(2) / all];
}

/** Of three columns. */
const determinant = ([[a, b, c], [d, e, f], [g, h, i]]: readonly (readonly number[])[]): number =>
  a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
