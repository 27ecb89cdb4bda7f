/** Building blocks of the demo parts: materials, and solids of one material. */

import type { Vector3 } from '#kernels/grid/volume.ts';
import type { Layer, Shape } from '#kernels/reconstruction/painted-solid.ts';
import { type Corner, listSides } from './loft.ts';

/** 1/mm at the mean energy of a microfocus tube with a copper filter */
export const aluminium = 0.16;
export const titanium = 0.24;
export const polymer = 0.06;
export const steel = 0.34;
export const nickel = 0.38;
export const copper = 0.45;

export const box = (min: Vector3, max: Vector3): Shape => ({ kind: 'box', min, max });

export const cylinder = (axis: 0 | 1 | 2, center: Vector3, radiusMm: number, lengthMm: number): Shape => ({
  kind: 'cylinder',
  axis,
  center,
  radiusMm,
  lengthMm,
});

export const painted = (attenuation: number, ...shapes: Shape[]): Layer[] =>
  shapes.map((shape) => ({ shape, attenuation }));

/** A convex outline, counter-clockwise, between two heights. */
export const prism = (corners: Corner[], fromZ: number, toZ: number): Shape =>
  frustum([corners, corners], fromZ, toZ);

/**
 * The solid between two convex outlines with the same number of corners, counter-clockwise. A twisted side is replaced
 * by the plane through its middle, so that solids sharing a side have no gap between them.
 */
export function frustum([bottom, top]: [Corner[], Corner[]], fromZ: number, toZ: number): Shape {
  const height = toZ - fromZ;
  const topSides = listSides(top);
  const sides = listSides(bottom).flatMap(([from, to], i) => {
    const [topFrom, topTo] = topSides[i] ?? [from, to];
    const alongX = to[0] - from[0] + topTo[0] - topFrom[0];
    const alongY = to[1] - from[1] + topTo[1] - topFrom[1];
    const length = Math.hypot(alongX, alongY);
    if (length < 1e-9) return [];
    const [edgeX, edgeY] = [alongX / length, alongY / length];
    const riseX = (topFrom[0] + topTo[0] - from[0] - to[0]) / 2;
    const riseY = (topFrom[1] + topTo[1] - from[1] - to[1]) / 2;
    const outwards: Vector3 = [edgeY * height, -edgeX * height, edgeX * riseY - edgeY * riseX];
    const size = Math.hypot(...outwards);
    const normal = outwards.map((value) => value / size) as Vector3;
    const x = (from[0] + to[0] + topFrom[0] + topTo[0]) / 4;
    const y = (from[1] + to[1] + topFrom[1] + topTo[1]) / 4;
    return [{ normal, reachMm: normal[0] * x + normal[1] * y + (normal[2] * (fromZ + toZ)) / 2 }];
  });
  return {
    kind: 'polyhedron',
    planes: [...sides, { normal: [0, 0, 1], reachMm: toZ }, { normal: [0, 0, -1], reachMm: -fromZ }],
  };
}
