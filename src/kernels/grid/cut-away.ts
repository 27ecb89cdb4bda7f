/** Clipping of a part by half-spaces and a box that are removed. Lengths in mm of the world. */
import { dot, scale } from './vectors.ts';
import type { Vector3 } from './volume.ts';

/** Removes the points with normal · point > offsetMm. */
export interface HalfSpace {
  normal: Vector3;
  offsetMm: number;
}

export interface CutAway {
  /** with unit normals */
  planes: readonly HalfSpace[];
  /** a box that is removed */
  hole: { min: Vector3; max: Vector3 } | null;
}

/** Clipping in the view state. */
export interface ClipSettings {
  box: { enabled: boolean; minMm: Vector3; maxMm: Vector3; keep: 'inside' | 'outside' } | null;
  planes: readonly ({ enabled: boolean } & HalfSpace)[];
  beforePlace: HalfSpace | null;
}

export const nothingCut: CutAway = { planes: [], hole: null };

/** The enabled half-spaces and the hole. */
export function listCuts({ box, planes, beforePlace }: ClipSettings): CutAway {
  const shown = [...planes.filter(({ enabled }) => enabled), ...(beforePlace ? [beforePlace] : [])];
  const around =
    box?.enabled && box.keep === 'inside'
      ? axes.flatMap((axis) => [
          { normal: scale(axis, -1), offsetMm: -dot(axis, box.minMm) },
          { normal: axis, offsetMm: dot(axis, box.maxMm) },
        ])
      : [];
  return {
    planes: [...shown.map(normalise), ...around],
    hole: box?.enabled && box.keep === 'outside' ? { min: box.minMm, max: box.maxMm } : null,
  };
}

export const isAnythingCut = ({ planes, hole }: CutAway): boolean => planes.length > 0 || hole !== null;

/** Allocates nothing, because it runs for each sample of a picture. */
export function isCutAway({ planes, hole }: CutAway, x: number, y: number, z: number): boolean {
  for (const { normal, offsetMm } of planes)
    if (normal[0] * x + normal[1] * y + normal[2] * z > offsetMm) return true;
  if (hole === null) return false;
  const { min, max } = hole;
  return x > min[0] && x < max[0] && y > min[1] && y < max[1] && z > min[2] && z < max[2];
}

/** A plane that may contain sections. */
export interface CutFace extends HalfSpace {
  /** index of the plane; −1 = a side of the hole */
  own: number;
}

/** All planes that may contain sections; the kept material is on the near side. */
export const listFaces = ({ planes, hole }: CutAway): CutFace[] => [
  ...planes.map((plane, own) => ({ ...plane, own })),
  ...(hole
    ? axes.flatMap((axis) => [
        { normal: axis, offsetMm: dot(axis, hole.min), own: -1 },
        { normal: scale(axis, -1), offsetMm: -dot(axis, hole.max), own: -1 },
      ])
    : []),
];

/**
 * Whether a point of a face is on a section: no other cut removes it, and for a side of the hole it is on the hole’s
 * boundary.
 */
export function isOnSection(
  { planes, hole }: CutAway,
  own: number,
  point: Vector3,
  slackMm: number,
): boolean {
  if (planes.some((plane, i) => i !== own && dot(plane.normal, point) > plane.offsetMm + slackMm))
    return false;
  if (hole === null) return true;
  const off = own < 0 ? slackMm : 0;
  const isInside = point.every((mm, k) => mm > (hole.min[k] ?? 0) - off && mm < (hole.max[k] ?? 0) + off);
  return own < 0 ? isInside : !isInside;
}

const axes: readonly Vector3[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

function normalise({ normal, offsetMm }: HalfSpace): HalfSpace {
  const length = Math.hypot(...normal);
  return { normal: scale(normal, 1 / length), offsetMm: offsetMm / length };
}
