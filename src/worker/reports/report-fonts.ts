/**
 * Fonts of a report. PDF's built-in fonts cover Western European text. Other text uses Inter, as in the dashboard, for
 * Polish, Czech, Turkish, Greek, Cyrillic and Vietnamese, and Droid Sans Fallback for Chinese, Japanese and Korean
 * (fonts/NOTICE.md). A character in none of them is shown by its code point, so that a report never shows a wrong one.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type Font, openSync } from 'fontkit';

const { resolve } = createRequire(import.meta.url);
const files = {
  Inter: resolve('@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf'),
  'Inter-Bold': resolve('@expo-google-fonts/inter/700Bold/Inter_700Bold.ttf'),
  EastAsian: fileURLToPath(import.meta.resolve('./fonts/DroidSansFallback.ttf')),
};
/** relative to the font size: from the top of a line to its baseline, and to the next line */
const EAST_ASIAN_ASCENT = 1.043;
const EAST_ASIAN_LINE = 1.309;
/** relative to the font size: stroke width that emboldens fonts without a bold face */
const BOLD_LINE = 0.025;

/** Replacements for characters that neither font has. */
const substitutes: Record<string, string> = {
  '≤': '<=',
  '≥': '>=',
  '−': '-',
  '→': '->',
  // Lines must not break between a number and its unit.
  '\u2009': '\u00a0',
  '\u202f': '\u00a0',
};
const windows1252 = /^[\u0020-\u007e\u00a0-\u00ff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ\n]*$/u;

const opened = new Map<keyof typeof files, Font>();

/** Whether a font has the character. Each font is read once, in about 30 ms, when first needed. */
function hasLetter(name: keyof typeof files, letter: string): boolean {
  const font = opened.get(name) ?? (openSync(files[name]) as Font);
  opened.set(name, font);
  return font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0);
}
const isEastAsian = (letter: string): boolean =>
  letter >= '\u1100' && !hasLetter('Inter', letter) && hasLetter('EastAsian', letter);

