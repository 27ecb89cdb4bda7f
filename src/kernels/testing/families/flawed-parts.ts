/** Seeded parts with the voids that casting, printing and fatigue leave; each void is a separate body. */
import type { Vector3 } from '../../grid/volume.ts';
import { seededRandom } from '../../random.ts';
import { type Body, box, hollowCylinder, measureLength, movedBody, sphere, turnedBody } from '../bodies.ts';
import type { FlawTruth, Part } from './bodies.ts';

export interface FlawedPart extends Part {
  flaws: FlawTruth;
  /** each one connected, and separated by more than the blur */
  voids: readonly Body[];
}

export type VoidShape =
  | 'inclusion'
  | 'splinter'
  | 'light'
  | 'fissure'
  | 'rift'
  | 'bore'
  | 'slot'
  | 'pit'
  | 'ball'
  | 'pair'
  | 'cluster'
  | 'crack'
  | 'sheet'
  | 'sponge';

export interface Flaws {
  shapes: readonly VoidShape[];
  count: number;
  /** radii of balls, in mm; other shapes scale with them */
  radii: readonly [number, number];
  /** least material between voids, and to the outside */
  gap: number;
}

function unite(bodies: readonly Body[]): Body {
  const [first] = bodies;
  const reach = (pick: 'min' | 'max') =>
    [0, 1, 2].map((k) => Math[pick](...bodies.map(({ boundsMm }) => boundsMm[pick][k]))) as Vector3;
  return {
    ...first,
    distanceMm: (x, y, z) => {
      let least = Infinity;
      for (const body of bodies) least = Math.min(least, body.distanceMm(x, y, z));
      return least;
    },
    boundsMm: { min: reach('min'), max: reach('max') },
    volumeMm3: Number.NaN,
    areaMm2: Number.NaN,
  };
}

/** A flattened ball; the distance is exact to first order near its surface. */
function ellipsoid([a, b, c]: Vector3): Body {
  return {
    name: 'ellipsoid',
    distanceMm: (x, y, z) => {
      const k0 = measureLength(x / a, y / b, z / c);
      const k1 = measureLength(x / a ** 2, y / b ** 2, z / c ** 2);
      return k1 < 1e-9 ? -Math.min(a, b, c) : (k0 * (k0 - 1)) / k1;
    },
    boundsMm: { min: [-a, -b, -c], max: [a, b, c] },
    volumeMm3: (4 / 3) * Math.PI * a * b * c,
    areaMm2: Number.NaN,
  };
}

const anyWay = (random: () => number): Vector3 => {
  const z = 2 * random() - 1;
  const turn = 2 * Math.PI * random();
  const flat = Math.sqrt(1 - z * z);
  return [flat * Math.cos(turn), flat * Math.sin(turn), z];
};
const times = (v: Vector3, by: number) => v.map((n) => n * by) as Vector3;

const anyTurn = (random: () => number): Vector3 => [360 * random(), 360 * random(), 360 * random()];

/** @returns voids around the origin, and their extent */
const makeVoid: Record<VoidShape, (r: number, random: () => number) => { bodies: Body[]; reach: number }> = {
  inclusion: (r) => ({ bodies: [sphere(r)], reach: r }),
  light: (r) => ({ bodies: [sphere(r)], reach: r }),
  splinter: (r, random) => {
    const long = ellipsoid([(1.5 + 2 * random()) * r, (0.7 + random()) * r, Math.max(1, 0.7 * r)]);
    return { bodies: [turnedBody(long, anyTurn(random))], reach: 3.5 * r };
  },
  // A crack that reaches the outside, and one through much of the part.
  fissure: (r, random) => makeVoid.crack(r, random),
  rift: (_, random) => {
    const disc = hollowCylinder(8 + 7 * random(), 0, 0.8 + 1.5 * random());
    return { bodies: [turnedBody(disc, anyTurn(random))], reach: 16 };
  },
  bore: (r, random) => {
    const long = (4 + 3 * random()) * r;
    return { bodies: [turnedBody(hollowCylinder(0.8 * r, 0, long), anyTurn(random))], reach: long / 2 };
  },
  slot: (r, random) => {
    const cut = box([6 * r, 1.5 + 1.5 * random(), (2 + 2 * random()) * r]);
    return { bodies: [turnedBody(cut, [0, 0, 360 * random()])], reach: 3 * r };
  },
  pit: (r) => ({ bodies: [sphere(r)], reach: r }),
  ball: (r) => ({ bodies: [sphere(r)], reach: r }),
  // Pairs range from overlapping to just touching.
  pair: (r, random) => {
    const other = r * (0.6 + 0.4 * random());
    const way = times(anyWay(random), (r + other) * (0.8 + 0.2 * random()));
    return { bodies: [unite([sphere(r), movedBody(sphere(other), way)])], reach: r + 2 * other };
  },
  cluster: (r, random) => {
    const small = Math.max(1.3, 0.6 * r);
    const apart = 2 * small + 2.6;
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].filter(() => random() < 0.7);
    return {
      bodies: corners.map((c) =>
        movedBody(sphere(small * (0.8 + 0.2 * random())), [
          apart * ((c & 1) - 0.5),
          apart * (((c >> 1) & 1) - 0.5),
          apart * ((c >> 2) - 0.5),
        ]),
      ),
      reach: 0.87 * apart + small,
    };
  },
  crack: (r, random) => {
    const reach = (1.5 + random()) * r;
    const disc = hollowCylinder(reach, 0, 1.2 + random());
    return { bodies: [turnedBody(disc, anyTurn(random))], reach: reach + 1 };
  },
  sheet: (r, random) => {
    const flat = ellipsoid([2 * r, (1 + random()) * r, Math.max(1, 0.45 * r)]);
    return { bodies: [turnedBody(flat, anyTurn(random))], reach: 2 * r };
  },
  sponge: (r, random) => {
    const balls: Body[] = [sphere(0.8 * r)];
    let at: Vector3 = [0, 0, 0];
    for (let n = 0; n < 9; n++) {
      const way = anyWay(random);
      at = at.map((c, k) => 0.8 * (c + 0.9 * r * way[k])) as Vector3;
      balls.push(movedBody(sphere(r * (0.4 + 0.4 * random())), at));
    }
    return { bodies: [unite(balls)], reach: 3.2 * r };
  },
};

