/** More bodies that no method was fitted to: turned, milled, bent and packed parts. Lengths in voxels. */
import type { Vector3 } from '../../grid/volume.ts';
import { seededRandom } from '../../random.ts';
import { type Body, box, hollowCylinder, measureLength, movedBody, sphere, torus } from '../bodies.ts';
import { cutBy, type Part, part, placed, union } from './bodies.ts';

const extruded = (
  name: string,
  radius: number,
  height: number,
  outline: (x: number, y: number) => number,
) => ({
  ...hollowCylinder(radius, 0, height),
  name,
  distanceMm: (x: number, y: number, z: number) => Math.max(outline(x, y), Math.abs(z) - height / 2),
  volumeMm3: Number.NaN,
  areaMm2: Number.NaN,
});

/** Straight teeth with radial flanks, and a bore. */
export function gear(teeth: number, depth: number, seed: number): Part {
  const random = seededRandom(seed);
  const [radius, height, bore] = [20 + 3 * random(), 12 + 8 * random(), 5 + 2 * random()];
  const step = (2 * Math.PI) / teeth;
  const body = extruded('gear', radius, height, (x, y) => {
    const r = measureLength(x, y);
    const angle = Math.atan2(y, x);
    const off = Math.abs(angle - step * Math.round(angle / step));
    const gap = (off - step / 4) * r;
    return Math.max(Math.min(r - radius + depth, Math.max(r - radius, gap)), bore - r);
  });
  return part(placed(body, random), { isGrooved: true });
}

/** Hexagonal channels of this pitch between walls, in a round frame. */
export function honeycomb(wall: number, pitch: number, seed: number): Part {
  const random = seededRandom(seed);
  const [radius, height] = [21, 20 + 8 * random()];
  const turns = [0, 60, 120].map((degrees) => (degrees * Math.PI) / 180);
  // Position relative to the hexagon's centre: the nearer of the two rows of centres.
  const fold = (x: number, y: number, sx: number, sy: number): [number, number] => {
    const [px, py] = [x - sx, y - sy];
    return [
      px - pitch * Math.round(px / pitch),
      py - pitch * Math.sqrt(3) * Math.round(py / (pitch * Math.sqrt(3))),
    ];
  };
  const channel = (x: number, y: number) => {
    const both = [fold(x, y, 0, 0), fold(x, y, pitch / 2, (pitch * Math.sqrt(3)) / 2)];
    const [u, v] = Math.hypot(...both[0]) < Math.hypot(...both[1]) ? both[0] : both[1];
    const reach = Math.max(...turns.map((turn) => Math.abs(u * Math.cos(turn) + v * Math.sin(turn))));
    return reach - (pitch - wall) / 2;
  };
  const body = extruded('honeycomb', radius, height, (x, y) => {
    const r = measureLength(x, y);
    const inside = Math.max(-channel(x, y), r - radius);
    const frame = Math.max(r - radius, radius - 3 - r);
    return Math.min(inside, frame);
  });
  return part(placed(body, random), { isGrooved: true });
}

/** Closed on all sides; its hollow is not a pore. */
export function hollowBox(wall: number, seed: number, isAlong: boolean): Part {
  const random = seededRandom(seed);
  const size: Vector3 = [30 + 6 * random(), 28 + 6 * random(), 24 + 6 * random()];
  const inner = size.map((n) => n - 2 * wall) as Vector3;
  const [outside, inside] = [box(size), box(inner)];
  const body: Body = {
    ...cutBy(outside, inside, -1),
    volumeMm3: outside.volumeMm3 - inside.volumeMm3,
    areaMm2: outside.areaMm2 + inside.areaMm2,
  };
  const edges = [...size, ...inner].reduce((sum, n) => sum + 4 * n, 0);
  return part(isAlong ? movedBody(body, [random(), random(), random()]) : placed(body, random), {
    isGrooved: true,
    edgesMm: edges,
    // Along its edges a ball larger than the wall fits in; with thick walls that is half of the surface.
    ...(wall < 4 ? { wall: { path: 'percentilesMm.p50', mm: wall } } : {}),
  });
}

/** Open at both ends. */
export function pipe(wall: number, seed: number): Part {
  const random = seededRandom(seed);
  const [inner, height] = [9 + 6 * random(), 26 + 8 * random()];
  return part(placed(hollowCylinder(inner + wall, inner, height), random), {
    isGrooved: true,
    edgesMm: 4 * Math.PI * (2 * inner + wall),
    wall: { path: 'percentilesMm.p50', mm: wall },
  });
}

