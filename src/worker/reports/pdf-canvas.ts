import { type Canvas2D, listArc } from '#kernels/overlay/canvas.ts';
import { readInk } from '#kernels/picture/picture-canvas.ts';
import { printable, setFontFor } from './report-fonts.ts';

type Look = Pick<
  Canvas2D,
  | 'fillStyle'
  | 'strokeStyle'
  | 'lineWidth'
  | 'lineJoin'
  | 'globalAlpha'
  | 'font'
  | 'textAlign'
  | 'textBaseline'
>;

/**
 * A canvas on a page of a report for the viewer's painters: lines stay vector graphics, and text can be searched. Units
 * are those of the page when the canvas is created; painters may scale it first.
 */
export class PdfCanvas implements Canvas2D {
  fillStyle: unknown = '#000000';
  strokeStyle: unknown = '#000000';
  lineWidth = 1;
  lineJoin: Canvas2D['lineJoin'] = 'round';
  globalAlpha = 1;
  font = '500 12px';
  textAlign: Canvas2D['textAlign'] = 'left';
  textBaseline: Canvas2D['textBaseline'] = 'alphabetic';
  readonly #doc: PDFKit.PDFDocument;
  #path: ((doc: PDFKit.PDFDocument) => void)[] = [];
  #dash: number[] = [];
  #saved: (Look & { dash: number[] })[] = [];

  constructor(doc: PDFKit.PDFDocument) {
    this.#doc = doc;
  }

  save(): void {
    const { fillStyle, strokeStyle, lineWidth, lineJoin, globalAlpha, font, textAlign, textBaseline } = this;
    const look = { fillStyle, strokeStyle, lineWidth, lineJoin, globalAlpha, font, textAlign, textBaseline };
    this.#saved.push({ ...look, dash: this.#dash });
    this.#doc.save();
  }

  restore(): void {
    const last = this.#saved.pop();
    if (!last) return;
    const { dash, ...look } = last;
    Object.assign(this, look);
    this.#dash = dash;
    this.#doc.restore();
  }

  beginPath(): void {
    this.#path = [];
  }

  moveTo(x: number, y: number): void {
    this.#path.push((doc) => doc.moveTo(x, y));
  }

  lineTo(x: number, y: number): void {
    this.#path.push((doc) => doc.lineTo(x, y));
  }

  arc(x: number, y: number, radius: number, from: number, to: number): void {
    for (const [i, place] of listArc([x, y], radius, [from, to], 24).entries())
      i === 0 ? this.moveTo(...place) : this.lineTo(...place);
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#path.push((doc) => doc.rect(x, y, width, height));
  }

  closePath(): void {
    this.#path.push((doc) => doc.closePath());
  }

  clip(): void {
    this.#trace();
    this.#doc.clip();
  }

  fill(rule: 'nonzero' | 'evenodd' = 'nonzero'): void {
    this.#setFill();
    this.#trace();
    this.#doc.fill(rule === 'evenodd' ? 'even-odd' : 'non-zero');
  }

  setLineDash(lengths: number[]): void {
    this.#dash = lengths;
  }

  stroke(): void {
    this.#setStroke();
    this.#trace();
    this.#doc.stroke();
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.#setFill();
    this.#doc.rect(x, y, width, height).fill();
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.#setStroke();
    this.#doc.rect(x, y, width, height).stroke();
  }

  fillText(text: string, x: number, y: number): void {
    this.#setFill();
    this.#write(text, x, y, false);
  }

  strokeText(text: string, x: number, y: number): void {
    this.#setStroke();
    // The halo behind text is marked as an artifact, so that screen readers do not read the text twice.
    this.#doc.markContent('Artifact');
    this.#write(text, x, y, true);
    this.#doc.endMarkedContent();
  }

  measureText(text: string): { width: number } {
    return { width: this.#doc.widthOfString(this.#chooseFont(text)) };
  }

  #write(text: string, x: number, y: number, isStroked: boolean): void {
    const written = this.#chooseFont(text);
    const width = this.#doc.widthOfString(written);
    const share = { left: 0, start: 0, center: 0.5, right: 1, end: 1 }[this.textAlign];
    // Middle of the capitals, as in browsers; pdfkit uses that of small letters.
    const { top, middle, bottom } = { top: 0.72, middle: 0.35, bottom: -0.21 };
    const down = { top, middle, bottom, alphabetic: 0, hanging: top, ideographic: bottom }[this.textBaseline];
    const options = {
      lineBreak: false,
      stroke: isStroked,
      fill: !isStroked,
      baseline: 'alphabetic' as const,
    };
    this.#doc.text(written, x - share * width, y + down * this.#readFont().sizePx, options);
  }

  #readFont(): { weight: number; sizePx: number } {
    const [, weight, size] = /^(\d+) ([\d.]+)px/.exec(this.font) ?? [];
    return { weight: Number(weight ?? 400), sizePx: Number(size ?? 12) };
  }

  /** Returns the text as the chosen font can write it. */
  #chooseFont(text: string): string {
    const { weight, sizePx } = this.#readFont();
    const written = printable(text);
    setFontFor(this.#doc, written, { size: sizePx, bold: weight >= 550 });
    return written;
  }

  #setFill(): void {
    const { rgb, alpha } = readInk(String(this.fillStyle));
    this.#doc.fillColor([...rgb], alpha * this.globalAlpha);
  }

  #setStroke(): void {
    const { rgb, alpha } = readInk(String(this.strokeStyle));
    this.#doc.strokeColor([...rgb], alpha * this.globalAlpha);
    this.#doc.lineWidth(this.lineWidth).lineJoin(this.lineJoin);
    const [length, space = length] = this.#dash;
    if (length === undefined) this.#doc.undash();
    else this.#doc.dash(length, { space });
  }

  #trace(): void {
    for (const draw of this.#path) draw(this.#doc);
  }
}
