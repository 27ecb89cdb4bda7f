import { Modal, useComputedColorScheme } from '@mantine/core';
import { type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { formatCount, formatNumber, formatWithin } from '#contract/base/format-number.ts';
import { writeCsv } from '#formats/csv/write-csv.ts';
import { ticks } from '#kernels/color/weighted-histogram.ts';
import type { GreyHistogram } from '#kernels/grid/grey-window.ts';
import { overlayFont } from '#kernels/overlay/paint.ts';
import { numbersFileName } from '#web/ui/number-files.ts';
import { PlotActions, savePlot } from '#web/ui/plot-frame.tsx';
import { saveFile } from '#web/ui/save-file.ts';
import { listPowers, paintHistogram } from './paint-histogram.ts';
import styles from './panel.module.css';

/** Space around the plot for axes, in CSS pixels. */
const margins = { left: 42, right: 42, top: 8, bottom: 32 };
interface Size {
  width: number;
  height: number;
}

/** CSS pixels. */
const sizes = {
  small: { width: 300, height: 130 },
  large: { width: 960, height: 420 },
  picture: { width: 1200, height: 600 },
};

/** Where grey values and shares of the height lie on the canvas. CSS pixels. */
export interface PlotArea extends Size {
  left: number;
  right: number;
  top: number;
  bottom: number;
  toX(value: number): number;
  toY(share: number): number;
}

export interface PlotPoint {
  x: number;
  y: number;
  value: number;
  /** of the height, 0 to 1 */
  share: number;
}

interface GreyPlotProps {
  /** as in “Enlarge the opacity curve” */
  name: string;
  histogram: GreyHistogram | null;
  /** grey values at both ends */
  span: readonly [number, number];
  /** what dragging does */
  help: string;
  /** an axis at the left for what is drawn over the histogram */
  scale?: { title: string; marks: readonly (readonly [share: number, label: string])[] };
  /** draws over the histogram, in the current text colour */
  paint: (context: CanvasRenderingContext2D, area: PlotArea) => void;
  /** more about a grey value under the pointer */
  describe?: (value: number) => string;
  onDown: (point: PlotPoint, area: PlotArea) => void;
  onDrag: (point: PlotPoint) => void;
  onRelease: () => void;
  onDouble?: (point: PlotPoint, area: PlotArea) => void;
}

/** The histogram of grey values with axes and hover values; it can be enlarged, and saved as a picture or as CSV. */
export function GreyPlot(props: GreyPlotProps) {
  const { name, histogram, span } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [isLarge, setLarge] = useState(false);
  const savePicture = () => {
    const canvas = document.createElement('canvas');
    const { color } = getComputedStyle(frame.current ?? document.body);
    draw(canvas, sizes.picture, 1, color, props);
    void savePlot(canvas, name.replaceAll(' ', '-'));
  };
  const saveTable = () => {
    if (!histogram) return;
    const { counts, minimum, maximum } = histogram;
    const edge = (bin: number) => minimum + (bin * (maximum - minimum)) / counts.length;
    const text = writeCsv([
      ['grey value, from', 'grey value, to', 'voxels'],
      ...counts.map((count, bin) => [edge(bin), edge(bin + 1), count]),
    ]);
    const file = new Blob([text], { type: 'text/csv;charset=utf-8' });
    saveFile(file, numbersFileName(['grey-values_histogram'], 'csv'));
  };
  return (
    <div ref={frame} className={styles['greyPlot']}>
      <Plot {...props} span={span} size={sizes.small}>
        <PlotActions
          name={name}
          onEnlarge={() => setLarge(true)}
          onPicture={savePicture}
          onTable={saveTable}
          isSmall
        />
      </Plot>
      <Modal
        opened={isLarge}
        onClose={() => setLarge(false)}
        size={sizes.large.width + 40}
        title={name.charAt(0).toUpperCase() + name.slice(1)}
      >
        <div className={styles['greyPlot']}>
          <Plot {...props} span={span} size={sizes.large} />
        </div>
      </Modal>
    </div>
  );
}

function layOut({ width, height }: Size, [from, to]: readonly [number, number]): PlotArea {
  const [left, right] = [margins.left, width - margins.right];
  const [top, bottom] = [margins.top, height - margins.bottom];
  return {
    ...{ width, height, left, right, top, bottom },
    toX: (value) => left + ((value - from) / (to - from)) * (right - left),
    toY: (share) => bottom - share * (bottom - top),
  };
}

/** @param children beside the value under the pointer */
function Plot(props: GreyPlotProps & { size: Size; children?: ReactNode }) {
  const { histogram, span, help, size, children, describe, onDown, onDrag, onRelease, onDouble } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  // A change of the colour scheme renders again, and so draws in the new text colour.
  useComputedColorScheme('light');
  useEffect(() => {
    if (!canvas.current) return;
    const { color } = getComputedStyle(canvas.current);
    draw(canvas.current, size, globalThis.devicePixelRatio || 1, color, props);
  });
  const area = layOut(size, span);
  const locate = (event: { currentTarget: Element; clientX: number; clientY: number }): PlotPoint => {
    const box = event.currentTarget.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * size.width;
    const y = ((event.clientY - box.top) / box.height) * size.height;
    const within = (share: number) => Math.min(1, Math.max(0, share));
    const along = within((x - area.left) / (area.right - area.left));
    return {
      ...{ x, y, value: span[0] + along * (span[1] - span[0]) },
      share: within((area.bottom - y) / (area.bottom - area.top)),
    };
  };
  return (
    <>
      <canvas
        ref={canvas}
        style={{ width: size.width, maxWidth: '100%', aspectRatio: `${size.width} / ${size.height}` }}
        title={help}
        onPointerDown={(event: PointerEvent) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          onDown(locate(event), area);
        }}
        onPointerMove={(event) => {
          const point = locate(event);
          setHovered(point.value);
          if (event.buttons !== 0) onDrag(point);
        }}
        onPointerLeave={() => setHovered(null)}
        onPointerUp={onRelease}
        onPointerCancel={onRelease}
        onDoubleClick={(event) => onDouble?.(locate(event), area)}
      />
      <div className={styles['greyPlotFoot']}>
        <p className={styles['greyPlotValue']} aria-hidden data-testid="grey-plot-value">
          {hovered === null ? '' : describeValue(histogram, span, hovered, describe)}
        </p>
        {children}
      </div>
    </>
  );
}

