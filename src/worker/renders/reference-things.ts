/** Objects shown beside a surface: its reference, or the part that its defects are in. */
import { describeReference } from '#contract/analyses/choose-pictures.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { invertPose, movedPoints } from '#kernels/alignment/pose.ts';
import {
  opacityAroundDefects,
  opacityOverSurface,
  partColour,
  referenceColour,
} from '#kernels/color/scene-ground.ts';
import { cutSurface } from '#kernels/grid/cut-surface.ts';
import { type PlaneView, planeRows } from '#kernels/grid/plane-transform.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import type { Canvas2D } from '#kernels/overlay/canvas.ts';
import { paintReferenceCut } from '#kernels/overlay/paint-cut.ts';
import type { SceneContent } from '#kernels/picture/draw-scene.ts';
import type { SurfaceLook } from '#kernels/picture/shade-surface.ts';
import { withNormals } from '../pictures/surface-picture.ts';
import type { SliceDrawing } from './draw-slice.ts';

export interface DrawnReference {
  /** placed in the world */
  mesh: TriangleMesh;
  isPart: boolean;
  onSlicesOnly: boolean;
}

/** @param holder the surface beside it, with the results of its analysis */
export function layReference(
  mesh: TriangleMesh,
  holder: Parameters<typeof describeReference>[0],
): DrawnReference {
  const { matrix, isPart, onSlicesOnly } = describeReference(holder);
  const positions = Float32Array.from(movedPoints(invertPose(matrix), mesh.positions));
  return { mesh: { ...mesh, positions }, isPart, onSlicesOnly };
}

/** Draws its contour on a slice. */
export function drawReferenceCut(
  canvas: Canvas2D,
  { mesh, isPart }: DrawnReference,
  { name, grid, positionMm }: Pick<SliceDrawing, 'name' | 'grid' | 'positionMm'>,
  view: PlaneView,
): void {
  canvas.save();
  paintReferenceCut(canvas, cutSurface(mesh, planeRows(grid, name, positionMm)), view, isPart);
  canvas.restore();
}

/** Whether 3D shows it. */
export const isReferenceSeen = (
  reference: DrawnReference | null,
  { referenceVisible }: Pick<ViewState, 'referenceVisible'>,
): reference is DrawnReference => reference !== null && referenceVisible && !reference.onSlicesOnly;

/**
 * Adds it to a 3D scene, translucent over a surface.
 * @param look look of objects in a scene without a surface
 */
export function drawReferenceAround(
  { mesh, isPart }: DrawnReference,
  look: SurfaceLook,
  isAlone: boolean,
): NonNullable<SceneContent['around']> {
  const over = isPart ? opacityAroundDefects : opacityOverSurface;
  const plain = isPart ? partColour : referenceColour;
  return { surface: withNormals(mesh), look: { ...look, colours: null, plain, opacity: isAlone ? 1 : over } };
}
