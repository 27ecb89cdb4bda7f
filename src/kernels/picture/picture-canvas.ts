import { type Canvas2D, listArc } from '../overlay/canvas.ts';
import type { Pane } from './pane.ts';

/** A polygon or polyline in a plane, y down. */
type Outline = number[];

/** Provides text as closed outlines from the start of its baseline, and its width. */
export interface Letters {
  outline(text: string, font: { weight: number; sizePx: number }): { outlines: Outline[]; width: number };
  /** relative to the font size: extent above and below the baseline */
  ascent: number;
  descent: number;
}

interface State {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  lineJoin: Canvas2D['lineJoin'];
  globalAlpha: number;
  font: string;
  textAlign: Canvas2D['textAlign'];
  textBaseline: Canvas2D['textBaseline'];
  dash: readonly number[];
  /** target area in pixels of the pane */
  box: Box;
}

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Rows of samples per pixel; horizontally the coverage is exact. */
const rowsAPixel = 4;
/** Corners of the round ends of a line. */
const roundCorners = 12;

/**
 * A canvas over a pane of a picture, for painters shared with browsers; lengths in CSS pixels. Supports round joins
 * only.
 */
export class PictureCanvas implements Canvas2D {
  fillStyle = '#000';
  strokeStyle = '#000';
  lineWidth = 1;
  lineJoin: Canvas2D['lineJoin'] = 'round';
  globalAlpha = 1;
  font = '500 12px';
  textAlign: Canvas2D['textAlign'] = 'left';
  textBaseline: Canvas2D['textBaseline'] = 'alphabetic';
  readonly #pane: Pane;
  readonly #scale: number;
  readonly #letters: Letters;
  #box: Box;
  #path: Outline[] = [];
  #dash: readonly number[] = [];
  #saved: State[] = [];

  /** @param scale picture pixels per CSS pixel */
  constructor(pane: Pane, scale: number, letters: Letters) {
    this.#pane = pane;
    this.#scale = scale;
    this.#letters = letters;
    this.#box = { left: 0, top: 0, right: pane.width, bottom: pane.height };
  }

