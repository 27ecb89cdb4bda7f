/** Corners of an arc in so many pieces, for canvases that have lines alone. */
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
 * What the painters of scale bars, axes, legends and numbers need of a canvas: a part of the browser's 2D context, which
 * the server has a canvas of its own for (`kernels/picture/picture-canvas.ts`).
 */
export interface Canvas2D {
  /** painters set colours alone; a browser's canvas may hold gradients and patterns too */
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
  /** the path is taken for a rectangle */
  clip(): void;
  fill(rule?: 'nonzero' | 'evenodd'): void;
  /** lengths of lines and of the gaps between them; none = whole lines */
  setLineDash(lengths: number[]): void;
  stroke(): void;
  fillRect(x: number, y: number, width: number, height: number): void;
  strokeRect(x: number, y: number, width: number, height: number): void;
  fillText(text: string, x: number, y: number): void;
  strokeText(text: string, x: number, y: number): void;
  measureText(text: string): { width: number };
}
