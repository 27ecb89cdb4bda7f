/**
 * The letters of a report. PDF's built-in fonts know those of Western Europe; a text with others is set in Inter, which
 * the dashboard has too, with Polish, Czech, Turkish, Greek, Cyrillic and Vietnamese letters, and Chinese, Japanese and
 * Korean ones in a font of whoever reads it (east-asian-fonts.ts). What none knows is told by its number, so that a
 * report never shows a wrong letter in silence.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { collectionFor, mixIn } from './east-asian-fonts.ts';
import { trueTypeOf } from './woff2.ts';

/** As the typeface is cut up for the web; the first has the say. */
const PARTS = ['latin', 'latin-ext', 'greek', 'greek-ext', 'cyrillic', 'cyrillic-ext', 'vietnamese'];
/** of the size: the width of the line that makes letters bold which have no bold of their own */
const BOLD_LINE = 0.025;

/** What is said with other signs in either font. */
const substitutes: Record<string, string> = {
  '≤': '<=',
  '≥': '>=',
  '−': '-',
  '→': '->',
  '\u2009': ' ',
  '\u202f': ' ',
  '\u00a0': ' ',
};
const windows1252 = /^[\u0020-\u007e\u00a0-\u00ff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ\n]*$/u;

/** Whether PDF's built-in fonts have all letters of the text. */
export const isPlain = (text: string): boolean => windows1252.test(text);

let inter: ReturnType<typeof trueTypeOf> | undefined;

/** Put together once, within some 100 ms, when a text first needs it. */
function interFont(): ReturnType<typeof trueTypeOf> {
  const resolve = createRequire(import.meta.url).resolve;
  inter ??= trueTypeOf(
    PARTS.map((part) =>
      readFileSync(resolve(`@fontsource-variable/inter/files/inter-${part}-wght-normal.woff2`)),
    ),
  );
  return inter;
}

/** The text with what is shown for signs that a report has no letters for: `[U+65E5]`. */
export function printable(text: string): string {
  const said = text.normalize('NFC').replace(/[≤≥−→\u2009\u202f\u00a0]/g, (sign) => substitutes[sign]);
  if (isPlain(said)) return said;
  const { characters } = interFont();
  const eastAsian = collectionFor(said);
  return said.replace(/[^\n]/gu, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    return characters.has(code) || eastAsian?.has(sign)
      ? sign
      : `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
  });
}

/**
 * Chooses the font that has all letters of the text, or the two that have them together, and its size.
 *
 * @param text as `printable` gives it
 * @returns further options for the text; bold letters without a bold of their own are drawn with a line around them
 */
export function setFont(
  doc: PDFKit.PDFDocument,
  text: string,
  { size, bold = false, color }: { size: number; bold?: boolean; color: string },
): PDFKit.Mixins.TextOptions {
  doc.fillColor(color);
  if (isPlain(text)) {
    doc.font(bold ? 'Helvetica-Bold' : 'Helvetica').fontSize(size);
    return {};
  }
  if (!registered.has(doc)) {
    doc.registerFont('Inter', interFont().bytes);
    registered.add(doc);
  }
  doc.font('Inter').fontSize(size);
  const eastAsian = collectionFor(text);
  if (eastAsian) {
    const { characters } = interFont();
    mixIn(doc, eastAsian.collection, (letter) => !characters.has(letter.codePointAt(0) ?? 0));
  }
  if (!bold) return {};
  doc.strokeColor(color).lineWidth(BOLD_LINE * size);
  return { fill: true, stroke: true };
}

const registered = new WeakSet<PDFKit.PDFDocument>();
