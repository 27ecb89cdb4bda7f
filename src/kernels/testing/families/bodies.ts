/**
 * Seeded bodies that no method was fitted to. Lengths in mm; a voxel is 1 mm along its shortest edge. Volume or area is
 * NaN when no closed formula is available; the volume is then counted in the rendering.
 */
import type { Vector3 } from '../../grid/volume.ts';
import { seededRandom } from '../../random.ts';
import {
  type Body,
  box,
  hollowCylinder,
  measureLength,
  movedBody,
  type Pore,
  sphere,
  torus,
  turnedBody,
} from '../bodies.ts';

/** Voids of any shape, closed or open to the outside. */
export interface FlawTruth {
  /** the part without its voids */
  outside: Body;
  voids: readonly Body[];
}

export interface Part {
  body: Body;
  /** length of all sharp edges, which the grid rounds */
  edgesMm: number;
  /** a figure of the wall thickness with a known value */
  wall?: { path: 'percentilesMm.p50' | 'minMm' | 'maxMm'; mm: number };
  pores: readonly Pore[];
  /** denser or lighter regions inside, with their height above air as a share of the part's own */
  phases: readonly { body: Body; share: number }[];
  /** it has grooves or channels; whether they count as surface-connected defects depends on the rolling ball */
  isGrooved?: boolean;
  /** voids that are not balls; the phases of such a part are inclusions */
  flaws?: FlawTruth;
}

export const part = (body: Body, rest: Partial<Omit<Part, 'body'>> = {}): Part => ({
  ...{ body, edgesMm: 0, pores: [], phases: [] },
  ...rest,
});

/** A random rotation, uniform over all directions, and a shift off the grid. */
export function placed(body: Body, random: () => number): Body {
  const shift: Vector3 = [random() - 0.5, random() - 0.5, random() - 0.5];
  const turn: Vector3 = [360 * random(), 360 * random(), 360 * random()];
  return movedBody(turnedBody(body, turn), shift);
}

/** @param isAlong parallel to an axis of the grid: partial volumes are then equal over whole faces */
export function plate(thickness: number, seed: number, isAlong: boolean): Part {
  const random = seededRandom(seed);
  const [a, b] = [34 + 6 * random(), 30 + 6 * random()];
  const body = box([a, b, thickness]);
  return part(isAlong ? movedBody(body, [random(), random(), random()]) : placed(body, random), {
    edgesMm: 4 * (a + b + thickness),
    wall: { path: 'percentilesMm.p50', mm: thickness },
  });
}

export function union(name: string, bodies: readonly Body[]): Body {
  const all = (pick: 'min' | 'max', axis: number) => bodies.map(({ boundsMm }) => boundsMm[pick][axis]);
  return {
    name,
    distanceMm: (x, y, z) => {
      let least = Number.POSITIVE_INFINITY;
      for (const body of bodies) least = Math.min(least, body.distanceMm(x, y, z));
      return least;
    },
    boundsMm: {
      min: [0, 1, 2].map((axis) => Math.min(...all('min', axis))) as Vector3,
      max: [0, 1, 2].map((axis) => Math.max(...all('max', axis))) as Vector3,
    },
    volumeMm3: Number.NaN,
    areaMm2: Number.NaN,
  };
}

/** The part of the body inside the other body or, with −1, outside it. */
export const cutBy = (
  { distanceMm, ...body }: Body,
  { distanceMm: distanceToOther }: Body,
  sign: 1 | -1,
): Body => ({
  ...body,
  distanceMm: (x, y, z) => Math.max(distanceMm(x, y, z), sign * distanceToOther(x, y, z)),
  volumeMm3: Number.NaN,
  areaMm2: Number.NaN,
});

export function fins(thickness: number, seed: number): Part {
  const random = seededRandom(seed);
  const [long, high] = [30 + 6 * random(), 14 + 6 * random()];
  const bases = [-12, 0, 12].map((x) => movedBody(box([thickness, long, high]), [x, 0, 5 + high / 2]));
  const base = box([36, long, 10]);
  const body = {
    ...union('fins', [base, ...bases]),
    volumeMm3: 36 * long * 10 + 3 * thickness * long * high,
  };
  return part(placed(body, random), {
    isGrooved: true,
    edgesMm: 4 * (36 + long + 10) + 3 * (4 * long + 6 * high),
  });
}

