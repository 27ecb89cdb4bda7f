/** What a report draws beside its tables: the head of page 1, pictures with their legends. */
import { chooseUnit, formatIn } from '#contract/base/format-number.ts';
import { colorMap } from '#kernels/color/maps.ts';
import { ink, type ReportPages } from './pdf-layout.ts';
import type { ReportContent } from './report-content.ts';
import { drawText, printable } from './report-fonts.ts';
import { pictureGround, type ReportPicture } from './report-pictures.ts';

/** Name of the part, and its verdict as a badge. */
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

/** One or two pictures beside each other, each with its caption and legend. */
export function drawPictures(pages: ReportPages, list: readonly ReportPicture[], height: number): void {
  if (list.length === 0) return;
  const { doc } = pages;
  pages.reserve(height + 34);
  const { y } = doc;
  const cell = (pages.width - 16) / 2;
  let lowest = y;
  for (const [i, { png, aspect, caption, legend }] of list.slice(0, 2).entries()) {
    const x = pages.left + i * (cell + 16);
    doc.roundedRect(x, y, cell, height, 3).lineWidth(0.5).fillAndStroke(pictureGround, ink.line);
    const inner = legend ? cell - 58 : cell - 8;
    const scale = Math.min(inner / aspect, height - 8);
    const width = scale * aspect;
    // By its address, as what has the same one is stored once.
    const address = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
    doc.image(address, x + 4 + (inner - width) / 2, y + 4 + (height - 8 - scale) / 2, {
      width,
      height: scale,
    });
    if (legend) drawLegend(pages, legend, x + cell - 52, y + 16, height - 32);
    drawText(doc, printable(caption), x, y + height + 4, { size: 7.5, color: ink.dim }, { width: cell });
    lowest = Math.max(lowest, doc.y);
  }
  doc.y = lowest + 8;
}

function drawLegend(
  { doc }: ReportPages,
  { map, minimum, maximum, unit }: NonNullable<ReportPicture['legend']>,
  x: number,
  y: number,
  height: number,
): void {
  const table = colorMap(map);
  const shown = chooseUnit([minimum, maximum], unit);
  const steps = 64;
  for (let step = 0; step < steps; step++) {
    const at = 3 * Math.round(((steps - 1 - step) / (steps - 1)) * 255);
    const [r = 0, g = 0, b = 0] = table.subarray(at, at + 3);
    doc.rect(x, y + (step * height) / steps, 9, height / steps + 0.4).fill([r, g, b]);
  }
  doc.font('Helvetica').fontSize(7).fillColor(ink.dim);
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const value = maximum - share * (maximum - minimum);
    const text = printable(formatIn(shown, value));
    doc.text(share === 0 ? `${text} ${shown.unit}` : text, x + 12, y + share * height - 3, {
      width: 42,
      lineBreak: false,
    });
  }
}
