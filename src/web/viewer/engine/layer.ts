import type { Object3D, Ray } from 'three';
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { Bounds, Camera, Point } from '#kernels/grid/camera.ts';
import type { CutAway } from '#kernels/grid/cut-away.ts';
import type { VolumeLook } from '#kernels/grid/volume-look.ts';
import type { PlaceMarks } from '#kernels/places/place-marks.ts';

export interface SurfaceHit {
  pointWorld: Point;
  /** null = not measured there, or no scalar shown */
  value: number | null;
  /** id of the place (such as a defect) that it belongs to, if the surface consists of places */
  placeId: number | null;
  /** grey value of the scan if a section was hit; null = section of a surface without a scan */
  grey?: number | null;
  /** hit on a simplified surface: position and value are approximate */
  isSimplified?: boolean;
}

/** How the volume is shown, in grey values. */
export interface VolumeView extends VolumeLook {
  visible: boolean;
  isOnDark: boolean;
}

/** Content of a section: voxels above a grey value, or a single colour inside the surface. */
export type SectionLook = { kind: 'grey'; level: number } | { kind: 'plain' };

/** Everything that determines a frame except its size; all defaults resolved. */
export interface SceneState {
  camera: Camera;
  cursorWorld: Point;
  surface: ViewState['surface'];
  referenceVisible: boolean;
  /** null if the surface does not consist of places */
  places: PlaceMarks | null;
  /** limits of the colour scale */
  range: readonly [number, number];
  /** colour map, with entries for values beyond its limits */
  lut: Uint8Array;
  cuts: CutAway;
  /** null = sections are left open */
  section: SectionLook | null;
  volume: VolumeView;
  /** edges and ambient occlusion of opaque objects; null = depends on the renderer */
  scene: Pick<ViewState['scene'], 'edges' | 'occlusion'>;
  /** corners of the scanned box, in the order of their binary number (bit 0 = i, 1 = j, 2 = k) */
  boxCorners: readonly Point[] | null;
  /** for each axis the ends of the line through the cursor */
  cursorLines: readonly (readonly [Point, Point])[];
}

/** An object of the scene. Its own method sets its data, `apply` sets its appearance. */
export interface Layer {
  readonly kind: 'surface' | 'reference' | 'chosen' | 'marks' | 'volume' | 'cap';
  /** part of the scene for as long as the layer exists; undefined if it is drawn between other passes */
  readonly object?: Object3D;
  readonly visible: boolean;
  /** of the whole layer, 0 to 1 */
  readonly opacity: number;
  /** in the world; null while nothing is shown */
  bounds(): Bounds | null;
  /** Applies the state; does not draw. */
  apply(state: SceneState): void;
  /** Applies what depends on the frame alone. @param scale device pixels per pixel of the pane */
  prepare?(scale: number, isAtRest: boolean): void;
  /** The nearest visible point on a ray in world coordinates. */
  pick?(ray: Ray, cuts: CutAway): SurfaceHit | null;
  dispose(): void;
}

/**
 * Passes, as numbers of camera layers: opaque objects with depth, before the volume; translucent objects after it, in
 * any order; finally overlays.
 */
export const [opaquePass, translucentPass, overPass] = [0, 1, 2] as const;
