/** Corners of an arc as a polyline, for canvases without curves. */
export const listArc = (
  [x, y]: readonly [number, number],
  radius: number,
  [from, to]: readonly [number, number],
  pieces: number,
): (readonly [number, number])[] =>
  Array.from({ length: pieces + 1 }, (_, i) => {
    const angle = from + ((to - from) * i) / pieces;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });

/**
 * The part of the browser's 2D context used by the painters of scale bars, axes, legends and numbers; the server has
 * its own implementation (`kernels/picture/picture-canvas.ts`).
 */
export interface Canvas2D {
  /** painters only set colours; a browser's canvas may have gradients and patterns too */
  fillStyle: unknown;
  strokeStyle: unknown;
  lineWidth: number;
  lineJoin: 'round' | 'bevel' | 'miter';
  globalAlpha: number;
  font: string;
  textAlign: 'left' | 'center' | 'right' | 'start' | 'end';
  textBaseline: 'top' | 'middle' | 'alphabetic' | 'bottom' | 'hanging' | 'ideographic';
  save(): void;
  restore(): void;
  beginPath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  arc(x: number, y: number, radius: number, from: number, to: number): void;
  rect(x: number, y: number, width: number, height: number): void;
  closePath(): void;
  /** the path must be a rectangle */
  clip(): void;
  fill(rule?: 'nonzero' | 'evenodd'): void;
  /** lengths of dashes and gaps; empty = solid lines */
  setLineDash(lengths: number[]): void;
  stroke(): void;
  fillRect(x: number, y: number, width: number, height: number): void;
  strokeRect(x: number, y: number, width: number, height: number): void;
  fillText(text: string, x: number, y: number): void;
  strokeText(text: string, x: number, y: number): void;
  measureText(text: string): { width: number };
}
