import { describePlace } from '#contract/shapes/label-words.ts';
import { projectPoint } from '#kernels/grid/camera.ts';
import { valueText } from '../controls/StatusLine.tsx';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import styles from './scene.module.css';

/** Offset from the pointer, and the distance from the right edge below which the label is to its left. CSS pixels. */
const [gapPx, roomPx] = [14, 220];

/**
 * Label at the point of the part under the pointer: value with unit, and position. The status line shows the same for
 * everybody.
 */
export function HoverLabel({ model }: { model: ViewerModel }) {
  const probe = useSignal(model.probe);
  const size = model.paneSizes.get('3d');
  if (probe?.pane !== '3d' || !size) return null;
  const { widthPx, heightPx } = size;
  const place = projectPoint(model.camera(widthPx / heightPx), probe.pointWorld, widthPx, heightPx);
  if (!place) return null;
  const [x, y] = place;
  const isLeft = x > widthPx - roomPx;
  return (
    <div
      className={styles['hoverLabel']}
      style={{
        left: isLeft ? undefined : x + gapPx,
        right: isLeft ? widthPx - x + gapPx : undefined,
        top: Math.min(y + gapPx, heightPx - 48),
      }}
      aria-hidden
      data-testid="hover-label"
    >
      {probe.title ? (
        <div>
          {probe.title} <strong>{valueText(model, probe)}</strong>
        </div>
      ) : null}
      <div>{describePlace(probe.pointWorld)}</div>
    </div>
  );
}
