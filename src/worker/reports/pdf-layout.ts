/** Layout elements of a report: headings, tables, pictures, badges. Page breaks are automatic. */
import PDFDocument from 'pdfkit';
import { drawText, measureHeight, printable, type TextStyle } from './report-fonts.ts';

export const ink = {
  text: '#1b1f24',
  dim: '#5b6570',
  line: '#d5dae0',
  head: '#f1f4f7',
  accent: '#0b5cad',
  pass: '#1a7f43',
  fail: '#c02a2a',
  indeterminate: '#a8650a',
  none: '#5b6570',
} as const;

export interface Column {
  title: string;
  /** share of the width */
  share: number;
  align?: 'left' | 'right';
  mono?: boolean;
}

export interface Cell {
  text: string;
  color?: string;
  bold?: boolean;
}

const MARGIN = 48;
const FOOTER = 40;
const PADDING = 5;
const SIZE = 8.5;
/** Tables with this many columns are set smaller, so that words need not be broken. */
const MANY_COLUMNS = 9;
const DENSE = { padding: 2.5, size: 7 };

/** A4 pages written from top to bottom. */
export class ReportPages {
  readonly doc: PDFKit.PDFDocument;
  readonly #chunks: Buffer[] = [];
  readonly #ended: Promise<void>;

