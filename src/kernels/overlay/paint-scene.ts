import { type Camera, frame } from '../grid/camera.ts';
import { axisNames } from '../grid/plane-transform.ts';
import type { Canvas2D } from './canvas.ts';
import { axisInks, type Inks, paintAxes, paintScaleBar } from './paint.ts';
import { scaleBar } from './scale-bar.ts';

/** Draws the scale bar (only without perspective) and the directions of the axes. CSS pixels. */
export function paintSceneOverlay(
  context: Canvas2D,
  camera: Camera,
  [widthPx, heightPx]: readonly [number, number],
  inks: Inks,
  formatLength: (mm: number) => string,
): void {
  if (camera.projection === 'orthographic') {
    paintScaleBar(
      context,
      scaleBar(camera.heightMm / heightPx, Math.min(140, widthPx * 0.3), formatLength),
      14,
      heightPx - 14,
      inks,
    );
  }
  const { right, up, towards } = frame(camera);
  const length = 26;
  paintAxes(
    context,
    ([0, 1, 2] as const).map((axis) => ({
      name: axisNames[axis],
      ink: axisInks[axis],
      dx: right[axis] * length,
      dy: -up[axis] * length,
      depth: towards[axis],
    })),
    48,
    heightPx - 78,
    inks,
  );
}
