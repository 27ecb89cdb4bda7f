/** Parts of non-uniform materials: grain, weave, aggregate, sintered balls and open foam. */
import type { Vector3 } from '../../grid/volume.ts';
import { seededRandom } from '../../random.ts';
import { type Body, box, hollowCylinder, measureLength, turnedBody } from '../bodies.ts';
import { cutBy, type Part, part, placed } from './bodies.ts';

/** A structure that extends over the whole scan. */
const endless = (name: string, distanceMm: Body['distanceMm']): Body => ({
  ...{ name, distanceMm, volumeMm3: Number.NaN, areaMm2: Number.NaN },
  boundsMm: { min: [-28, -28, -28], max: [28, 28, 28] },
});
const between = (random: () => number, low: number, high: number) => low + (high - low) * random();
const anyTurn = (random: () => number) => [0, 1, 2].map(() => 360 * random()) as Vector3;

function makeBlock(size: Vector3, texture: Body, share: number, turn: Vector3): Part {
  return part(turnedBody(box(size), turn), {
    edgesMm: 4 * (size[0] + size[1] + size[2]),
    phases: [{ body: turnedBody(texture, turn), share }],
  });
}

/** A block of wood; half of each annual ring is lighter. */
export function grainedBlock(seed: number, isAlong: boolean): Part {
  const random = seededRandom(seed);
  const size: Vector3 = [between(random, 26, 36), between(random, 24, 34), between(random, 22, 32)];
  const [period, away] = [between(random, 4, 9), between(random, 40, 90)];
  const early = endless('early wood', (x, y) => {
    const ring = measureLength(x + away, y) / period;
    return (Math.abs(ring - Math.round(ring)) - 0.25) * period;
  });
  return makeBlock(size, early, between(random, 0.8, 0.95), isAlong ? [0, 0, 0] : anyTurn(random));
}

/** Bundles of fibres woven over and under each other, in layers of a lighter resin. */
export function wovenBlock(seed: number, isAlong: boolean): Part {
  const random = seededRandom(seed);
  const size: Vector3 = [between(random, 34, 42), between(random, 32, 40), between(random, 16, 26)];
  const [pitch, layer] = [between(random, 7, 11), between(random, 4, 6)];
  const [wide, high] = [0.38 * pitch, 0.22 * layer];
  const bundles = endless('weave', (x, y, z) => {
    const [column, row, middle] = [Math.round(x / pitch), Math.round(y / pitch), Math.round(z / layer)];
    const riseX = 0.25 * Math.cos((Math.PI * x) / pitch + Math.PI * row);
    const riseY = 0.25 * Math.cos((Math.PI * y) / pitch + Math.PI * column);
    let least = Number.POSITIVE_INFINITY;
    for (let sheet = middle - 1; sheet <= middle + 1; sheet++) {
      const alongX = measureLength((y - row * pitch) / wide, (z - layer * (sheet + riseX)) / high);
      const alongY = measureLength((x - column * pitch) / wide, (z - layer * (sheet - riseY)) / high);
      least = Math.min(least, (alongX - 1) * high, (alongY - 1) * high);
    }
    return least;
  });
  return makeBlock(size, bundles, between(random, 1.1, 1.4), isAlong ? [0, 0, 0] : anyTurn(random));
}

/** Balls at the points of a randomly disturbed packing. @param radii as shares of the pitch */
function packBalls(
  random: () => number,
  pitch: number,
  stir: number,
  radii: readonly [number, number],
): Body {
  const reach = 1.5 * pitch;
  const cells = new Map<string, { at: Vector3; radius: number }[]>();
  const makeKey = (x: number, y: number, z: number) => [x, y, z].map((n) => Math.floor(n / reach)).join(' ');
  const most = Math.ceil(34 / (0.8 * pitch));
  for (let i = -most; i <= most; i++) {
    for (let j = -most; j <= most; j++) {
      for (let k = -most; k <= most; k++) {
        const shift = ((j + k) & 1) / 2;
        const at = [i + shift, 0.87 * j, 0.82 * k].map(
          (n) => pitch * (n + stir * (random() - 0.5)),
        ) as Vector3;
        const key = makeKey(...at);
        const ball = { at, radius: pitch * between(random, ...radii) };
        cells.set(key, [...(cells.get(key) ?? []), ball]);
      }
    }
  }
  return endless('balls', (x, y, z) => {
    let least = reach;
    for (let n = 0; n < 27; n++) {
      const [a, b, c] = [n % 3, Math.floor(n / 3) % 3, Math.floor(n / 9)].map((step) => (step - 1) * reach);
      for (const { at, radius } of cells.get(makeKey(x + a, y + b, z + c)) ?? [])
        least = Math.min(least, measureLength(x - at[0], y - at[1], z - at[2]) - radius);
    }
    return least;
  });
}

/** Denser grains in a binder, as in concrete and filled resins. */
export function filledCylinder(seed: number): Part {
  const random = seededRandom(seed);
  const [radius, high] = [between(random, 17, 23), between(random, 26, 38)];
  const grains = packBalls(random, between(random, 8, 12), 0.5, [0.2, 0.42]);
  const turn = anyTurn(random);
  return part(turnedBody(hollowCylinder(radius, 0, high), turn), {
    edgesMm: 4 * Math.PI * radius,
    phases: [{ body: grains, share: between(random, 1.08, 1.3) }],
  });
}

/** Balls that have grown together, with open pores between them. */
export function sinteredCylinder(seed: number): Part {
  const random = seededRandom(seed);
  const balls = packBalls(random, between(random, 7, 11), 0.15, [0.5, 0.58]);
  const outside = hollowCylinder(between(random, 18, 23), 0, between(random, 26, 36));
  return part(placed(cutBy(balls, outside, 1), random), { isGrooved: true });
}

/** Struts and webs between bubbles that open into each other. */
export function openFoam(seed: number): Part {
  const random = seededRandom(seed);
  const bubbles = packBalls(random, between(random, 10, 15), 0.15, [0.5, 0.56]);
  const block = box([between(random, 34, 42), between(random, 34, 42), between(random, 30, 40)]);
  return part(placed(cutBy(block, bubbles, -1), random), { isGrooved: true });
}
