import { type PointerEvent, useEffect, useRef, useState } from 'react';
import type { GreyHistogram } from '#kernels/grid/grey-window.ts';
import type { CurvePoint } from '#kernels/grid/transfer-curve.ts';
import { addPoint, movePoint } from './edit-curve.ts';
import { paintHistogram } from './paint-histogram.ts';

const width = 300;
const height = 128;
const edge = 8;
const reachPx = 12;
/** Space for the label of ISO 50. */
const labelPx = 48;
const tall = height - 2 * edge;
const toY = (opacity: number) => height - edge - opacity * tall;

interface CurveEditorProps {
  curve: readonly CurvePoint[];
  histogram: GreyHistogram;
  iso: number | null;
  onChange: (curve: CurvePoint[]) => void;
}

/** The curve over the grey value histogram: points can be dragged, and added by a double click. */
export function CurveEditor({ curve, histogram, iso, onChange }: CurveEditorProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const dragging = useRef<number | null>(null);
  const [held, setHeld] = useState<number | null>(null);
  const { minimum, maximum } = histogram;
  const toX = (value: number) => edge + ((value - minimum) / (maximum - minimum)) * (width - 2 * edge);

  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context || !canvas.current) return;
    const scale = globalThis.devicePixelRatio || 1;
    canvas.current.width = width * scale;
    canvas.current.height = height * scale;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    const ink = getComputedStyle(canvas.current).color;
    const place = (value: number) => edge + ((value - minimum) / (maximum - minimum)) * (width - 2 * edge);
    context.fillStyle = context.strokeStyle = ink;
    context.globalAlpha = 0.3;
    paintHistogram(context, histogram, place, height - edge, tall);
    if (iso !== null) {
      context.globalAlpha = 0.8;
      context.setLineDash([4, 3]);
      context.strokeRect(Math.round(place(iso)) + 0.5, 0, 0, height - edge);
      context.setLineDash([]);
      context.font = '600 10px sans-serif';
      context.textBaseline = 'top';
      // On the transparent side of the curve, where usually nothing else is drawn.
      const isRight = place(iso) > labelPx;
      context.textAlign = isRight ? 'right' : 'left';
      context.fillText('ISO 50', place(iso) + (isRight ? -4 : 4), 0);
    }
    context.globalAlpha = 1;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(0, toY(curve[0]?.opacity ?? 0));
    for (const { value, opacity } of curve) context.lineTo(place(value), toY(opacity));
    context.lineTo(width, toY(curve.at(-1)?.opacity ?? 0));
    context.stroke();
    for (const [i, { value, opacity, color }] of curve.entries()) {
      context.beginPath();
      context.arc(place(value), toY(opacity), i === held ? 6.5 : 5, 0, 2 * Math.PI);
      context.fillStyle = color;
      context.fill();
      context.stroke();
    }
  }, [curve, histogram, iso, held, minimum, maximum]);

  const place = (event: { currentTarget: Element; clientX: number; clientY: number }) => {
    const box = event.currentTarget.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const share = Math.min(1, Math.max(0, (x - edge) / (width - 2 * edge)));
    return {
      x,
      y,
      value: minimum + share * (maximum - minimum),
      opacity: Math.min(1, Math.max(0, (height - edge - y) / tall)),
    };
  };
  const nearest = (x: number, y: number): number | null => {
    const away = curve.map((point) => Math.hypot(toX(point.value) - x, toY(point.opacity) - y));
    const least = Math.min(...away);
    return least <= reachPx ? away.indexOf(least) : null;
  };
  const release = () => {
    dragging.current = null;
    setHeld(null);
  };
  return (
    <canvas
      ref={canvas}
      style={{ width, height }}
      title="Opacity curve over the histogram of grey values: drag a point, double-click to add one, or use the fields below"
      onPointerDown={(event: PointerEvent) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        const { x, y } = place(event);
        dragging.current = nearest(x, y);
        setHeld(dragging.current);
      }}
      onPointerMove={(event) => {
        if (dragging.current === null) return;
        const { value, opacity } = place(event);
        onChange(movePoint(curve, dragging.current, { value, opacity }, [minimum, maximum]));
      }}
      onPointerUp={release}
      onPointerCancel={release}
      onDoubleClick={(event) => {
        const { x, y, value, opacity } = place(event);
        if (nearest(x, y) === null) onChange(addPoint(curve, value, opacity));
      }}
    />
  );
}
