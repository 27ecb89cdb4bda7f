/** Drawings of a report besides its tables: the header of page 1, and pictures with legends. */
import { formatCount } from '#contract/base/format-number.ts';
import { plainGround } from '#kernels/color/scene-ground.ts';
import { onLight } from '#kernels/overlay/paint.ts';
import { legendPx, paintPictureLegend } from '#kernels/overlay/paint-legend.ts';
import { PdfCanvas } from './pdf-canvas.ts';
import { ink, type ReportPages } from './pdf-layout.ts';
import type { ReportContent } from './report-content.ts';
import { drawText, printable } from './report-fonts.ts';
import type { ReportPicture } from './report-pictures.ts';
import { type ReportViews, viewSize } from './report-views.ts';

/** Name of the part with its verdict as a badge. */
export function drawHead(pages: ReportPages, { project, verdict, withoutVerdict }: ReportContent): void {
  const { doc } = pages;
  const { y } = doc;
  const words = verdict === null ? withoutVerdict : verdict.toUpperCase();
  const color = ink[verdict ?? 'none'];
  doc.font('Helvetica-Bold').fontSize(14);
  const badge = doc.widthOfString(words) + 28;
  doc
    .roundedRect(pages.left + pages.width - badge, y, badge, 32, 4)
    .fill(color)
    .fillColor('#ffffff')
    .text(words, pages.left + pages.width - badge, y + 10.5, {
      width: badge,
      align: 'center',
      lineBreak: false,
    });
  const width = pages.width - badge - 16;
  doc.font('Helvetica').fontSize(9).fillColor(ink.accent).text('INSPECTION REPORT', pages.left, y, {
    width,
    characterSpacing: 1.2,
  });
  const style = { size: 19, bold: true, color: ink.text };
  drawText(doc, printable(project.name), pages.left, y + 14, style, { width });
  doc.y = Math.max(doc.y, y + 36) + 10;
  doc
    .moveTo(pages.left, doc.y)
    .lineTo(pages.left + pages.width, doc.y)
    .lineWidth(0.75)
    .strokeColor(ink.line)
    .stroke();
  doc.y += 10;
}

/** Points per CSS pixel: text of the viewer's size becomes as large as the captions. */
const pointsPerPx = 0.62;
/** CSS pixels, as in pictures of a view. */
/** Left of a part, so that the axes at the lower left do not cover it. */
const axesPx = 58;

/** One or two pictures side by side, each with caption and legend. */
export function drawPictures(pages: ReportPages, list: readonly ReportPicture[], height: number): void {
  if (list.length === 0) return;
  const { doc } = pages;
  pages.reserve(height + 34);
  const { y } = doc;
  const cell = (pages.width - 16) / 2;
  let lowest = y;
  for (const [i, picture] of list.slice(0, 2).entries()) {
    const { png, aspect, caption, legend } = picture;
    const x = pages.left + i * (cell + 16);
    doc
      .roundedRect(x, y, cell, height, 3)
      .lineWidth(0.5)
      .fillAndStroke([...plainGround], ink.line);
    const inner = cell - 8 - (legend ? legendPx * pointsPerPx : 0);
    const aside = picture.isInFrame ? axesPx * pointsPerPx : 0;
    const scale = Math.min((inner - aside) / aspect, height - 8);
    const width = scale * aspect;
    // As a data URL, because pdfkit stores images with the same source once.
    const address = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
    const [left, top] = [x + 4 + Math.max(aside, (inner - width) / 2), y + 4 + (height - 8 - scale) / 2];
    doc.image(address, left, top, { width, height: scale });
    const [paintedLeft, paintedWidth] = picture.isInFrame ? [x + 4, inner] : [left, width];
    const size = { widthPx: paintedWidth / pointsPerPx, heightPx: scale / pointsPerPx };
    paintAt(doc, paintedLeft, top, (canvas) => picture.paint(canvas, size));
    if (legend)
      paintAt(doc, x + cell - legendPx * pointsPerPx, y, (canvas) =>
        paintPictureLegend(canvas, legend, [legendPx, height / pointsPerPx], onLight),
      );
    drawText(doc, printable(caption), x, y + height + 4, { size: 7.5, color: ink.dim }, { width: cell });
    lowest = Math.max(lowest, doc.y);
  }
  doc.y = lowest + 8;
}

/** Bookmarked views over the width of the page, each with its note. */
export function drawBookmarks(pages: ReportPages, { shown, count }: ReportViews): void {
  if (shown.length === 0) return;
  const { doc } = pages;
  const height = (pages.width * viewSize.height) / viewSize.width;
  pages.heading('Bookmarks', height + 40);
  for (const { name, note, png, problem } of shown) {
    pages.reserve(png ? height + 40 : 60);
    pages.text(name, { bold: true });
    if (png) {
      const address = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
      doc.image(address, pages.left, doc.y, { width: pages.width, height });
      doc.y += height + 4;
    }
    if (problem !== null) pages.text(`No picture: ${problem}`, { size: 7.5, color: ink.indeterminate });
    if (note !== '') pages.text(note, { size: 8.5, gap: 10 });
  }
  if (shown.length < count)
    pages.text(
      `The first ${formatCount(shown.length)} of ${formatCount(count)}; the others are in the project.`,
      { size: 7.5, color: ink.dim },
    );
}

/** Lets a painter of the viewer draw at a position of the page, in CSS pixels. */
function paintAt(
  doc: PDFKit.PDFDocument,
  left: number,
  top: number,
  paint: (canvas: PdfCanvas) => void,
): void {
  const { x, y } = doc;
  doc.save().translate(left, top).scale(pointsPerPx);
  paint(new PdfCanvas(doc));
  doc.restore();
  [doc.x, doc.y] = [x, y];
}
