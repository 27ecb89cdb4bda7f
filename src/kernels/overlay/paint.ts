/** Overlays of slices and surfaces, used on screen, in captures and by the server. Lengths in CSS pixels. */
import type { Canvas2D } from './canvas.ts';
import type { ScaleBar } from './scale-bar.ts';

export interface Inks {
  text: string;
  /** behind text and lines, so that they are readable on any picture */
  halo: string;
}

export const onDark: Inks = { text: '#e9edf1', halo: 'rgba(8, 10, 12, 0.78)' };
export const onLight: Inks = { text: '#22272d', halo: 'rgba(255, 255, 255, 0.82)' };

/** By axis: x, y, z. */
export const axisInks = ['#e06c67', '#5fb963', '#6a9bf4'] as const;
/** Of the oblique plane. */
export const obliqueInk = '#c08cf0';
/** Of clipping planes. */
export const clipInk = '#4fc3d9';
export const overlayFont = (size: number, weight = 500) =>
  `${weight} ${size}px 'Inter Variable', Inter, system-ui, sans-serif`;

export function paintText(
  context: Canvas2D,
  text: string,
  x: number,
  y: number,
  inks: Inks,
  colour: string = inks.text,
): void {
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = inks.halo;
  context.strokeText(text, x, y);
  context.fillStyle = colour;
  context.fillText(text, x, y);
}

export function strokePath(context: Canvas2D, ink: string, widthPx: number): void {
  context.strokeStyle = ink;
  context.lineWidth = widthPx;
  context.stroke();
}

/** Draws a path that is visible on any picture. */
export function strokeWithHalo(
  context: Canvas2D,
  ink: string,
  widthPx: number,
  { halo }: Pick<Inks, 'halo'>,
  haloPx = 3.5,
): void {
  strokePath(context, halo, haloPx);
  strokePath(context, ink, widthPx);
}

/** Draws a round mark at a position of a pane. CSS pixels. */
export function paintDot(
  context: Canvas2D,
  place: readonly [number, number],
  ink: string,
  radius: number,
  inks: Inks,
): void {
  context.beginPath();
  context.arc(...place, radius, 0, 2 * Math.PI);
  context.fillStyle = ink;
  context.fill();
  strokePath(context, inks.halo, 1.5);
}

export function paintScaleBar(context: Canvas2D, bar: ScaleBar, x: number, y: number, inks: Inks): void {
  const line = (grow: number) => {
    context.fillRect(x - grow, y - 1 - grow, bar.lengthPx + 2 * grow, 2 + 2 * grow);
    context.fillRect(x - grow, y - 5 - grow, 1 + 2 * grow, 9 + 2 * grow);
    context.fillRect(x + bar.lengthPx - 1 - grow, y - 5 - grow, 1 + 2 * grow, 9 + 2 * grow);
  };
  context.fillStyle = inks.halo;
  line(1);
  context.fillStyle = inks.text;
  line(0);
  context.font = overlayFont(11.5);
  context.textAlign = 'center';
  context.textBaseline = 'alphabetic';
  paintText(context, bar.label, x + bar.lengthPx / 2, y - 9, inks);
}

export interface PaneSize {
  widthPx: number;
  heightPx: number;
  /** device pixels per CSS pixel; the context uses CSS pixels, and its canvas is `scale` times as large */
  scale: number;
}

/** Draws a line through the whole pane with a gap around the crossing, so that the point itself stays visible. */
export function paintCrosshair(
  context: Canvas2D,
  [x, y]: readonly [number, number],
  [width, height]: readonly [number, number],
  inkAcross: string,
  inkDown: string,
): void {
  const gap = 9;
  const [cx, cy] = [Math.round(x) + 0.5, Math.round(y) + 0.5];
  context.lineWidth = 1;
  context.globalAlpha = 0.85;
  context.strokeStyle = inkAcross;
  context.beginPath();
  context.moveTo(0, cy);
  context.lineTo(cx - gap, cy);
  context.moveTo(cx + gap, cy);
  context.lineTo(width, cy);
  context.stroke();
  context.strokeStyle = inkDown;
  context.beginPath();
  context.moveTo(cx, 0);
  context.lineTo(cx, cy - gap);
  context.moveTo(cx, cy + gap);
  context.lineTo(cx, height);
  context.stroke();
  context.globalAlpha = 1;
}

/** Draws two arrows in a corner that show the axis directions. */
export function paintAxes(
  context: Canvas2D,
  arrows: readonly { name: string; ink: string; dx: number; dy: number; depth: number }[],
  x: number,
  y: number,
  inks: Inks,
): void {
  context.font = overlayFont(11.5, 600);
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (const arrow of [...arrows].sort((a, b) => a.depth - b.depth)) {
    const length = Math.hypot(arrow.dx, arrow.dy);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + arrow.dx, y + arrow.dy);
    strokeWithHalo(context, arrow.ink, 1.75, inks);
    const beyond = length > 1 ? 1 + 9 / length : 1;
    const [tx, ty] = length > 1 ? [x + arrow.dx * beyond, y + arrow.dy * beyond] : [x - 9, y - 9];
    paintText(context, arrow.name, tx, ty, inks, arrow.ink);
  }
}
