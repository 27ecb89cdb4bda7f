import { type RefObject, useEffect } from 'react';
import type { SliceName } from '#kernels/grid/plane-transform.ts';
import type { PanePainter } from './panes.ts';
import type { ViewerModel } from './viewer-model.ts';

/**
 * Puts a new canvas into a holder, keeps it at the holder's size, and redraws it at the next frame whenever the model
 * changes. Captures use the same painter.
 */
export function usePaneCanvas(
  holder: RefObject<HTMLDivElement | null>,
  model: ViewerModel,
  name: SliceName,
  createPainter: (model: ViewerModel, name: SliceName) => PanePainter,
): void {
  useEffect(() => {
    const parent = holder.current;
    if (!parent) return;
    const canvas = document.createElement('canvas');
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'application');
    canvas.setAttribute(
      'aria-label',
      `Slice ${name.toUpperCase()}. Page up and down change the slice, arrows move the cursor, plus and minus zoom.${
        name === 'oblique' ? ' W and S, A and D tilt the plane, Q and E turn the picture.' : ''
      }`,
    );
    parent.append(canvas);
    const paint = createPainter(model, name);
    let drawn = { widthPx: 0, heightPx: 0 };
    const draw = () => {
      const [widthPx, heightPx] = [parent.clientWidth, parent.clientHeight];
      drawn = { widthPx, heightPx };
      if (widthPx < 1 || heightPx < 1) return;
      const scale = window.devicePixelRatio || 1;
      const [width, height] = [Math.round(widthPx * scale), Math.round(heightPx * scale)];
      if (canvas.width !== width || canvas.height !== height) {
        canvas.width = width;
        canvas.height = height;
        // Whole pixels: a fractional size would stretch the picture and blur every voxel.
        canvas.style.width = `${widthPx}px`;
        canvas.style.height = `${heightPx}px`;
      }
      const context = canvas.getContext('2d', { alpha: false });
      if (!context) return;
      context.setTransform(scale, 0, 0, scale, 0, 0);
      paint(context, widthPx, heightPx, scale, true);
    };
    const request = () => model.scheduler.request(draw);
    const sized = new ResizeObserver(() => {
      const size = { widthPx: parent.clientWidth, heightPx: parent.clientHeight };
      model.paneSizes.set(name, size);
      // The observer also reports the initial size, which the first picture already has.
      if (size.widthPx !== drawn.widthPx || size.heightPx !== drawn.heightPx) request();
    });
    sized.observe(parent);
    model.painters.set(name, paint);
    const stops = [
      model.store.signal,
      model.revision,
      model.tiles,
      model.histogram,
      model.plan,
      model.measuring.props,
      model.measuring.next,
    ].map((signal) => signal.subscribe(request));
    request();
    return () => {
      for (const stop of stops) stop();
      sized.disconnect();
      model.painters.delete(name);
      model.scheduler.cancel(draw);
      canvas.remove();
    };
  }, [holder, model, name, createPainter]);
}
