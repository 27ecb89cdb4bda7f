/** Where a part is cut open: half-spaces and a box in it that are taken away. Lengths in mm of the world. */
import { dot, scale } from './vectors.ts';
import type { Vector3 } from './volume.ts';

/** What lies beyond is cut away: normal · point > offsetMm. */
export interface HalfSpace {
  normal: Vector3;
  offsetMm: number;
}

export interface CutAway {
  /** their normals are unit vectors */
  planes: readonly HalfSpace[];
  /** a box that is taken out */
  hole: { min: Vector3; max: Vector3 } | null;
}

/** What a view says of it. */
export interface ClipSettings {
  box: { enabled: boolean; minMm: Vector3; maxMm: Vector3; keep: 'inside' | 'outside' } | null;
  planes: readonly ({ enabled: boolean } & HalfSpace)[];
  beforePlace: HalfSpace | null;
}

export const nothingCut: CutAway = { planes: [], hole: null };

/** The half-spaces and the hole that are switched on. */
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

/** Makes no arrays: it is asked for each sample of a picture. */
export function isCutAway({ planes, hole }: CutAway, x: number, y: number, z: number): boolean {
  for (const { normal, offsetMm } of planes)
    if (normal[0] * x + normal[1] * y + normal[2] * z > offsetMm) return true;
  if (hole === null) return false;
  const { min, max } = hole;
  return x > min[0] && x < max[0] && y > min[1] && y < max[1] && z > min[2] && z < max[2];
}

/** A plane on which sections lie. */
export interface CutFace extends HalfSpace {
  /** which of the planes it is; −1 = a side of the hole */
  own: number;
}

/** Every plane that a section may lie on; what stays is on its near side. */
export const listFaces = ({ planes, hole }: CutAway): CutFace[] => [
  ...planes.map((plane, own) => ({ ...plane, own })),
  ...(hole
    ? axes.flatMap((axis) => [
        { normal: axis, offsetMm: dot(axis, hole.min), own: -1 },
        { normal: scale(axis, -1), offsetMm: -dot(axis, hole.max), own: -1 },
      ])
    : []),
];

/** Whether a point that lies on a face is on a section: nothing else cuts it away, and the hole ends there. */
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