  save(): void {
    const { fillStyle, strokeStyle, lineWidth, lineJoin, globalAlpha, font, textAlign, textBaseline } = this;
    this.#saved.push({
      fillStyle,
      strokeStyle,
      lineWidth,
      lineJoin,
      globalAlpha,
      font,
      textAlign,
      textBaseline,
      dash: this.#dash,
      box: this.#box,
    });
  }

  restore(): void {
    const { box, dash, ...looks } = this.#saved.pop() ?? { box: this.#box, dash: this.#dash };
    Object.assign(this, looks);
    this.#box = box;
    this.#dash = dash;
  }

  beginPath(): void {
    this.#path = [];
  }

  moveTo(x: number, y: number): void {
    this.#path.push([x * this.#scale, y * this.#scale]);
  }

  lineTo(x: number, y: number): void {
    const last = this.#path.at(-1);
    if (last) last.push(x * this.#scale, y * this.#scale);
    else this.moveTo(x, y);
  }

  arc(x: number, y: number, radius: number, from: number, to: number): void {
    const corners = Math.max(8, Math.ceil(Math.abs(to - from) * Math.sqrt(radius * this.#scale) * 2));
    for (const [i, place] of listArc([x, y], radius, [from, to], corners).entries())
      i === 0 ? this.moveTo(...place) : this.lineTo(...place);
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#path.push(this.#corners(x, y, width, height));
    this.closePath();
  }

  closePath(): void {
    const last = this.#path.at(-1);
    if (last && last.length > 2) last.push(last[0], last[1]);
  }

  clip(): void {
    const [x, y] = [0, 1].map((k) => this.#path.flat().filter((_, i) => i % 2 === k));
    const { left, top, right, bottom } = this.#box;
    this.#box = {
      left: Math.max(left, Math.round(Math.min(...x))),
      top: Math.max(top, Math.round(Math.min(...y))),
      right: Math.min(right, Math.round(Math.max(...x))),
      bottom: Math.min(bottom, Math.round(Math.max(...y))),
    };
  }

  fill(rule: 'nonzero' | 'evenodd' = 'nonzero'): void {
    this.#cover(this.#path, this.fillStyle, rule === 'evenodd');
  }

  setLineDash(lengths: number[]): void {
    this.#dash = lengths.map((length) => length * this.#scale);
  }

  stroke(): void {
    const lines = this.#dash.length > 0 ? dashLines(this.#path, this.#dash) : this.#path;
    this.#cover(outlineLines(lines, this.lineWidth * this.#scale), this.strokeStyle);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.#cover([this.#corners(x, y, width, height)], this.fillStyle);
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    const corners = this.#corners(x, y, width, height);
    const closed = [...corners, corners[0], corners[1]];
    this.#cover(outlineLines([closed], this.lineWidth * this.#scale), this.strokeStyle);
  }

  fillText(text: string, x: number, y: number): void {
    this.#cover(this.#place(text, x, y), this.fillStyle);
  }

  strokeText(text: string, x: number, y: number): void {
    const closed = this.#place(text, x, y).map((outline) => [...outline, outline[0], outline[1]]);
    this.#cover(outlineLines(closed, this.lineWidth * this.#scale), this.strokeStyle);
  }

  measureText(text: string): { width: number } {
    return { width: this.#letters.outline(text, this.#readFont()).width };
  }

  #readFont(): { weight: number; sizePx: number } {
    const [, weight, size] = /^(\d+) ([\d.]+)px/.exec(this.font) ?? [];
    return { weight: Number(weight ?? 500), sizePx: Number(size ?? 12) };
  }

  #place(text: string, x: number, y: number): Outline[] {
    const font = this.#readFont();
    const { outlines, width } = this.#letters.outline(text, font);
    const left = x - { left: 0, start: 0, center: width / 2, right: width, end: width }[this.textAlign];
    const { ascent, descent } = this.#letters;
    const above = {
      alphabetic: 0,
      ideographic: 0,
      bottom: -descent,
      middle: (ascent - descent) / 2,
      hanging: ascent,
      top: ascent,
    }[this.textBaseline];
    const base = y + above * font.sizePx;
    return outlines.map((outline) =>
      outline.map((each, i) => (each + (i % 2 === 0 ? left : base)) * this.#scale),
    );
  }

  #corners(x: number, y: number, width: number, height: number): Outline {
    return [x, y, x + width, y, x + width, y + height, x, y + height].map((each) => each * this.#scale);
  }

  /** Fills outlines with the non-zero rule, or the even-odd rule. */
  #cover(outlines: readonly Outline[], ink: string, isOddAlone = false): void {
    const { rgb, alpha } = readInk(ink);
    const { picture, x: paneX, y: paneY } = this.#pane;
    coverRows(outlines, this.#box, isOddAlone, (x, y, share) => {
      const at = ((paneY + y) * picture.width + paneX + x) * picture.channels;
      const opacity = Math.min(1, share) * alpha * this.globalAlpha;
      for (let k = 0; k < 3; k++) {
        const under = picture.samples[at + k];
        picture.samples[at + k] = Math.round(under + (rgb[k] - under) * opacity);
      }
    });
  }
}

interface Ink {
  rgb: readonly [number, number, number];
  alpha: number;
}

const inks = new Map<string, Ink>();

/** Parses `#rrggbb`, `rgb(r g b)`, `rgb(r g b / 55%)`, `rgba(r, g, b, a)`. */
export function readInk(text: string): Ink {
  const known = inks.get(text);
  if (known) return known;
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text);
  const numbers = hex
    ? hex.slice(1).map((pair) => Number.parseInt(pair, 16))
    : [...text.matchAll(/[\d.]+%?/g)].map(([each]) =>
        each.endsWith('%') ? Number.parseFloat(each) / 100 : Number(each),
      );
  const [r = 0, g = 0, b = 0, alpha = 1] = numbers;
  const ink: Ink = { rgb: [r, g, b], alpha };
  inks.set(text, ink);
  return ink;
}

/** Polygons of lines with a width and round joins: one per segment, all with the same orientation. */
function outlineLines(lines: readonly Outline[], widthPx: number): Outline[] {
  const half = widthPx / 2;
  const pieces: Outline[] = [];
  for (const line of lines) {
    for (let i = 0; i + 3 < line.length; i += 2) {
      const [ax, ay, bx, by] = line.slice(i, i + 4);
      const length = Math.hypot(bx - ax, by - ay);
      if (length === 0) continue;
      const [nx, ny] = [(-(by - ay) / length) * half, ((bx - ax) / length) * half];
      pieces.push([ax - nx, ay - ny, bx - nx, by - ny, bx + nx, by + ny, ax + nx, ay + ny]);
      // Line ends are flat, the default of browsers; joins are round.
      if (i > 0) pieces.push(disc(ax, ay, half));
    }
    const isClosed = line.length > 4 && line[0] === line.at(-2) && line[1] === line.at(-1);
    if (isClosed) pieces.push(disc(line[0], line[1], half));
  }
  return pieces;
}

