/** A cooled turbine blade: an aerofoil that twists and tapers from platform to tip, on a fir-tree root. */

import type { Layer } from '#kernels/reconstruction/painted-solid.ts';
import type { Corner } from './loft.ts';
import { box, frustum, nickel, painted } from './shapes.ts';

export const bladeHeights = { root: -4.4, platform: -0.9, hub: -0.4, tip: 4.4 };
const { root, platform, hub, tip } = bladeHeights;

const hubSection = { chordMm: 4.4, staggerDeg: 20 };
const tipSection = { chordMm: 3.8, staggerDeg: 38 };
/** shares of the chord */
const camber = 0.14;
const thickness = 0.3;
const stackingPoint = 0.45;
const trailingEdgeMm = 0.24;
const filletMm = 0.2;
const slabs = 12;
const strips = 13;

/** Positions along the chord; the middle core has shifted towards the convex side. */
export const coolingChannels = [
  { chordShare: 0.2, diameterMm: 0.45, shiftMm: 0 },
  { chordShare: 0.4, diameterMm: 0.5, shiftMm: 0.2 },
  { chordShare: 0.6, diameterMm: 0.35, shiftMm: 0 },
];

/** Half widths of the fir tree, from the platform down. */
const firTree: [zMm: number, halfWidthMm: number][] = [
  [platform, 1],
  [-1.2, 1],
  [-1.6, 1.6],
  [-1.95, 1.6],
  [-2.3, 0.85],
  [-2.5, 0.85],
  [-2.85, 1.25],
  [-3.15, 1.25],
  [-3.5, 0.65],
  [-3.65, 0.65],
  [-3.95, 0.95],
  [root, 0.7],
];
const rootHalfLengthMm = 2.2;

/** A section of the aerofoil at a share of its height: 0 at the platform, 1 at the tip. */
function describeSection(share: number) {
  const chordMm = hubSection.chordMm + share * (tipSection.chordMm - hubSection.chordMm);
  const stagger = hubSection.staggerDeg + share * (tipSection.staggerDeg - hubSection.staggerDeg);
  const angle = (stagger * Math.PI) / 180;
  /** converts from coordinates along and across the chord; at zero stagger the chord points towards +y */
  const place = (chordShare: number, acrossMm: number): Corner => {
    const along = (chordShare - stackingPoint) * chordMm;
    const across = 4 * camber * chordMm * (chordShare * (1 - chordShare) - 0.17) + acrossMm;
    return [
      along * Math.sin(angle) - across * Math.cos(angle),
      along * Math.cos(angle) + across * Math.sin(angle),
    ];
  };
  /** four-digit NACA aerofoil (NACA report 460) with a trailing edge thick enough to be cast */
  const halfThickness = (x: number): number => {
    const shape = 0.2969 * Math.sqrt(x) - 0.126 * x - 0.3516 * x ** 2 + 0.2843 * x ** 3 - 0.1036 * x ** 4;
    const fillet = share === 0 ? filletMm : 0;
    return 5 * thickness * chordMm * shape + (trailingEdgeMm / 2) * x + fillet;
  };
  return { place, halfThickness };
}

/** One strip along the chord, counter-clockwise. Strips are convex, unlike the whole section. */
function outlineStrip(share: number, strip: number): Corner[] {
  const { place, halfThickness } = describeSection(share);
  // Strips are narrower at the leading edge, which is rounder.
  const [from, to] = [(strip / strips) ** 1.7, ((strip + 1) / strips) ** 1.7];
  return [
    place(from, halfThickness(from)),
    place(from, -halfThickness(from)),
    place(to, -halfThickness(to)),
    place(to, halfThickness(to)),
  ];
}

/** A polygon with the area of the circle. */
function outlineCircle([x, y]: Corner, diameterMm: number): Corner[] {
  const corners = 12;
  const step = (2 * Math.PI) / corners;
  const radius = (diameterMm / 2) * Math.sqrt(step / Math.sin(step));
  return Array.from({ length: corners }, (_, k) => [
    x + radius * Math.cos(k * step),
    y + radius * Math.sin(k * step),
  ]);
}

const outlineRoot = (halfWidth: number): Corner[] => [
  [halfWidth, -rootHalfLengthMm],
  [halfWidth, rootHalfLengthMm],
  [-halfWidth, rootHalfLengthMm],
  [-halfWidth, -rootHalfLengthMm],
];

export function bladeLayers(): Layer[] {
  const heightAt = (share: number) => hub + share * (tip - hub);
  const spans = Array.from({ length: slabs }, (_, i) => [i / slabs, (i + 1) / slabs] as const);
  const aerofoil = spans.flatMap(([low, high]) =>
    Array.from({ length: strips }, (_, strip) =>
      frustum([outlineStrip(low, strip), outlineStrip(high, strip)], heightAt(low), heightAt(high)),
    ),
  );
  const foot = firTree.slice(1).map(([z, halfWidth], i) => {
    const [upperZ, upperHalfWidth] = firTree[i] ?? [z, halfWidth];
    return frustum([outlineRoot(halfWidth), outlineRoot(upperHalfWidth)], z, upperZ);
  });
  const channels = coolingChannels.flatMap(({ chordShare, diameterMm, shiftMm }) => {
    const outlineAt = (share: number) =>
      outlineCircle(describeSection(share).place(chordShare, shiftMm), diameterMm);
    const [, entryY] = describeSection(0).place(chordShare, shiftMm);
    const entry = outlineCircle([0, entryY], diameterMm);
    return [
      frustum([entry, outlineAt(0)], root, hub),
      ...spans.map(([low, high]) =>
        frustum([outlineAt(low), outlineAt(high)], heightAt(low), heightAt(high)),
      ),
    ];
  });
  return [
    ...painted(nickel, box([-1.9, -2.5, platform], [1.9, 2.5, hub]), ...foot, ...aerofoil),
    ...painted(0, ...channels),
  ];
}