/** A ball beside a block, as in scans of two parts. @param gap between them, voxels */
export function pairOfParts(gap: number, seed: number): Part {
  const random = seededRandom(seed);
  const size: Vector3 = [16 + 4 * random(), 24 + 6 * random(), 20 + 6 * random()];
  const radius = 9 + 2 * random();
  const [block, ball] = [
    movedBody(box(size), [-14, 0, 0]),
    movedBody(sphere(radius), [-14 + size[0] / 2 + gap + radius, 3 * random(), 3 * random()]),
  ];
  const body = {
    ...union('two parts', [block, ball]),
    volumeMm3: block.volumeMm3 + ball.volumeMm3,
    areaMm2: block.areaMm2 + ball.areaMm2,
  };
  return part(placed(body, random), { isGrooved: gap < 6, edgesMm: 4 * (size[0] + size[1] + size[2]) });
}

/**
 * A block beside a ball of another material, 3 voxels apart. @param share height above air of the ball, as a share of
 * the block's
 */
export function pairOfMaterials(share: number, seed: number): Part {
  const random = seededRandom(seed);
  const size: Vector3 = [18 + 4 * random(), 18 + 6 * random(), 22 + 6 * random()];
  const radius = 7.5 + random();
  const [block, ball] = [
    movedBody(box(size), [-12, 0, 0]),
    movedBody(sphere(radius), [-9 + size[0] / 2 + radius, 3 * random(), 3 * random()]),
  ];
  const body = {
    ...union('two materials', [block, ball]),
    volumeMm3: block.volumeMm3 + ball.volumeMm3,
    areaMm2: block.areaMm2 + ball.areaMm2,
  };
  const turn = random();
  const turned = (each: Body) => placed(each, seededRandom(1000 * turn));
  return part(turned(body), {
    isGrooved: true,
    edgesMm: 4 * (size[0] + size[1] + size[2]),
    phases: [{ body: turned({ ...ball, distanceMm: (x, y, z) => ball.distanceMm(x, y, z) - 1 }), share }],
  });
}

/**
 * A box at this distance from the first plane of voxels along x; negative: beyond it. @param cells voxels of the scan
 * along x
 */
export function nearBorder(distance: number, cells: number, seed: number): Part {
  const random = seededRandom(seed);
  const size: Vector3 = [26 + 4 * random(), 24 + 6 * random(), 22 + 6 * random()];
  const body = movedBody(box(size), [-cells / 2 + distance + size[0] / 2, random(), random()]);
  return part(body, { edgesMm: 4 * (size[0] + size[1] + size[2]) });
}

/** A part of a few voxels, or one that fills the scan except for its corners. */
export function sizedPart(across: number, isRound: boolean, seed: number): Part {
  const random = seededRandom(seed);
  if (isRound) return part(movedBody(sphere(across / 2), [random(), random(), random()]));
  const side = across * (0.9 + 0.1 * random());
  return part(movedBody(box([side, side, across]), [random() - 0.5, random() - 0.5, random() - 0.5]), {
    edgesMm: 4 * (2 * side + across),
  });
}

/** A pin in a ring. @param gap between them, voxels */
export function pinInRing(gap: number, seed: number): Part {
  const random = seededRandom(seed);
  const [radius, height] = [7 + 2 * random(), 26 + 4 * random()];
  const pin = hollowCylinder(radius, 0, height + 6);
  const ring = hollowCylinder(radius + gap + 9, radius + gap, height);
  const body = { ...union('pin in a ring', [pin, ring]), volumeMm3: pin.volumeMm3 + ring.volumeMm3 };
  return part(placed(body, random), { isGrooved: true, edgesMm: 4 * Math.PI * (3 * radius + 2 * gap + 9) });
}

/** Two stacked blocks. @param gap between them, voxels */
export function stackedBlocks(gap: number, seed: number): Part {
  const random = seededRandom(seed);
  const [a, b, c] = [28 + 5 * random(), 26 + 5 * random(), 12 + 4 * random()];
  const blocks = [1, -1].map((side) => movedBody(box([a, b, c]), [0, 0, (side * (c + gap)) / 2]));
  const body = { ...union('two blocks', blocks), volumeMm3: 2 * a * b * c };
  return part(placed(body, random), { isGrooved: true, edgesMm: 8 * (a + b + c) });
}

/** Nested round bars, each thinner, taller and off the axis of the one around it: ends and ledges lie across z. */
export function steppedShaft(seed: number): Part {
  const random = seededRandom(seed);
  const radii = [20, 15, 11, 7].map((radius) => radius + 3 * random());
  const lowest = -22 - 3 * random();
  let top = lowest;
  const bars = radii.map((radius) => {
    top += 9 + 3 * random();
    const place: Vector3 = [2 * random(), 2 * random(), (lowest + top) / 2];
    return movedBody(hollowCylinder(radius, 0, top - lowest), place);
  });
  const edgesMm = radii.reduce((sum, radius) => sum + 4 * Math.PI * radius, 0);
  return part(union('stepped shaft', bars), { edgesMm });
}

