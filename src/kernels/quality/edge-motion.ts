/**
 * Detects sway: all edges of a slice shift together relative to the slices before and after, as left by a stage or a
 * part that moves.
 */
import { median } from './block-levels.ts';
import type { DetailSlab } from './detail.ts';

/**
 * Number of slices before and after over which edges are followed, and the largest shift from one to the next, in
 * voxels.
 */
const [reach, farthest] = [3, 2.5];
/** Approximate number of rows along x and columns along y sampled per slice. */
const maxRows = 48;
/** Smallest numbers of edges per slice, and of slices. */
const [minEdges, minSlices] = [24, 16];
/** The mean shift over this many slices before and after is the part's own bend. */
const bendReach = 10;
/** Edges whose residual in the first fit exceeds this multiple of the median are left out of the second. */
const maxResidual = 3;
/**
 * When slices move as a whole, the residual of most edges without that move is this many times the residual with it. In
 * a gear on its side, with a tooth on one side opposite a gap, few edges shift to one side while bore and ends stay.
 */
const minResidualRatio = 1.45;
/** When opposite sides shift independently, the slice also changes in width, by at least half of its apparent shift. */
const minGrowthRatio = 2;
/**
 * In a thread, a spring or a screw every slice is off by the same amount. Smallest distance of the quartiles over the
 * median; 0.8 for a sine across the slices.
 */
const roundTo = 0.3;
/** Damping for directions with hardly any edges across them, as a share of the edges. */
const damping = 0.06;
/** Voxels on either side of an edge in which its width is measured; distance in slices between compared widths. */
const [widthReach, widthApart] = [3, 2];
/** Smallest rise of an edge over these voxels, as a share of the contrast. */
const minRise = 0.7;
/**
 * Where a face of the part leans, blur spreads its edge within a slice further; slices that were moved keep their edge
 * width. From this share of the predicted widening on, the part itself leans: wavy rods and plates, cams and stacks of
 * blocks have 0.5 to 1.3, swaying slices −0.5 to 0.2.
 */
const leanShare = 0.4;

/**
 * An edge of a slice: its direction towards material, and its shift along that direction from the midpoint of its
 * positions three slices before and after.
 */
interface EdgeBend {
  normal: readonly [number, number];
  off: number;
}
interface FollowedEdge extends EdgeBend {
  /** two slices before, here and two after: shift from slice to slice along the normal, and steepness */
  leans: readonly [number, number, number];
  steepness: readonly [number, number, number];
}

/**
 * An edge in a row of a slice, and its steepness: the sum of squared steps, in squares of the contrast; NaN when other
 * edges are too close.
 */
interface Crossing {
  place: number;
  steepness: number;
}

/**
 * Sums over followed edges: steepness, and the correlation between measured and predicted changes of steepness in
 * leaning edges.
 */
interface LeanSums {
  steepness: number;
  count: number;
  seen: number;
  asLeaning: number;
}

/**
 * Shift and widening of a slice relative to the midpoint, and the residuals of its edges without and with that move
 * (medians).
 */
interface SliceOff {
  move: [x: number, y: number, grown: number];
  unmoved: number;
  rest: number;
}

export class EdgeMotion {
  private readonly slices: (SliceOff | undefined)[];
  private readonly lean: LeanSums = { steepness: 0, count: 0, seen: 0, asLeaning: 0 };

  constructor(slices: number) {
    this.slices = new Array(slices).fill(undefined);
  }

  /** Follows edges through a slab. O(voxels of 48 rows and columns of each slice). */
  add(slab: DetailSlab): void {
    const { first, planes } = slab;
    const rows = [0, 1].map((axis) => followRows(slab, axis as 0 | 1));
    const edges = Array.from({ length: planes }, (_, z) => rows.flatMap((bends) => bends[z]));
    addLeans(edges, this.lean);
    for (let z = reach; z + reach < planes; z++) {
      if (this.slices[first + z]) continue;
      const found = fitSlice(edges[z]);
      if (found) this.slices[first + z] = found;
    }
  }