/** A wall whose sides converge from `thick` to `thin` over its length. */
export function taper(thick: number, thin: number, seed: number): Part {
  const random = seededRandom(seed);
  const [long, wide] = [34 + 4 * random(), 26 + 4 * random()];
  const slope = (thick - thin) / 2 / long;
  const cosine = 1 / Math.hypot(1, slope);
  const body: Body = {
    ...box([long, wide, thick]),
    name: 'taper',
    distanceMm: (x, y, z) =>
      Math.max(
        Math.abs(x) - long / 2,
        Math.abs(y) - wide / 2,
        (Math.abs(z) - thick / 2 + slope * (x + long / 2)) * cosine,
      ),
    volumeMm3: (long * wide * (thick + thin)) / 2,
    areaMm2: wide * (thick + thin) + (2 * wide * long) / cosine + long * (thick + thin),
  };
  return part(placed(body, random), { edgesMm: 4 * (long + wide) + 2 * (thick + thin) });
}

/** Round struts along three axes, cut off by a box. */
export function lattice(radius: number, pitch: number, seed: number): Part {
  const random = seededRandom(seed);
  const fold = (x: number) => x - pitch * Math.round(x / pitch);
  const struts: Body = {
    ...box([2.6 * pitch, 2.6 * pitch, 2.6 * pitch]),
    name: 'lattice',
    distanceMm: (x, y, z) => {
      const [u, v, w] = [fold(x), fold(y), fold(z)];
      return Math.min(measureLength(u, v), measureLength(v, w), measureLength(w, u)) - radius;
    },
  };
  return part(placed(cutBy(struts, box([2.6 * pitch, 2.6 * pitch, 2.6 * pitch]), 1), random), {
    isGrooved: true,
  });
}

/** A sheet along the gyroid, inside a ball; its thickness is exact to first order in its curvature. */
export function gyroid(thickness: number, period: number, seed: number): Part {
  const random = seededRandom(seed);
  const k = (2 * Math.PI) / period;
  const sheet: Body = {
    ...sphere(21),
    name: 'gyroid',
    distanceMm: (x, y, z) => {
      const [sx, cx, sy, cy] = [Math.sin(k * x), Math.cos(k * x), Math.sin(k * y), Math.cos(k * y)];
      const [sz, cz] = [Math.sin(k * z), Math.cos(k * z)];
      const value = sx * cy + sy * cz + sz * cx;
      const slope = measureLength(cx * cy - sz * sx, cy * cz - sx * sy, cz * cx - sy * sz);
      return Math.abs(value) / (k * Math.max(slope, 0.5)) - thickness / 2;
    },
  };
  return part(placed(cutBy(sheet, sphere(21), 1), random), { isGrooved: true });
}

/** A bolt's shank with a triangular thread. */
export function thread(pitch: number, depth: number, seed: number): Part {
  const random = seededRandom(seed);
  const [radius, long] = [13 + 3 * random(), 38];
  const cosine = 1 / Math.hypot(1, (2 * depth) / pitch);
  const body: Body = {
    ...hollowCylinder(radius, 0, long),
    name: 'thread',
    distanceMm: (x, y, z) => {
      const turn = z / pitch - Math.atan2(y, x) / (2 * Math.PI);
      const height = 2 * Math.abs(turn - Math.round(turn));
      return Math.max((measureLength(x, y) - radius + depth * height) * cosine, Math.abs(z) - long / 2);
    },
    volumeMm3: Number.NaN,
    areaMm2: Number.NaN,
  };
  return part(placed(body, random), { isGrooved: true });
}

const roundBodies = (random: () => number): Body[] => [
  sphere(12 + 8 * random()),
  torus(13 + 4 * random(), 6 + 2 * random()),
];

