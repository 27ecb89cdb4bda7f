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
  /** number of the place that it is of, where the surface is one of places */
  placeId: number | null;
  /** of the scan, where it is a section that was hit; null = the section of a surface without a scan */
  grey?: number | null;
  /** of a surface with fewer triangles: about there, and about the value */
  isSimplified?: boolean;
}

/** How the volume is to be seen, in grey values. */
export interface VolumeView extends VolumeLook {
  visible: boolean;
  isOnDark: boolean;
}

/** What a section shows: voxels from a grey value on, or one colour within the surface. */
export type SectionLook = { kind: 'grey'; level: number } | { kind: 'plain' };

/** Everything that decides a frame besides the size; resolved, nothing left to default. */
export interface SceneState {
  camera: Camera;
  cursorWorld: Point;
  surface: ViewState['surface'];
  referenceVisible: boolean;
  /** null where the surface is not one of places */
  places: PlaceMarks | null;
  /** limits of the colours */
  range: readonly [number, number];
  /** of a colour map, with the entries for what is beyond its limits */
  lut: Uint8Array;
  cuts: CutAway;
  /** null = sections are left open */
  section: SectionLook | null;
  volume: VolumeView;
  /** edges and hollows of opaque things; null = as the renderer can */
  scene: Pick<ViewState['scene'], 'edges' | 'occlusion'>;
  /** corners of the scanned box, in the order of their binary number (bit 0 = i, 1 = j, 2 = k) */
  boxCorners: readonly Point[] | null;
  /** for each axis the ends of the line through the cursor */
  cursorLines: readonly (readonly [Point, Point])[];
}

/** One thing of the scene. What it shows is set by its own method, how it is seen by `apply`. */
export interface Layer {
  readonly kind: 'surface' | 'reference' | 'chosen' | 'marks' | 'volume' | 'cap';
  /** stands in the scene for as long as the layer lives; not of what is drawn between others */
  readonly object?: Object3D;
  readonly visible: boolean;
  /** of the whole layer, 0 to 1 */
  readonly opacity: number;
  /** of what it shows, in the world; null while it shows nothing */
  bounds(): Bounds | null;
  /** Takes over how it is to be seen; draws nothing. */
  apply(state: SceneState): void;
  /** What depends on the frame alone. @param scale device pixels a pixel of the pane */
  prepare?(scale: number, isAtRest: boolean): void;
  /** The nearest visible point on a ray of the world. */
  pick?(ray: Ray, cuts: CutAway): SurfaceHit | null;
  dispose(): void;
}

/**
 * When a thing is drawn, as the number of its camera layer: with its depth, before the volume; after it, whatever
 * the order of what lets something through; at last, over it all.
 */
export const [opaquePass, translucentPass, overPass] = [0, 1, 2] as const;
