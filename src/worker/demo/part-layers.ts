/** Solids of constant attenuation that make up the demo parts, and the nominal shape of the housing. */

import type { Vector3 } from '#kernels/grid/volume.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { seededRandom } from '#kernels/random.ts';
import type { Layer, Shape } from '#kernels/reconstruction/painted-solid.ts';
import { chamferedCorners, circleLoop, loft, polygonLoop } from './loft.ts';
import { aluminium, box, copper, cylinder, painted, polymer, prism, steel, titanium } from './shapes.ts';

// The housing: stepped walls of 1.6, 1.1 and 0.7 mm, a floor of 0.9 mm, a boss with a bore.
const outer = chamferedCorners(4, 3.4, 0.8);
const chambers = [
  { fromZ: -2.6, toZ: -0.9, halfX: 2.4, halfY: 1.8 },
  { fromZ: -0.9, toZ: 0.7, halfX: 2.9, halfY: 2.3 },
  { fromZ: 0.7, toZ: 2.1, halfX: 3.3, halfY: 2.7 },
];
/** The core of the casting shifted, which the comparison with the nominal shape is meant to find. */
const coreShiftMm = 0.15;

export const housingLayers = [
  ...painted(aluminium, prism(outer, -3.5, 2.9), cylinder(2, [0, 0, 3.4], 1.9, 1)),
  ...painted(
    0,
    ...chambers.map(({ fromZ, toZ, halfX, halfY }) =>
      prism(chamferedCorners(halfX, halfY, 0.4, coreShiftMm), fromZ, toZ),
    ),
    cylinder(2, [0, 0, 3], 1.1, 2),
  ),
];

export function housingCad(): TriangleMesh {
  const cavity = [...chambers].reverse().flatMap(({ fromZ, toZ, halfX, halfY }) => {
    const corners = chamferedCorners(halfX, halfY, 0.4);
    return [polygonLoop(corners, toZ), polygonLoop(corners, fromZ)];
  });
  return loft([
    polygonLoop(outer, -3.5),
    polygonLoop(outer, 2.9),
    circleLoop(1.9, 2.9),
    circleLoop(1.9, 3.9),
    circleLoop(1.1, 3.9),
    circleLoop(1.1, 2.1),
    ...cavity,
  ]);
}

export function wedgeLayers(): Layer[] {
  const steps = [1, 2, 3, 4, 5];
  return painted(
    titanium,
    ...steps.map((height, i) => box([-4 + i * 1.6, -2.8, -2.5], [-4 + (i + 1) * 1.6, 2.8, -2.5 + height])),
  );
}

export function rodLayers(seed: number): Layer[] {
  const random = seededRandom(seed);
  const pores: { center: Vector3; radiusMm: number }[] = [];
  while (pores.length < 42) {
    const radiusMm = 0.16 + 0.5 * random() ** 3;
    const angle = 2 * Math.PI * random();
    const distance = (3.3 - radiusMm - 0.2) * Math.sqrt(random());
    const height = (random() - 0.5) * (7.6 - 2 * radiusMm - 0.4);
    const center: Vector3 = [distance * Math.cos(angle), distance * Math.sin(angle), height];
    const isFree = pores.every(
      (pore) =>
        Math.hypot(center[0] - pore.center[0], center[1] - pore.center[1], center[2] - pore.center[2]) >
        radiusMm + pore.radiusMm + 0.15,
    );
    if (isFree) pores.push({ center, radiusMm });
  }
  const hollows = [...pores, ...shrinkage(random)];
  return [
    ...painted(aluminium, cylinder(2, [0, 0, 0], 3.3, 7.6)),
    ...painted(0, ...hollows.map((pore): Shape => ({ kind: 'sphere', ...pore }))),
  ];
}

/**
 * Shrinkage where the melt solidified last: ragged hollows that branch about the axis, each starting from an earlier
 * one.
 */