/** Round, edged and bored bodies with walls of at least 6 voxels, with known area and walls. */
export function plainPart(seed: number): Part {
  const random = seededRandom(seed);
  const pick = Math.floor(4 * random());
  if (pick < 2) {
    const body = roundBodies(random)[pick];
    return part(placed(body, random));
  }
  if (pick === 2) {
    const size: Vector3 = [18 + 18 * random(), 18 + 14 * random(), 12 + 14 * random()];
    return part(placed(box(size), random), { edgesMm: 4 * (size[0] + size[1] + size[2]) });
  }
  const [inner, wall] = [6.5 + 5 * random(), 6 + 4 * random()];
  const body = hollowCylinder(inner + wall, inner, 20 + 14 * random());
  return part(placed(body, random), {
    edgesMm: 4 * Math.PI * (2 * inner + wall),
    wall: { path: 'percentilesMm.p50', mm: wall },
  });
}

/** A body to which others are added and from which others are cut; only the rendering knows its volume. */
export function randomPart(seed: number): Part {
  const random = seededRandom(seed);
  const between = (low: number, high: number) => low + (high - low) * random();
  let body: Body =
    random() < 0.5
      ? box([between(26, 36), between(24, 34), between(16, 26)])
      : hollowCylinder(between(13, 18), 0, between(22, 34));
  const steps = 2 + Math.floor(3 * random());
  for (let step = 0; step < steps; step++) {
    const pick = random();
    const tool =
      pick < 0.35
        ? box([between(9, 16), between(9, 16), between(9, 16)])
        : pick < 0.7
          ? hollowCylinder(between(4, 7), 0, 60)
          : sphere(between(6, 11));
    const other = movedBody(placed(tool, random), [between(-14, 14), between(-12, 12), between(-9, 9)]);
    // Added bodies must be connected to the part, and drills go through it.
    const isAdded = pick >= 0.7 || (pick < 0.35 && random() < 0.5);
    body = isAdded ? { ...union('random', [body, other]), boundsMm: body.boundsMm } : cutBy(body, other, -1);
  }
  const reach: Vector3 = [25, 25, 25];
  body = { ...body, name: 'random', boundsMm: { min: reach.map((n) => -n) as Vector3, max: reach } };
  return part(placed(body, random), { isGrooved: true });
}

/** A block with balls of air in it that neither touch nor reach the outside. */
export function porousPart(seed: number, radii: readonly [number, number] = [3, 6], gap = 5): Part {
  const random = seededRandom(seed);
  const radius = 20 + 4 * random();
  const long = 40 + 4 * random();
  const outside = hollowCylinder(radius, 0, long);
  const pores: Pore[] = [];
  for (let tries = 0; tries < 400 && pores.length < 6; tries++) {
    const radiusMm = radii[0] + (radii[1] - radii[0]) * random();
    const centerMm: Vector3 = [
      (2 * random() - 1) * radius,
      (2 * random() - 1) * radius,
      (random() - 0.5) * long,
    ];
    const isInside = outside.distanceMm(...centerMm) < -(radiusMm + gap);
    const isFree = pores.every(
      (pore) => Math.hypot(...centerMm.map((c, k) => c - pore.centerMm[k])) > radiusMm + pore.radiusMm + gap,
    );
    if (isInside && isFree) pores.push({ centerMm, radiusMm });
  }
  let body = outside;
  for (const { centerMm, radiusMm } of pores) body = cutBy(body, movedBody(sphere(radiusMm), centerMm), -1);
  const areaMm2 = pores.reduce((sum, pore) => sum + 4 * Math.PI * pore.radiusMm ** 2, outside.areaMm2);
  const volumeMm3 = pores.reduce(
    (sum, pore) => sum - (4 / 3) * Math.PI * pore.radiusMm ** 3,
    outside.volumeMm3,
  );
  return part({ ...body, volumeMm3, areaMm2 }, { edgesMm: 4 * Math.PI * radius, pores });
}

/** A block of a light material around denser ones. @param shares heights above air, as shares of the densest */
export function compoundPart(lightest: number, others: readonly number[], seed: number): Part {
  const random = seededRandom(seed);
  const size: Vector3 = [34 + 4 * random(), 32 + 4 * random(), 30 + 4 * random()];
  const phases = others.map((share, i) => ({
    body: movedBody(box([10 + 5 * random(), 10 + 5 * random(), 9]), [
      0,
      0,
      others.length > 1 ? 14 * i - 7 : 0,
    ]),
    share: share / lightest,
  }));
  return part(movedBody(box(size), [random(), random(), random()]), {
    edgesMm: 4 * (size[0] + size[1] + size[2]),
    phases,
  });
}
