import { type Camera, frame } from '#kernels/grid/camera.ts';
import { axisNames } from '#kernels/grid/plane-transform.ts';
import { axisInks, type Inks, paintAxes, paintScaleBar } from '../overlay/paint.ts';
import { scaleBar } from '../overlay/scale-bar.ts';

/** Scale bar (true only without perspective) and the directions of the axes. CSS pixels. */
export function paintSceneOverlay(
  context: CanvasRenderingContext2D,
  camera: Camera,
  widthPx: number,
  heightPx: number,
  inks: Inks,
): void {
  if (camera.projection === 'orthographic') {
    paintScaleBar(
      context,
      scaleBar(camera.heightMm / heightPx, Math.min(140, widthPx * 0.3)),
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
