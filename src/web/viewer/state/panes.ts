import type { PaneName } from '#kernels/grid/pane-layout.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';

/** The value under the pointer. */
export interface Probe {
  pane: PaneName;
  pointWorld: Vector3;
  /** grey value or scalar; null = nothing measured there */
  value: number | null;
  title: string;
  unit: string;
  /** false if a slice's value is an average because the full resolution has not loaded yet */
  exact: boolean;
}

export type Tool = 'cursor' | 'pan' | 'window';

/** Draws a pane into a picture: on the screen and for a capture. */
export type PanePainter = (
  context: CanvasRenderingContext2D,
  widthPx: number,
  heightPx: number,
  scale: number,
  live: boolean,
) => void;
