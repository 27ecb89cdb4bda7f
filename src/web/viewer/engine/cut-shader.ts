import { type Ray, Vector3, Vector4 } from 'three';
import { maxClipPlanes } from '#contract/shapes/view-state.ts';
import type { Bounds, Point } from '#kernels/grid/camera.ts';
import { type CutAway, type HalfSpace, isAnythingCut } from '#kernels/grid/cut-away.ts';
import { add, dot, minus, scale } from '#kernels/grid/vectors.ts';

/** The clipping planes of a view, the one in front of a selected place, and the sides of the box. */
export const maxCuts = maxClipPlanes + 1 + 6;

/** For world positions. `isOffSection` is for points on a face of the cut: which plane they are on, −1 = the hole. */
export const cutShader = /* glsl */ `
uniform vec4 cutPlanes[${maxCuts}];
uniform int cutCount;
uniform vec3 holeMin;
uniform vec3 holeMax;
uniform bool hasHole;
bool isCutAway(vec3 p) {
  for (int i = 0; i < cutCount; i++) if (dot(cutPlanes[i].xyz, p) > cutPlanes[i].w) return true;
  return hasHole && all(greaterThan(p, holeMin)) && all(lessThan(p, holeMax));
}
bool isOffSection(vec3 p, int own, float slackMm) {
  for (int i = 0; i < cutCount; i++)
    if (i != own && dot(cutPlanes[i].xyz, p) > cutPlanes[i].w + slackMm) return true;
  if (!hasHole) return false;
  float off = own < 0 ? slackMm : 0.0;
  bool isInside = all(greaterThan(p, holeMin - off)) && all(lessThan(p, holeMax + off));
  return own < 0 ? !isInside : isInside;
}`;

export const cutUniforms = () => ({
  cutPlanes: { value: Array.from({ length: maxCuts }, () => new Vector4()) },
  cutCount: { value: 0 },
  holeMin: { value: new Vector3() },
  holeMax: { value: new Vector3() },
  hasHole: { value: false },
  isCut: { value: false },
});

export function setCuts(uniforms: ReturnType<typeof cutUniforms>, cuts: CutAway): void {
  const { planes, hole } = cuts;
  for (const [i, { normal, offsetMm }] of planes.entries())
    uniforms.cutPlanes.value[i]?.set(...normal, offsetMm);
  uniforms.cutCount.value = planes.length;
  uniforms.hasHole.value = hole !== null;
  if (hole) uniforms.holeMin.value.set(...hole.min);
  if (hole) uniforms.holeMax.value.set(...hole.max);
  uniforms.isCut.value = isAnythingCut(cuts);
}

/** Tolerance for the rounding of points on a face by the graphics card. */
export const measureSlack = ({ min, max }: Bounds): number => 1e-5 * Math.hypot(...minus(max, min));

/** The intersection of a ray with the plane of a face; null if they do not meet. */
export function meetFace({ origin, direction }: Ray, { normal, offsetMm }: HalfSpace): Point | null {
  const [from, way] = [origin.toArray(), direction.toArray()];
  const along = (offsetMm - dot(normal, from)) / dot(normal, way);
  return Number.isFinite(along) && along >= 0 ? add(from, scale(way, along)) : null;
}