  /**
   * Median shift of slices relative to the midpoint of those three before and after, for all edges together and
   * alternating in direction; 0 when edges move independently, turn like a thread, or are as wide as where the part
   * itself leans.
   * @returns in voxels; null when too few slices have edges across them
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
    if (found.length < minSlices) return null;
    const offs = found.map(({ off }) => off).sort((a, b) => a - b);
    const [low, middle, high] = [1, 2, 3].map((quarter) => offs[(quarter * offs.length) >> 2]);
    const of = (pick: (slice: (typeof found)[number]) => number) => median(found.map(pick));
    const isRigid =
      of(({ unmoved }) => unmoved) > minResidualRatio * of(({ rest }) => rest) &&
      middle > minGrowthRatio * of(({ grown }) => grown);
    return isRigid && high - low > roundTo * middle && !this.isLeaning() ? middle : 0;
  }

  /** Whether edges are wider where they lean, as in a part that is wavy, stepped or turned. */
  private isLeaning(): boolean {
    const { steepness, count, seen, asLeaning } = this.lean;
    return count > 0 && seen * count > leanShare * steepness * asLeaning;
  }
}

/** For each slice the edges crossed by rows along an axis, as far as they run more across the rows than along them. */
function followRows(
  { values, dimensions: [nx, ny], planes, levels }: DetailSlab,
  axis: 0 | 1,
): FollowedEdge[][] {
  const { level } = levels;
  const [length, rows] = axis === 0 ? [nx, ny] : [ny, nx];
  const [along, across] = axis === 0 ? [1, nx] : [nx, 1];
  const plane = nx * ny;
  const found = Array.from({ length: planes }, (): FollowedEdge[] => []);
  const every = Math.max(1, Math.round(rows / maxRows));
  const contrast = levels.materials[0].grey - levels.air;
  const noise = 2 * (2 * widthReach + 1) * levels.noise ** 2;
  const readSteepness = (at: number, i: number) => {
    if (i < widthReach || i + widthReach + 1 >= length) return Number.NaN;
    const rise = values[at + (widthReach + 1) * along] - values[at - widthReach * along];
    if (!(Math.abs(rise) > minRise * contrast)) return Number.NaN;
    let sum = -noise;
    for (let n = -widthReach; n <= widthReach; n++)
      sum += (values[at + (n + 1) * along] - values[at + n * along]) ** 2;
    return sum / contrast ** 2;
  };
  for (let row = 1; row + 1 < rows; row += every) {
    const crossings = Array.from({ length: planes }, (_, z) => {
      const sides: [rising: Crossing[], falling: Crossing[]] = [[], []];
      let at = z * plane + row * across;
      let here = values[at] - level;
      for (let i = 0; i + 1 < length; i++, at += along) {
        const next = values[at + along] - level;
        if (here < 0 !== next < 0)
          sides[here < 0 ? 0 : 1].push({ place: i + here / (here - next), steepness: readSteepness(at, i) });
        here = next;
      }
      return sides;
    });
    const findNearest = (side: number, z: number, place: number): Crossing | undefined => {
      let nearest: Crossing | undefined;
      for (const other of crossings[z][side])
        if (Math.abs(other.place - place) < (nearest ? Math.abs(nearest.place - place) : farthest))
          nearest = other;
      return nearest;
    };
    /** the edge in the slices before and after it, reused for each edge */
    const seven = new Array<Crossing>(2 * reach + 1);
    /** Follows an edge through the slices after or before it; false when it ends there. */
    const follow = (side: number, z: number, from: Crossing, step: number): boolean => {
      let next = from;
      for (let n = 1; n <= reach; n++) {
        const found = findNearest(side, z + n * step, next.place);
        if (!found) return false;
        next = found;
        seven[reach + n * step] = next;
      }
      return true;
    };
    for (let z = reach; z + reach < planes; z++) {
      for (const side of [0, 1]) {
        for (const edge of crossings[z][side]) {
          seven[reach] = edge;
          if (!follow(side, z, edge, -1) || !follow(side, z, edge, 1)) continue;
          const { place } = edge;
          const bend = place - (seven[0].place + seven[2 * reach].place) / 2;
          const at = z * plane + row * across + Math.floor(place) * along;
          const rise = values[at + along] - values[at];
          const share = place - Math.floor(place);
          const slopeHere = (values[at + across] - values[at - across]) / 2;
          const slopeNext = (values[at + along + across] - values[at + along - across]) / 2;
          const slant = (1 - share) * slopeHere + share * slopeNext;
          const height = Math.hypot(rise, slant);
          const fall =
            (values[at + plane] -
              values[at - plane] +
              values[at + along + plane] -
              values[at + along - plane]) /
            4;
          if (!(Math.abs(rise) >= Math.abs(slant)) || Math.abs(fall) > height) continue;
          const u = rise / height;
          const v = slant / height;
          const leanAt = (n: number) => (u * (seven[n + 1].place - seven[n - 1].place)) / 2;
          const [before, after] = [reach - widthApart, reach + widthApart];
          found[z].push({
            normal: axis === 0 ? [u, v] : [v, u],
            off: bend * u,
            leans: [leanAt(before), leanAt(reach), leanAt(after)],
            steepness: [seven[before].steepness, edge.steepness, seven[after].steepness],
          });
        }
      }
    }
  }
  return found;
}