  constructor(info: { title: string; author: string; createdAt: Date }) {
    this.doc = new PDFDocument({
      size: 'A4',
      margins: { top: MARGIN, bottom: FOOTER + 16, left: MARGIN, right: MARGIN },
      bufferPages: true,
      lang: 'en',
      info: {
        Title: info.title,
        Author: info.author,
        Producer: info.author,
        CreationDate: info.createdAt,
        ModDate: info.createdAt,
      },
    });
    this.doc.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
    this.#ended = new Promise((resolve, reject) => {
      this.doc.on('end', resolve);
      this.doc.on('error', reject);
    });
  }

  get left(): number {
    return MARGIN;
  }
  get width(): number {
    return this.doc.page.width - 2 * MARGIN;
  }
  get bottom(): number {
    return this.doc.page.height - FOOTER - 16;
  }

  /** Starts a new page unless this many points are left. */
  reserve(height: number): void {
    if (this.doc.y + height > this.bottom) this.doc.addPage();
  }

  text(text: string, options: { size?: number; bold?: boolean; color?: string; gap?: number } = {}): void {
    const { size = 9, bold = false, color = ink.text, gap = 4 } = options;
    const box = { width: this.width, lineGap: 1.5 };
    drawText(this.doc, printable(text), this.left, this.doc.y, { size, bold, color }, box);
    this.doc.y += gap;
  }

  /** @param keep points that must follow on the same page */
  heading(text: string, keep = 60): void {
    this.reserve(30 + keep);
    this.doc.y += 12;
    this.text(text, { size: 12, bold: true, gap: 1 });
    const { y } = this.doc;
    this.doc
      .moveTo(this.left, y)
      .lineTo(this.left + this.width, y)
      .lineWidth(0.75)
      .strokeColor(ink.accent)
      .stroke();
    this.doc.y = y + 7;
  }

  /** @param keep points that must follow on the same page */
  label(text: string, keep = 54): void {
    this.reserve(18 + keep);
    this.doc.y += 4;
    this.text(text, { size: 8.5, bold: true, color: ink.dim, gap: 3 });
  }

  /** Rows with hairlines; the header is repeated on each page. Long words are broken, nothing is cut off. */
  table(columns: Column[], rows: Cell[][]): void {
    const { doc } = this;
    let right = this.left;
    const { padding, size: usual } = columns.length < MANY_COLUMNS ? { padding: PADDING, size: SIZE } : DENSE;
    const places = columns.map(({ title, share, align = 'left', mono = false }) => {
      const x = right + padding;
      right += share * this.width;
      const box = { width: share * this.width - 2 * padding, align, lineGap: 1 };
      return { title: printable(title), x, box, mono, size: mono ? usual - 1.5 : usual };
    });
    const setHead = () =>
      doc
        .font('Helvetica-Bold')
        .fontSize(usual - 1)
        .fillColor(ink.dim);
    setHead();
    const headHeight = Math.max(
      ...places.map(({ title, box: { width } }) => doc.heightOfString(title, { width }) + 8),
    );
    const drawHead = () => {
      const { y } = doc;
      doc.rect(this.left, y, this.width, headHeight).fill(ink.head);
      for (const { title, x, box } of places) {
        setHead().text(title, x, y + 4.5, { width: box.width, align: box.align });
      }
      doc.y = y + headHeight;
    };
    const shown = rows.map((row) => {
      const cells = places.flatMap(({ x, box, mono, size }, i) => {
        const cell = row[i];
        if (!cell) return [];
        const style: TextStyle = { size, bold: cell.bold, mono, color: cell.color ?? ink.text };
        return { text: printable(cell.text), x, box, style };
      });
      const heights = cells.map(({ text, style, box }) => measureHeight(doc, text, style, box));
      return { cells, height: Math.max(...heights) + 2 * (PADDING - 1) };
    });
    this.reserve(headHeight + Math.min(80, shown[0]?.height ?? 0));
    drawHead();
    for (const { cells, height } of shown) {
      if (doc.y + height > this.bottom) {
        doc.addPage();
        drawHead();
      }
      const { y } = doc;
      for (const { text, x, style, box } of cells) drawText(doc, text, x, y + PADDING - 1, style, box);
      doc
        .moveTo(this.left, y + height)
        .lineTo(this.left + this.width, y + height)
        .lineWidth(0.4)
        .strokeColor(ink.line)
        .stroke();
      doc.y = y + height;
    }
    doc.y += 6;
  }

  /** Name–value pairs in two columns. */
  facts(pairs: [name: string, value: string][]): void {
    const { doc } = this;
    const half = this.width / 2;
    const style = { size: 9, color: ink.text };
    const box = { width: half - 80 };
    for (let i = 0; i < pairs.length; i += 2) {
      const two = pairs.slice(i, i + 2).map(([name, value]) => [name, printable(value)] as const);
      const height = Math.max(...two.map(([, value]) => measureHeight(doc, value, style, box)));
      this.reserve(height + 4);
      const { y } = doc;
      for (const [column, [name, value]] of two.entries()) {
        const x = this.left + column * half;
        doc
          .font('Helvetica')
          .fontSize(8)
          .fillColor(ink.dim)
          .text(name, x, y + 0.7, { width: 72 });
        drawText(doc, value, x + 74, y, style, box);
      }
      doc.y = y + height + 4;
    }
    doc.y += 4;
  }

  /** Ends the report with the footer and number of each page. */
  async end(foot: string): Promise<Uint8Array> {
    const { doc } = this;
    const { start, count } = doc.bufferedPageRange();
    for (let page = start; page < start + count; page++) {
      doc.switchToPage(page);
      // Text below the margin would start a new page.
      doc.page.margins.bottom = 0;
      const y = doc.page.height - FOOTER;
      doc
        .moveTo(this.left, y)
        .lineTo(this.left + this.width, y)
        .lineWidth(0.4)
        .strokeColor(ink.line)
        .stroke();
      const style = { size: 7.5, color: ink.dim };
      // Long names must not overlap the page number.
      doc
        .save()
        .rect(this.left, y, this.width - 80, FOOTER)
        .clip();
      drawText(doc, printable(foot), this.left, y + 7, style, { width: this.width - 80, lineBreak: false });
      doc.restore();
      drawText(doc, `Page ${page - start + 1} of ${count}`, this.left, y + 7, style, {
        width: this.width,
        align: 'right',
        lineBreak: false,
      });
    }
    doc.end();
    await this.#ended;
    return new Uint8Array(Buffer.concat(this.#chunks));
  }
}