function shrinkage(random: () => number): { center: Vector3; radiusMm: number }[] {
  const first: { center: Vector3; radiusMm: number } = { center: [0.3, -0.2, 0.4], radiusMm: 0.22 };
  const hollows = [first];
  while (hollows.length < 70) {
    const from = hollows[Math.floor(random() * hollows.length)] ?? first;
    const angle = 2 * Math.PI * random();
    const rise = 1.6 * random() - 0.8;
    const step = 1.3 * from.radiusMm;
    const flat = step * Math.sqrt(1 - rise ** 2);
    const [x, y, z] = from.center;
    const center: Vector3 = [x + flat * Math.cos(angle), y + flat * Math.sin(angle), z + step * rise];
    if (Math.hypot(center[0], center[1]) > 1.6 || Math.abs(center[2]) > 2) continue;
    hollows.push({ center, radiusMm: 0.09 + 0.15 * random() ** 2 });
  }
  return hollows;
}

/** Struts of 0.56 mm along three axes between two plates; one is broken. */
export function latticeLayers(): Layer[] {
  const places = [-2, -1, 0, 1, 2].map((k) => 1.6 * k);
  const struts = places.flatMap((a) =>
    places.flatMap((b) => [
      cylinder(0, [0, a, b], 0.28, 6.96),
      cylinder(1, [a, 0, b], 0.28, 6.96),
      cylinder(2, [a, b, 0], 0.28, 6.96),
    ]),
  );
  const plates = [-1, 1].map((side) =>
    box([-3.5, -3.5, side > 0 ? 3.2 : -3.7], [3.5, 3.5, side > 0 ? 3.7 : -3.2]),
  );
  return [
    ...painted(titanium, ...struts, ...plates),
    ...painted(0, box([0.9, -3.6, -2], [1.35, -2.8, -1.2])),
  ];
}

/** A polymer housing with two rows of pins; the fourth pin of the second row is not fully inserted. */
export function connectorLayers(): Layer[] {
  const pins = [-1, 1].flatMap((side) =>
    [0, 1, 2, 3].flatMap((k) => {
      const x = -2.55 + 1.7 * k;
      const y = 0.95 * side;
      const back = side > 0 && k === 3 ? 0.7 : 0;
      return [
        box([x - 0.22, y - 0.22, -3.3 - back], [x + 0.22, y + 0.22, 2.6 - back]),
        box([x - 0.4, y - 0.22, -1.6 - back], [x + 0.4, y + 0.22, -1.2 - back]),
      ];
    }),
  );
  return [
    ...painted(
      2 * polymer,
      prism(chamferedCorners(4, 2.3, 0.5), -2.4, 3.4),
      prism(chamferedCorners(4.4, 2.7, 0.5), -2.4, -1.6),
    ),
    ...painted(0, prism(chamferedCorners(3.5, 1.8, 0.3), 0.4, 3.6), box([-0.8, 1.6, 1.2], [0.8, 2.5, 3.6])),
    ...painted(copper, ...pins),
  ];
}

export function bracketLayers(): Layer[] {
  const slope = Math.SQRT1_2;
  const rib: Shape = {
    kind: 'polyhedron',
    planes: [
      { normal: [slope, 0, slope], reachMm: -0.6 * slope },
      { normal: [-1, 0, 0], reachMm: 3 },
      { normal: [0, 0, -1], reachMm: 2.3 },
      { normal: [0, 1, 0], reachMm: 0.5 },
      { normal: [0, -1, 0], reachMm: 0.5 },
    ],
  };
  return [
    ...painted(aluminium, box([-4, -3, -3.5], [4, 3, -2.3]), box([-4, -3, -3.5], [-2.9, 3, 3.5]), rib),
    ...painted(
      0,
      cylinder(2, [2, 1.5, -2.9], 0.75, 4),
      cylinder(2, [2, -1.5, -2.9], 0.75, 4),
      cylinder(2, [2, 1.5, -2.3], 1.15, 0.6),
      cylinder(2, [2, -1.5, -2.3], 1.15, 0.6),
      cylinder(0, [-3.4, 0, 1.9], 1, 4),
    ),
  ];
}

export const ballLayers = (): Layer[] => [
  ...painted(polymer, box([-3.8, -3.8, -3.6], [3.8, 3.8, 3.6])),
  ...painted(steel, { kind: 'sphere', center: [0.4, -0.3, 0.2], radiusMm: 2 }),
];