/** Depth of the middle of an open void, as a share of its extent; a pit’s mouth is narrower than its widest place. */
const depths: Partial<Record<VoidShape, [least: number, most: number]>> = {
  pit: [0.5, 0.8],
  slot: [-0.2, 0.3],
  fissure: [-0.2, 0.6],
  rift: [0.1, Number.POSITIVE_INFINITY],
  bore: [0, 0.7],
};

/** Outer shapes within 24 mm of the middle. */
function makeOutside(random: () => number): { body: Body; edgesMm: number } {
  const turn: Vector3 = [30 * random(), 30 * random(), 90 * random()];
  if (random() < 0.5) {
    const [radius, high] = [17 + 4 * random(), 34 + 6 * random()];
    return { body: turnedBody(hollowCylinder(radius, 0, high), turn), edgesMm: 4 * Math.PI * radius };
  }
  const size: Vector3 = [28 + 6 * random(), 26 + 6 * random(), 24 + 6 * random()];
  return { body: turnedBody(box(size), turn), edgesMm: 4 * (size[0] + size[1] + size[2]) };
}

export function flawedPart(seed: number, { shapes, count, radii, gap }: Flaws): FlawedPart {
  const random = seededRandom(seed);
  const { body: outside, edgesMm } = makeOutside(random);
  const voids: Body[] = [];
  const phases: { body: Body; share: number }[] = [];
  const taken: { at: Vector3; reach: number }[] = [];
  for (let tries = 0; tries < 80 * count && taken.length < count; tries++) {
    const shape = shapes[Math.floor(shapes.length * random())];
    const { bodies, reach } = makeVoid[shape](radii[0] + (radii[1] - radii[0]) * random(), random);
    const at = [0, 1, 2].map(() => 42 * (random() - 0.5)) as Vector3;
    const depth = -outside.distanceMm(...at);
    const [least, most] = depths[shape] ?? [1, Infinity];
    if (depth < least * reach + (most > 1 ? gap : 0) || depth > most * reach) continue;
    const isFree = taken.every(
      (other) => Math.hypot(...at.map((c, k) => c - other.at[k])) > reach + other.reach + gap,
    );
    if (!isFree) continue;
    taken.push({ at, reach });
    const placed = bodies.map((each) => movedBody(each, at));
    if (shape === 'inclusion' || shape === 'splinter' || shape === 'light') {
      const share = shape === 'light' ? 0.45 * random() : 1.2 * 2 ** random();
      phases.push(...placed.map((each) => ({ body: each, share })));
    } else voids.push(...placed);
  }
  return { body: without(outside, voids), edgesMm, pores: [], phases, voids, flaws: { outside, voids } };
}

/** A body with voids; only the rendering knows its volume. */
export const without = (outside: Body, voids: readonly Body[]): Body => ({
  ...outside,
  distanceMm: (x, y, z) => {
    let distance = outside.distanceMm(x, y, z);
    for (const each of voids) distance = Math.max(distance, -each.distanceMm(x, y, z));
    return distance;
  },
  volumeMm3: Number.NaN,
  areaMm2: Number.NaN,
});

/** A block that extends beyond a scan of 56 mm on all sides, with pores in it. */
export function filledBlock(seed: number): Part {
  const outside = box([150, 150, 150]);
  const voids = scatterBalls(seed, 14, [2, 4], (at, radius) => at.every((n) => Math.abs(n) < 25 - radius));
  return { body: without(outside, voids), edgesMm: 0, pores: [], phases: [], flaws: { outside, voids } };
}

/** Places separate balls while there is room for them. */
function scatterBalls(
  seed: number,
  count: number,
  [low, high]: readonly [number, number],
  hasRoom: (at: Vector3, radius: number) => boolean,
): Body[] {
  const random = seededRandom(seed + 500);
  const balls: { at: Vector3; radius: number }[] = [];
  for (let tries = 0; tries < 100 * count && balls.length < count; tries++) {
    const radius = low + (high - low) * random();
    const at = [0, 1, 2].map(() => 50 * (random() - 0.5)) as Vector3;
    const isFree = balls.every(
      (other) => Math.hypot(...at.map((c, k) => c - other.at[k])) > radius + other.radius + 3,
    );
    if (hasRoom(at, radius) && isFree) balls.push({ at, radius });
  }
  return balls.map(({ at, radius }) => movedBody(sphere(radius), at));
}

/**
 * Pores of radius 2.5 to 4 in the lightest material of a multi-material part, away from the other materials and the
 * outside.
 */
export function porousCompound(compound: Part, seed: number): Part {
  const { body: outside, phases } = compound;
  const hasRoom = (at: Vector3, radius: number) =>
    outside.distanceMm(...at) < -(radius + 3) &&
    phases.every(({ body }) => body.distanceMm(...at) > radius + 3);
  const voids = scatterBalls(seed, 5, [2.5, 4], hasRoom);
  return { ...compound, body: without(outside, voids), flaws: { outside, voids } };
}
