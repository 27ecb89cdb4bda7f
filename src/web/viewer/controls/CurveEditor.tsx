import { useRef, useState } from 'react';
import { formatNumber, withUnit } from '#contract/base/format-number.ts';
import type { GreyHistogram } from '#kernels/grid/grey-window.ts';
import { type CurvePoint, tabulateCurve } from '#kernels/grid/transfer-curve.ts';
import { addPoint, movePoint } from './edit-curve.ts';
import { GreyPlot, type PlotArea, type PlotPoint } from './GreyPlot.tsx';

const reachPx = 12;
/** Space for the label of ISO 50. */
const labelPx = 48;
const scale = {
  title: 'opacity, %',
  marks: [0, 25, 50, 75, 100].map((percent) => [percent / 100, `${percent}`] as const),
};

const readOpacity = (curve: readonly CurvePoint[], value: number): number =>
  (tabulateCurve(curve, value, value, 2)[3] ?? 0) / 255;

interface CurveEditorProps {
  curve: readonly CurvePoint[];
  histogram: GreyHistogram;
  iso: number | null;
  onChange: (curve: CurvePoint[]) => void;
}

/** The curve over the grey value histogram: points can be dragged, and added by a double click. */
export function CurveEditor({ curve, histogram, iso, onChange }: CurveEditorProps) {
  const dragging = useRef<number | null>(null);
  const [held, setHeld] = useState<number | null>(null);
  const span = [histogram.minimum, histogram.maximum] as const;
  const findNearest = ({ x, y }: PlotPoint, { toX, toY }: PlotArea): number | null => {
    const away = curve.map((point) => Math.hypot(toX(point.value) - x, toY(point.opacity) - y));
    const least = Math.min(...away);
    return least <= reachPx ? away.indexOf(least) : null;
  };
  return (
    <GreyPlot
      name="opacity curve"
      histogram={histogram}
      span={span}
      help="Opacity curve over the histogram of grey values: drag a point, double-click to add one, or use the fields below"
      scale={scale}
      paint={(context, area) => {
        if (iso !== null) paintIso(context, area, iso);
        paintCurve(context, area, curve, held);
      }}
      describe={(value) => `opacity ${withUnit(formatNumber(readOpacity(curve, value) * 100, 0), '%')}`}
      onDown={(point, area) => {
        dragging.current = findNearest(point, area);
        setHeld(dragging.current);
      }}
      onDrag={({ value, share }) => {
        if (dragging.current === null) return;
        onChange(movePoint(curve, dragging.current, { value, opacity: share }, span));
      }}
      onRelease={() => {
        dragging.current = null;
        setHeld(null);
      }}
      onDouble={(point, area) => {
        if (findNearest(point, area) === null) onChange(addPoint(curve, point.value, point.share));
      }}
    />
  );
}

function paintIso(context: CanvasRenderingContext2D, area: PlotArea, iso: number): void {
  const x = area.toX(iso);
  context.globalAlpha = 0.8;
  context.setLineDash([4, 3]);
  context.strokeRect(Math.round(x) + 0.5, area.top, 0, area.bottom - area.top);
  context.setLineDash([]);
  context.font = '600 10px sans-serif';
  context.textBaseline = 'top';
  // On the transparent side of the curve, where usually nothing else is drawn.
  const isRight = x - area.left > labelPx;
  context.textAlign = isRight ? 'right' : 'left';
  context.fillText('ISO 50', x + (isRight ? -4 : 4), isRight ? area.top + 2 : area.bottom - 14);
  context.globalAlpha = 1;
}

function paintCurve(
  context: CanvasRenderingContext2D,
  { left, right, toX, toY }: PlotArea,
  curve: readonly CurvePoint[],
  held: number | null,
): void {
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(left, toY(curve[0]?.opacity ?? 0));
  for (const { value, opacity } of curve) context.lineTo(toX(value), toY(opacity));
  context.lineTo(right, toY(curve.at(-1)?.opacity ?? 0));
  context.stroke();
  for (const [i, { value, opacity, color }] of curve.entries()) {
    context.beginPath();
    context.arc(toX(value), toY(opacity), i === held ? 6.5 : 5, 0, 2 * Math.PI);
    context.fillStyle = color;
    context.fill();
    context.stroke();
  }
}