/** A block of a light material under a skin of a denser one. @param share grey value of the core over that of the skin */
export function skinnedBlock(skin: number, share: number, seed: number): Part {
  const random = seededRandom(seed);
  const size: Vector3 = [26 + 6 * random(), 24 + 6 * random(), 20 + 6 * random()];
  const turn = seededRandom(seed + 1);
  const core = placed(box(size), turn);
  const reach: Vector3 = [28, 28, 28];
  const body: Body = {
    name: 'skinned block',
    distanceMm: (x, y, z) => core.distanceMm(x, y, z) - skin,
    boundsMm: { min: reach.map((n) => -n) as Vector3, max: reach },
    volumeMm3: Number.NaN,
    areaMm2: Number.NaN,
  };
  return part(body, { isGrooved: true, phases: [{ body: core, share }] });
}

/** Two round flanges with a bore and a gasket of 5 voxels between them. @param share grey value of the gasket over theirs */
export function sealedFlanges(share: number, seed: number): Part {
  const random = seededRandom(seed);
  const [radius, thickness] = [17 + 2 * random(), 8 + 2 * random()];
  const flanges = [1, -1].map((side) =>
    movedBody(hollowCylinder(radius, 5, thickness), [0, 0, (side * (5 + thickness)) / 2]),
  );
  const gasket = hollowCylinder(radius - 1, 7, 5);
  const turn = seed + 1;
  return part(placed(union('sealed flanges', [...flanges, gasket]), seededRandom(turn)), {
    isGrooved: true,
    phases: [{ body: placed(hollowCylinder(radius + 2, 4, 5), seededRandom(turn)), share }],
  });
}

/** A housing with a seal of 4.6 voxels in the groove of its end face. @param share grey value of the seal over its own */
export function sealedHousing(share: number, seed: number): Part {
  const turn = seed + 1;
  const groove = movedBody(hollowCylinder(16, 11, 10), [0, 0, 14]);
  const housing = cutBy(hollowCylinder(20, 8, 24), groove, -1);
  const seal = movedBody(torus(13.5, 2.3), [0, 0, 11.5]);
  const outside = movedBody(hollowCylinder(15.9, 11.1, 10), [0, 0, 14.1]);
  return part(placed(union('sealed housing', [housing, seal]), seededRandom(turn)), {
    isGrooved: true,
    phases: [{ body: placed(outside, seededRandom(turn)), share }],
  });
}

/** Stacked foils, as in a battery or a capacitor. @param pitch from one foil to the next, voxels */
export function foilStack(thickness: number, pitch: number, seed: number): Part {
  const random = seededRandom(seed);
  const size: Vector3 = [28 + 4 * random(), 26 + 4 * random(), 20 + 4 * random()];
  const foils: Body = {
    ...box(size),
    name: 'foils',
    distanceMm: (_x, _y, z) => Math.abs(z - pitch * Math.round(z / pitch)) - thickness / 2,
  };
  return part(placed(cutBy(foils, box(size), 1), random), { isGrooved: true });
}

/** Layers of wire wound on top of each other, 2.3 voxels thick and 2.7 apart. */
export function coil(seed: number): Part {
  const [pitch, radius] = [2.7, 1.15];
  const outside = hollowCylinder(18.5, 7.8, 28);
  const wires: Body = {
    ...outside,
    name: 'coil',
    distanceMm: (x, y, z) => {
      const fromAxis = measureLength(x, y) - 9;
      const layer = Math.min(3, Math.max(0, Math.round(fromAxis / pitch)));
      return measureLength(fromAxis - layer * pitch, z - pitch * Math.round(z / pitch)) - radius;
    },
  };
  return part(placed(cutBy(wires, outside, 1), seededRandom(seed)), { isGrooved: true });
}

/** Parallel strands, 2.1 voxels thick and 2.4 apart. */
export function strandedWire(seed: number): Part {
  const [pitch, radius] = [2.4, 1.05];
  const outside = hollowCylinder(16, 0, 30);
  const strands: Body = {
    ...outside,
    name: 'strands',
    distanceMm: (x, y) => {
      const row = Math.round(y / (0.866 * pitch));
      const shifted = x / pitch - (row & 1) / 2;
      return measureLength((shifted - Math.round(shifted)) * pitch, y - row * 0.866 * pitch) - radius;
    },
  };
  return part(placed(cutBy(strands, outside, 1), seededRandom(seed)), { isGrooved: true });
}