/** Steepness within a slice of a face that leans by this many voxels per slice, relative to an upright one. */
const findLeaningShare = (lean: number) => 1 / Math.hypot(1, lean);
const beyondOthers = ([before, here, after]: readonly number[]) => here - (before + after) / 2;

/**
 * Compares measured steepness with that predicted for leaning faces. Since noise moves single edges, the prediction is
 * weighted by the move of whole slices (an instrumental variable).
 * @param edges by slices
 */
function addLeans(edges: readonly (readonly FollowedEdge[])[], sums: LeanSums): void {
  const moves = edges.map((all) =>
    all.length < minEdges ? null : solveMove(all.map(({ normal, leans }) => ({ normal, off: leans[1] }))),
  );
  for (const [z, all] of edges.entries()) {
    const three = [moves[z - widthApart], moves[z], moves[z + widthApart]].flatMap((move) => move ?? []);
    if (three.length < 9) continue;
    for (const { normal, leans, steepness } of all) {
      const seen = beyondOthers(steepness);
      if (Number.isNaN(seen)) continue;
      const ofSlices = [0, 3, 6].map(
        (at) => normal[0] * three[at] + normal[1] * three[at + 1] + three[at + 2],
      );
      const picked = beyondOthers(ofSlices.map(findLeaningShare));
      sums.count++;
      sums.steepness += steepness[1] / findLeaningShare(leans[1]);
      sums.seen += picked * seen;
      sums.asLeaning += picked * beyondOthers(leans.map(findLeaningShare));
    }
  }
}

/** The common move and growth of all edges with the smallest residual. */
function fitSlice(edges: readonly EdgeBend[]): SliceOff | null {
  if (edges.length < minEdges) return null;
  const findResidual = ([x, y, grown]: readonly number[], { normal, off }: EdgeBend) =>
    Math.abs(off - normal[0] * x - normal[1] * y - grown);
  const rough = solveMove(edges);
  const within = maxResidual * median(edges.map((edge) => findResidual(rough, edge)));
  const kept = edges.filter((edge) => findResidual(rough, edge) <= within);
  const fit = solveMove(kept);
  const middle = median(edges.map(({ off }) => off));
  return {
    move: fit,
    unmoved: median(edges.map(({ off }) => Math.abs(off - middle))),
    rest: median(edges.map((edge) => findResidual(fit, edge))),
  };
}

/** Least squares by Cramer's rule: shift along x, along y, and growth. */
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
  // Columns of the matrix.
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

/** Determinant of three columns. */
const determinant = ([[a, b, c], [d, e, f], [g, h, i]]: readonly (readonly number[])[]): number =>
  a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