const disc = (x: number, y: number, radius: number): Outline =>
  Array.from({ length: 2 * roundCorners }, (_, i) => {
    const angle = (Math.floor(i / 2) / roundCorners) * 2 * Math.PI;
    return i % 2 === 0 ? x + radius * Math.cos(angle) : y + radius * Math.sin(angle);
  });

/** Applies a dash pattern to lines, starting anew for each line. */
function dashLines(lines: readonly Outline[], dash: readonly number[]): Outline[] {
  const pieces: Outline[] = [];
  for (const line of lines) {
    let step = 0;
    let left = dash[0];
    let piece = line.slice(0, 2);
    for (let i = 0; i + 3 < line.length; i += 2) {
      let [x, y] = [line[i], line[i + 1]];
      const [endX, endY] = [line[i + 2], line[i + 3]];
      let length = Math.hypot(endX - x, endY - y);
      for (; length > left; left = dash[step % dash.length]) {
        x += ((endX - x) * left) / length;
        y += ((endY - y) * left) / length;
        length -= left;
        if (step % 2 === 0) pieces.push([...piece, x, y]);
        piece = [x, y];
        step++;
      }
      left -= length;
      piece.push(endX, endY);
    }
    if (step % 2 === 0) pieces.push(piece);
  }
  return pieces;
}

/** Calls back for each pixel that the outlines cover (non-zero or even-odd rule), with its coverage. O(edges · rows). */
function coverRows(
  outlines: readonly Outline[],
  box: Box,
  isOddAlone: boolean,
  cover: (x: number, y: number, share: number) => void,
): void {
  const edges: { top: number; bottom: number; x: number; slope: number; turn: 1 | -1 }[] = [];
  for (const outline of outlines) {
    for (let i = 0; i < outline.length; i += 2) {
      const next = (i + 2) % outline.length;
      const [ax, ay, bx, by] = [outline[i], outline[i + 1], outline[next], outline[next + 1]];
      if (ay === by) continue;
      const [top, bottom, x] = ay < by ? [ay, by, ax] : [by, ay, bx];
      edges.push({ top, bottom, x, slope: (bx - ax) / (by - ay), turn: ay < by ? 1 : -1 });
    }
  }
  if (edges.length === 0) return;
  edges.sort((a, b) => a.top - b.top);
  const first = Math.max(box.top, Math.floor(edges[0].top));
  const last = Math.min(box.bottom, Math.ceil(edges.reduce((most, edge) => Math.max(most, edge.bottom), 0)));
  const shares = new Float32Array(Math.max(0, box.right - box.left));
  let begun = 0;
  let open: typeof edges = [];
  for (let y = first; y < last; y++) {
    shares.fill(0);
    let isTouched = false;
    for (let row = 0; row < rowsAPixel; row++) {
      const at = y + (row + 0.5) / rowsAPixel;
      for (; begun < edges.length && edges[begun].top <= at; begun++) open.push(edges[begun]);
      open = open.filter(({ bottom }) => bottom > at);
      const crossings = open
        .map(({ x, top, slope, turn }) => ({ x: x + (at - top) * slope, turn }))
        .sort((a, b) => a.x - b.x);
      let winding = 0;
      for (let i = 0; i + 1 < crossings.length; i++) {
        winding += crossings[i].turn;
        if (isOddAlone ? winding % 2 === 0 : winding === 0) continue;
        addSpan(shares, crossings[i].x - box.left, crossings[i + 1].x - box.left);
        isTouched = true;
      }
    }
    if (!isTouched) continue;
    for (let x = 0; x < shares.length; x++) if (shares[x] > 0) cover(box.left + x, y, shares[x] / rowsAPixel);
  }
}

/** Adds to each pixel the part of it between two positions of a row. */
function addSpan(shares: Float32Array, from: number, to: number): void {
  const [start, end] = [Math.max(0, from), Math.min(shares.length, to)];
  for (let x = Math.floor(start); x < end; x++) shares[x] += Math.min(x + 1, end) - Math.max(x, start);
}