/** Replaces characters that the fonts lack by their code point: `[U+0E01]`. */
export function printable(text: string): string {
  const known = text.normalize('NFC').replace(/[≤≥−→\u2009\u202f]/g, (sign) => substitutes[sign] ?? sign);
  if (windows1252.test(known)) return known;
  return known.replace(/[^\n]/gu, (sign) =>
    hasLetter('Inter', sign) || isEastAsian(sign)
      ? sign
      : `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );
}

export interface TextStyle {
  size: number;
  bold?: boolean;
  /** monospaced, if PDF's built-in monospaced font has the characters */
  mono?: boolean;
  color: string;
}

/** The options of pdfkit's `text` that a report needs. */
export interface TextBox {
  width: number;
  align?: 'left' | 'right';
  lineGap?: number;
  lineBreak?: boolean;
}

const registered = new WeakSet<PDFKit.PDFDocument>();

const chooseFont = (text: string, { bold, mono }: Omit<TextStyle, 'color'>): string => {
  const weight = bold ? '-Bold' : '';
  if (!windows1252.test(text)) return `Inter${weight}`;
  return mono ? 'Courier' : `Helvetica${weight}`;
};

/** Sets the font that has all or most characters of a text; the colour stays. */
export const setFontFor = (doc: PDFKit.PDFDocument, text: string, style: Omit<TextStyle, 'color'>): void =>
  setFont(doc, chooseFont(text, style), style);

function setFont(
  doc: PDFKit.PDFDocument,
  font: string,
  { size, color }: Pick<TextStyle, 'size'> & Partial<Pick<TextStyle, 'color'>>,
): void {
  if (font in files && !registered.has(doc)) {
    for (const [name, file] of Object.entries(files)) doc.registerFont(name, file);
    registered.add(doc);
  }
  doc.font(font).fontSize(size);
  if (color !== undefined) doc.fillColor(color);
}

interface Run {
  text: string;
  font: string;
}

/** Splits a line by the font that has its characters. */
function splitRuns(line: string, { bold }: TextStyle): Run[] {
  const runs: Run[] = [];
  for (const letter of line.trimEnd()) {
    const font = isEastAsian(letter) ? 'EastAsian' : bold ? 'Inter-Bold' : 'Inter';
    const last = runs.at(-1);
    if (last?.font === font) last.text += letter;
    else runs.push({ text: letter, font });
  }
  return runs;
}

function measureRun(doc: PDFKit.PDFDocument, run: Run, style: TextStyle): number {
  setFont(doc, run.font, style);
  return doc.widthOfString(run.text);
}

/**
 * Where a line may break: after a word and the spaces that follow, or after an East Asian character with its closing
 * punctuation.
 */
const pieces =
  /(?:[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef][、。，．）」』】〉》！？：；]?|[^\s\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]+)[^\S\n]*|\s/gu;

/** Breaks text with East Asian characters into lines no wider than the width; a longer word is broken anywhere. */
function breakLines(
  doc: PDFKit.PDFDocument,
  text: string,
  style: TextStyle,
  { width, lineBreak = true }: TextBox,
): string[] {
  const measure = (line: string) =>
    splitRuns(line, style).reduce((sum, run) => sum + measureRun(doc, run, style), 0);
  const lines = [''];
  const append = (piece: string): void => {
    const line = lines[lines.length - 1];
    if (piece === '\n') lines.push('');
    else if (!lineBreak || measure(line + piece) <= width) lines[lines.length - 1] += piece;
    else if (line !== '') {
      lines.push('');
      append(piece);
    } else if ([...piece].length === 1) lines[lines.length - 1] = piece;
    else for (const letter of piece) append(letter);
  };
  for (const [piece] of text.matchAll(pieces)) append(piece);
  return lines;
}

const needsRuns = (text: string): boolean => !windows1252.test(text) && [...text].some(isEastAsian);

/** Height of the text drawn in the box. @param text result of `printable` */
export function measureHeight(doc: PDFKit.PDFDocument, text: string, style: TextStyle, box: TextBox): number {
  if (needsRuns(text))
    return breakLines(doc, text, style, box).length * (EAST_ASIAN_LINE * style.size + (box.lineGap ?? 0));
  setFont(doc, chooseFont(text, style), style);
  return doc.heightOfString(text, box);
}

/**
 * Draws text downwards from (x, y), continuing on the next page if necessary; afterwards `doc.y` is below it.
 *
 * pdfkit draws text in a single font, so text in several fonts is drawn here run by run on one baseline.
 *
 * @param text result of `printable`
 */
export function drawText(
  doc: PDFKit.PDFDocument,
  text: string,
  x: number,
  y: number,
  style: TextStyle,
  box: TextBox,
): void {
  if (!needsRuns(text)) {
    setFont(doc, chooseFont(text, style), style);
    doc.text(text, x, y, box);
    return;
  }
  const lineHeight = EAST_ASIAN_LINE * style.size;
  let top = y;
  for (const line of breakLines(doc, text, style, box)) {
    if (box.lineBreak !== false && top + lineHeight > doc.page.maxY()) {
      doc.addPage();
      top = doc.y;
    }
    const runs = splitRuns(line, style).map((run) => ({ ...run, width: measureRun(doc, run, style) }));
    let at = x + (box.align === 'right' ? box.width - runs.reduce((sum, { width }) => sum + width, 0) : 0);
    for (const run of runs) {
      setFont(doc, run.font, style);
      const isStroked = style.bold === true && run.font === 'EastAsian';
      if (isStroked) doc.strokeColor(style.color).lineWidth(BOLD_LINE * style.size);
      doc.text(run.text, at, top + EAST_ASIAN_ASCENT * style.size, {
        lineBreak: false,
        baseline: 'alphabetic',
        fill: true,
        stroke: isStroked,
      });
      at += run.width;
    }
    top += lineHeight + (box.lineGap ?? 0);
  }
  doc.x = x;
  doc.y = top;
}
