import type { Object3D, Ray } from 'three';
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { CurvePoint, TransferStyle } from '#kernels/color/transfer-curve.ts';
import type { Bounds, Camera, Point } from '#kernels/grid/camera.ts';

export interface SurfaceHit {
  pointWorld: Point;
  /** null = not measured there, or no scalar shown */
  value: number | null;
}

/** How the volume is to be seen, in grey values. */
export interface VolumeLook {
  visible: boolean;
  style: TransferStyle;
  curve: readonly CurvePoint[];
  /** drawn black and white where it is cut open */
  greyLimits: readonly [number, number];
  /** from air to material */
  contrast: number;
  /** bright on a ground of its own, whatever the page's */
  isOnDark: boolean;
}

/** Everything that decides a frame besides the size; resolved, nothing left to default. */
export interface SceneState {
  camera: Camera;
  cursorWorld: Point;
  surface: ViewState['surface'];
  referenceVisible: boolean;
  /** limits of the colours */
  range: readonly [number, number];
  /** 256 · 3 bytes */
  lut: Uint8Array;
  clip: ViewState['clip'];
  volume: VolumeLook;
  /** corners of the scanned box, in the order of their binary number (bit 0 = i, 1 = j, 2 = k) */
  boxCorners: readonly Point[] | null;
  /** for each axis the ends of the line through the cursor */
  cursorLines: readonly (readonly [Point, Point])[];
}

/** One thing of the scene. What it shows is set by its own method, how it is seen by `apply`. */
export interface Layer {
  readonly kind: 'surface' | 'reference' | 'marks' | 'volume';
  /** stands in the scene for as long as the layer lives; not of what is drawn between others */
  readonly object?: Object3D;
  readonly visible: boolean;
  /** of the whole layer, 0 to 1 */
  readonly opacity: number;
  /** of what it shows, in the world; null while it shows nothing */
  bounds(): Bounds | null;
  /** Takes over how it is to be seen; draws nothing. */
  apply(state: SceneState): void;
  /** What depends on the picture's size. @param scale device pixels a pixel of the pane */
  prepare?(scale: number): void;
  /** The nearest visible point on a ray of the world. */
  pick?(ray: Ray, clip: SceneState['clip']): SurfaceHit | null;
  dispose(): void;
}

/** Number of what is drawn after the volume, through which one sees it; 0 is drawn before and hides it. */
export const translucentPass = 1;
