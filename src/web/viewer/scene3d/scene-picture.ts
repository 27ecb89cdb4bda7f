import { formatLength } from '#contract/base/format-number.ts';
import { listLabels } from '#contract/shapes/label-words.ts';
import { groundFor } from '#kernels/color/scene-ground.ts';
import { onDark, onLight, type PaneSize } from '#kernels/overlay/paint.ts';
import { paintChosenRing } from '#kernels/overlay/paint-chosen-place.ts';
import { paintGizmos } from '#kernels/overlay/paint-gizmos.ts';
import { paintSceneLabels } from '#kernels/overlay/paint-labels.ts';
import { type LegendModel, paintPictureLegend, reserveLegend } from '#kernels/overlay/paint-legend.ts';
import { paintSceneOverlay } from '#kernels/overlay/paint-scene.ts';
import type { Engine } from '../engine/engine.ts';
import { paintSceneMeasurements } from '../measure/paint-measurements.ts';
import { readSceneState } from '../state/scene-state.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { makeObliqueGizmo } from './gizmos.ts';

/** Draws the 3D pane for a capture: background, antialiased surface, scale bar, axes and legend. CSS pixels. */
export function paintScenePicture(
  context: CanvasRenderingContext2D,
  engine: Engine,
  model: ViewerModel,
  legend: LegendModel | null,
  { widthPx, heightPx, scale }: PaneSize,
): void {
  const inks = onLight;
  const ground = context.createLinearGradient(0, 0, 0, heightPx);
  for (const [end, rgb] of groundFor(model.store.get()).entries())
    ground.addColorStop(end, `rgb(${rgb.join(' ')})`);
  context.fillStyle = ground;
  context.fillRect(0, 0, widthPx, heightPx);
  const legendWidth = reserveLegend(legend, widthPx);
  const sceneWidthPx = widthPx - legendWidth;
  const [width, height] = [Math.round(sceneWidthPx * scale), Math.round(heightPx * scale)];
  const state = readSceneState(model, sceneWidthPx / heightPx);
  engine.apply(state);
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const picture = canvas.getContext('2d');
  if (!picture) return;
  picture.putImageData(new ImageData(unpremultiplied(engine.picture(width, height)), width, height), 0, 0);
  context.drawImage(canvas, 0, 0, sceneWidthPx, heightPx);
  const marks = state.volume.isOnDark ? onDark : inks;
  paintSceneOverlay(context, state.camera, [sceneWidthPx, heightPx], marks, formatLength);
  paintGizmos(makeObliqueGizmo(model), context, state.camera, [sceneWidthPx, heightPx], marks);
  const texts = paintSceneMeasurements(model, context, state.camera, [sceneWidthPx, heightPx], marks);
  const chosen = state.places?.chosenBall ?? null;
  paintChosenRing(context, chosen, state.camera, [sceneWidthPx, heightPx], marks);
  const labels = listLabels(model.store.get().labels);
  paintSceneLabels(context, labels, state.camera, [sceneWidthPx, heightPx], marks, texts);
  if (legend && legendWidth > 0) paintPictureLegend(context, legend, [widthPx, heightPx], inks);
}

/** ImageData requires colours that are not premultiplied. */
function unpremultiplied(bytes: Uint8ClampedArray<ArrayBuffer>): Uint8ClampedArray<ArrayBuffer> {
  for (let i = 0; i < bytes.length; i += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = bytes.subarray(i, i + 4);
    if (alpha === 0 || alpha === 255) continue;
    bytes.set([(red * 255) / alpha, (green * 255) / alpha, (blue * 255) / alpha], i);
  }
  return bytes;
}
