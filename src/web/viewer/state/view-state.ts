import { allDefects } from '#contract/shapes/migrate-view-state.ts';
import { ViewState } from '#contract/shapes/view-state.ts';
import type { HalfSpace } from '#kernels/grid/cut-away.ts';

export const noClips: ViewState['clips'] = { box: null, planes: [], beforePlace: null, section: 'grey' };

/** The default state: the whole part in every pane, the volume's own window, the surface with its first scalar. */
export function defaultViewState(
  volumeId: string | null,
  meshId: string | null,
  scalar: string | null,
): ViewState {
  return {
    version: 2,
    volumeId,
    meshId,
    alignmentId: null,
    layout: 'main',
    camera: null,
    cursorMm: null,
    planes: null,
    oblique: null,
    window: null,
    surface: { visible: true, opacity: 1, scalar, map: 'viridis', range: null, brush: null, shaded: true },
    scene: { edges: true, occlusion: null, gradient: true },
    referenceVisible: true,
    slices: { surface: true, reference: true, whiskers: false, magnification: null, walls: false },
    smooth: true,
    clips: noClips,
    labels: [],
    measurements: { visible: true, selectedId: null },
    selectedDefectId: null,
    defects: allDefects,
    volume: { visible: null, style: 'surface', curve: null },
    compare: null,
  };
}

/**
 * The same state with every number rounded to visible precision (10 nm; nine significant digits for grey values and
 * scalars, whose scale is unknown) and keys in the order of the schema. Rounding happens before a state is applied, so
 * that a view restored from a link or a bookmark is drawn from exactly the same numbers.
 *
 * @throws ZodError when the input is not a view state
 */
export function canonicalise(state: unknown): ViewState {
  return roundedState(ViewState.parse(state));
}

/** `canonicalise` without validation, for a state known to be valid. */
export function roundedState(state: ViewState): ViewState {
  const { camera, planes, clips, window, surface, volume, compare } = state;
  return {
    ...state,
    camera: camera && {
      ...camera,
      position: roundPoint(camera.position),
      target: roundPoint(camera.target),
      up: direction(camera.up),
      heightMm: positive(camera.heightMm),
    },
    cursorMm: state.cursorMm && roundPoint(state.cursorMm),
    planes: planes && {
      xy: plane(planes.xy),
      xz: plane(planes.xz),
      yz: plane(planes.yz),
      oblique: planes.oblique && plane(planes.oblique),
    },
    oblique: state.oblique && { normal: direction(state.oblique.normal), up: direction(state.oblique.up) },
    window: window && { center: significant(window.center), width: significant(window.width) },
    surface: {
      ...surface,
      opacity: Math.round(surface.opacity * 1000) / 1000,
      range: surface.range && [significant(surface.range[0]), significant(surface.range[1])],
      brush: surface.brush && [significant(surface.brush[0]), significant(surface.brush[1])],
    },
    labels: state.labels.map((label) => ({
      ...label,
      pointMm: roundPoint(label.pointMm),
      value: label.value === null ? null : significant(label.value),
    })),
    clips: {
      ...clips,
      box: clips.box && {
        ...clips.box,
        minMm: roundPoint(clips.box.minMm),
        maxMm: roundPoint(clips.box.maxMm),
      },
      planes: clips.planes.map((each) => ({ ...each, ...halfSpace(each) })),
      beforePlace: clips.beforePlace && halfSpace(clips.beforePlace),
    },
    compare: compare && {
      ...compare,
      share: Math.round(compare.share * 100) / 100,
      middleMm: compare.middleMm && roundPoint(compare.middleMm),
      heightMm: compare.heightMm && positive(compare.heightMm),
    },
    volume: {
      ...volume,
      curve:
        volume.curve?.map((each) => ({
          value: significant(each.value),
          opacity: Math.round(each.opacity * 1000) / 1000,
          color: each.color,
        })) ?? null,
    },
  };
}

type Point = [number, number, number];
type Plane = NonNullable<ViewState['planes']>['xy'];

const millimetres = (value: number) => Math.round(value * 1e5) / 1e5 + 0; // + 0 turns −0 into 0
const positive = (value: number) => Math.max(1e-5, millimetres(value));
const significant = (value: number) => Number(value.toPrecision(9)) + 0;
export const roundPoint = ([x, y, z]: Readonly<Point>): Point => [
  millimetres(x),
  millimetres(y),
  millimetres(z),
];
const unitDigits = (value: number) => Math.round(value * 1e9) / 1e9 + 0;
const direction = ([x, y, z]: Readonly<Point>): Point => [unitDigits(x), unitDigits(y), unitDigits(z)];
const halfSpace = ({ normal, offsetMm }: HalfSpace): HalfSpace => ({
  normal: direction(normal),
  offsetMm: millimetres(offsetMm),
});
const plane = (p: Plane): Plane => ({ centerMm: roundPoint(p.centerMm), heightMm: positive(p.heightMm) });