function describeValue(
  histogram: GreyHistogram | null,
  span: readonly [number, number],
  value: number,
  describe: GreyPlotProps['describe'],
): string {
  const grey = formatWithin(span, { unit: '', factor: 1 }, value);
  const { counts = [], minimum = 0, maximum = 1 } = histogram ?? {};
  const bin = Math.floor(((value - minimum) / (maximum - minimum)) * counts.length);
  const count = counts[value === maximum ? counts.length - 1 : bin] ?? 0;
  return [`${grey}: ${formatCount(count)} voxels`, describe?.(value)].filter(Boolean).join(', ');
}

function draw(
  canvas: HTMLCanvasElement,
  size: Size,
  pixels: number,
  ink: string,
  { histogram, span, scale, paint }: GreyPlotProps,
): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const area = layOut(size, span);
  canvas.width = size.width * pixels;
  canvas.height = size.height * pixels;
  context.setTransform(pixels, 0, 0, pixels, 0, 0);
  context.fillStyle = context.strokeStyle = ink;
  const { left, right, top, bottom } = area;
  context.globalAlpha = 0.35;
  if (histogram) paintHistogram(context, histogram, area.toX, bottom, bottom - top);
  context.globalAlpha = 0.5;
  context.lineWidth = 1;
  context.strokeRect(left - 0.5, top - 0.5, right - left + 1, bottom - top + 1);
  paintAxes(context, area, span, histogram, scale);
  context.globalAlpha = 1;
  paint(context, area);
}

function paintAxes(
  context: CanvasRenderingContext2D,
  area: PlotArea,
  span: readonly [number, number],
  histogram: GreyHistogram | null,
  scale: GreyPlotProps['scale'],
): void {
  const { left, right, top, bottom, width, height } = area;
  context.globalAlpha = 0.85;
  context.font = overlayFont(10.5, 450);
  context.textBaseline = 'top';
  context.textAlign = 'center';
  for (const value of ticks(...span, Math.max(3, Math.floor((right - left) / 75)))) {
    context.fillRect(Math.round(area.toX(value)), bottom, 1, 3);
    context.fillText(formatNumber(value), area.toX(value), bottom + 4);
  }
  context.fillText('grey value', (left + right) / 2, height - 12);
  context.textBaseline = 'middle';
  const mark = (isLeft: boolean, share: number, label: string) => {
    const x = isLeft ? left : right;
    context.fillRect(isLeft ? x - 4 : x + 1, Math.round(area.toY(share)), 3, 1);
    context.textAlign = isLeft ? 'right' : 'left';
    context.fillText(label, isLeft ? x - 6 : x + 6, area.toY(share));
  };
  const title = (text: string, x: number) => {
    context.save();
    context.translate(x, (top + bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = 'center';
    context.fillText(text, 0, 0);
    context.restore();
  };
  for (const [share, label] of scale?.marks ?? []) mark(true, share, label);
  if (scale) title(scale.title, 6);
  const onLeft = !scale;
  for (const [share, label] of histogram ? listPowers(histogram) : []) mark(onLeft, share, label);
  title('voxels', onLeft ? 6 : width - 5);
}
