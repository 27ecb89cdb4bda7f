import { makePlaneFrame } from '#kernels/grid/turned-grid.ts';
import { add, scale } from '#kernels/grid/vectors.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { clipInk, obliqueInk } from '#kernels/overlay/paint.ts';
import { type GizmoShape, shapePlane } from '#kernels/overlay/paint-gizmos.ts';
import { movePlane, placePlane, setBoxSide, tiltPlane } from '../state/clips.ts';
import { moveAlongNormal, setOrientation } from '../state/oblique.ts';
import type { ViewerModel } from '../state/viewer-model.ts';

/** A draggable dot in 3D; world mm. */
export interface Handle {
  /** stays the same during a drag */
  name: string;
  point: Vector3;
  /** unit vector along which it can be pulled; null = in any direction */
  along: Vector3 | null;
  /** @param byMm displacement by the drag */
  pull(byMm: Vector3): void;
}

/** An object with handles in 3D: clipping planes, the clipping box and the oblique plane. */
export interface Gizmo extends GizmoShape {
  handles: Handle[];
}

export const listGizmos = (model: ViewerModel): Gizmo[] => [
  ...makeObliqueGizmo(model),
  ...makeClipGizmos(model),
];

/** The oblique plane, with handles at the cursor. */
export function makeObliqueGizmo(model: ViewerModel): Gizmo[] {
  const { oblique } = model.store.get();
  if (!oblique || !model.volume) return [];
  return [
    makePlaneGizmo(model, 'oblique', obliqueInk, {
      placed: { middle: model.cursorWorld(), normal: makePlaneFrame(oblique).towards },
      move: (mm) => moveAlongNormal(model, mm),
      tilt: (normal) => setOrientation(model, { normal, up: oblique.up }),
    }),
  ];
}

/** The clipping planes and box. */
function makeClipGizmos(model: ViewerModel): Gizmo[] {
  const { box, planes } = model.store.get().clips;
  const held = planes.flatMap((_, index) => {
    const placed = placePlane(model, index);
    const move = (mm: number) => movePlane(model, index, mm);
    const tilt = (normal: Vector3) => tiltPlane(model, index, normal);
    return placed ? [makePlaneGizmo(model, `plane ${index}`, clipInk, { placed, move, tilt })] : [];
  });
  return box?.enabled ? [...held, makeBoxGizmo(model, box)] : held;
}

interface PlaneGizmo {
  /** position of its handle, and its unit normal */
  placed: { middle: Vector3; normal: Vector3 };
  move: (byMm: number) => void;
  tilt: (normal: Vector3) => void;
}

/** The handle at the base of the normal moves the plane along it, the one at the tip tilts the plane. */
function makePlaneGizmo(
  model: ViewerModel,
  name: string,
  ink: string,
  { placed, move, tilt }: PlaneGizmo,
): Gizmo {
  const { middle, normal } = placed;
  const { arrow, ...shape } = shapePlane(model.volume, model.bounds(), placed, ink);
  return {
    ...shape,
    handles: [
      { name: `${name} tip`, point: add(middle, arrow), along: null, pull: (by) => tilt(add(arrow, by)) },
      {
        name: `${name} middle`,
        point: middle,
        along: normal,
        pull: (by) => move(by.reduce((sum, mm, k) => sum + mm * (normal[k] ?? 0), 0)),
      },
    ],
  };
}

/** The handles at the centres of its sides move them. */
function makeBoxGizmo(model: ViewerModel, { minMm, maxMm }: { minMm: Vector3; maxMm: Vector3 }): Gizmo {
  const middle = scale(add(minMm, maxMm), 0.5);
  const corner = (bits: number): Vector3 => [
    (bits & 1 ? maxMm : minMm)[0],
    (bits & 2 ? maxMm : minMm)[1],
    (bits & 4 ? maxMm : minMm)[2],
  ];
  return {
    ink: clipInk,
    isTinted: false,
    outlines: [
      [0, 1, 3, 2],
      [4, 5, 7, 6],
    ].map((corners) => corners.map(corner)),
    lines: [0, 1, 2, 3].map((bits) => [corner(bits), corner(bits + 4)]),
    handles: ([0, 1, 2] as const).flatMap((axis) =>
      (['minMm', 'maxMm'] as const).map((side): Handle => {
        const at = (side === 'minMm' ? minMm : maxMm)[axis];
        const along: Vector3 = [0, 0, 0];
        along[axis] = 1;
        return {
          name: `box ${side} ${axis}`,
          point: middle.with(axis, at) as Vector3,
          along,
          pull: (by) => setBoxSide(model, side, axis, at + by[axis]),
        };
      }),
    ),
  };
}
