import { useRef } from 'react';
import { decimalsFor } from '#contract/base/format-number.ts';
import {
  autoWindow,
  type GreyHistogram,
  type GreyWindow,
  toGreyWindow,
  windowLimits,
} from '#kernels/grid/grey-window.ts';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { GreyPlot, type PlotPoint } from './GreyPlot.tsx';
import inputStyles from './inputs.module.css';
import { NumberField } from './NumberField.tsx';
import panelStyles from './panel.module.css';

/** Both limits of the grey window: by dragging, by number, or automatically from the data. */
export function WindowPanel({ model }: { model: ViewerModel }) {
  useSignal(model.store.signal);
  const histogram = useSignal(model.histogram);
  const window_ = model.window();
  const [low, high] = windowLimits(window_);
  const whole = !/^float/.test(model.volume?.dataType ?? '');
  const step = whole ? 1 : 10 ** Math.floor(Math.log10(window_.width / 200));
  const set = (window: GreyWindow) => {
    if (window.width > 0) model.store.update({ window });
  };
  return (
    <div className={panelStyles['panel']}>
      <WindowHistogram {...{ histogram, low, high }} onChange={set} />
      <div className={panelStyles['panelRow']}>
        <span>
          Black{' '}
          <NumberField
            label="Grey value drawn black"
            value={low}
            step={step}
            onChange={(value) => set(toGreyWindow(value, high))}
          />
        </span>
        <span>
          White{' '}
          <NumberField
            label="Grey value drawn white"
            value={high}
            step={step}
            onChange={(value) => set(toGreyWindow(low, value))}
          />
        </span>
      </div>
      <div className={panelStyles['panelRow']}>
        <span>
          Level{' '}
          <NumberField
            label="Level"
            value={window_.center}
            step={step}
            onChange={(center) => set({ ...window_, center })}
          />
        </span>
        <span>
          Width{' '}
          <NumberField
            label="Width"
            value={window_.width}
            step={step}
            minimum={10 ** -decimalsFor(step)}
            onChange={(value) => set({ ...window_, width: value })}
          />
        </span>
      </div>
      <div className={panelStyles['panelRow']}>
        <button
          type="button"
          className={inputStyles['textButton']}
          disabled={!histogram}
          title="0.5 to 99.5 % of the voxels, plus 20 % of that range above"
          onClick={() => histogram && set(autoWindow(histogram))}
        >
          Auto
        </button>
        <button
          type="button"
          className={inputStyles['textButton']}
          disabled={!histogram}
          onClick={() => histogram && set(toGreyWindow(histogram.minimum, histogram.maximum))}
        >
          Full range
        </button>
      </div>
    </div>
  );
}

interface WindowHistogramProps {
  histogram: GreyHistogram | null;
  low: number;
  high: number;
  onChange: (window: GreyWindow) => void;
}

/** Histogram of grey values, with both limits of the window as draggable lines. */
function WindowHistogram({ histogram, low, high, onChange }: WindowHistogramProps) {
  const dragging = useRef<0 | 1 | null>(null);
  const from = Math.min(low, histogram?.minimum ?? low);
  const to = Math.max(high, histogram?.maximum ?? high);
  const move = ({ value }: PlotPoint) => {
    const least = (to - from) * 1e-4;
    if (dragging.current === 0) onChange(toGreyWindow(Math.min(value, high - least), high));
    if (dragging.current === 1) onChange(toGreyWindow(low, Math.max(value, low + least)));
  };
  return (
    <GreyPlot
      name="histogram of grey values"
      histogram={histogram}
      span={[from, to]}
      help="Frequency of grey values, logarithmic; drag a limit"
      paint={(context, { toX, top, bottom }) => {
        const ink = context.fillStyle;
        const gradient = context.createLinearGradient(toX(low), 0, toX(high), 0);
        gradient.addColorStop(0, '#000');
        gradient.addColorStop(1, '#fff');
        context.fillStyle = gradient;
        context.fillRect(toX(from), bottom - 8, toX(to) - toX(from), 8);
        context.fillStyle = ink;
        for (const limit of [low, high]) context.fillRect(Math.round(toX(limit)) - 1, top, 2, bottom - top);
      }}
      onDown={(point, { toX }) => {
        dragging.current = Math.abs(toX(low) - point.x) < Math.abs(toX(high) - point.x) ? 0 : 1;
        move(point);
      }}
      onDrag={move}
      onRelease={() => {
        dragging.current = null;
      }}
    />
  );
}
