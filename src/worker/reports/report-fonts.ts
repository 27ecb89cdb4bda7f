/**
 * The letters of a report. PDF's built-in fonts know those of Western Europe; a text with others is set in Inter, which
 * the dashboard has too, with Polish, Czech, Turkish, Greek, Cyrillic and Vietnamese letters, and Chinese, Japanese and
 * Korean ones in Droid Sans Fallback (fonts/NOTICE.md). A letter that neither has is shown by its number, so that a
 * report never shows a wrong letter in silence.
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
/** of the size: from the top of a line to what its letters stand on, and to the next line */
const EAST_ASIAN_ASCENT = 1.043;
const EAST_ASIAN_LINE = 1.309;
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

const opened = new Map<keyof typeof files, Font>();

/** Whether a font has the letter; each is read once, within some 30 ms, when a text first needs it. */
function hasLetter(name: keyof typeof files, letter: string): boolean {
  const font = opened.get(name) ?? (openSync(files[name]) as Font);
  opened.set(name, font);
  return font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0);
}
const isEastAsian = (letter: string): boolean =>
  letter >= '\u1100' && !hasLetter('Inter', letter) && hasLetter('EastAsian', letter);

/** The text with what is shown for signs that a report has no letters for: `[U+0E01]`. */
export function printable(text: string): string {
  const said = text
    .normalize('NFC')
    .replace(/[≤≥−→\u2009\u202f\u00a0]/g, (sign) => substitutes[sign] ?? sign);
  if (windows1252.test(said)) return said;
  return said.replace(/[^\n]/gu, (sign) =>
    hasLetter('Inter', sign) || isEastAsian(sign)
      ? sign
      : `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );
}

export interface TextStyle {
  size: number;
  bold?: boolean;
  /** in letters of one width, where PDF's built-in font of them has the text's */
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

/** Sets the font that has the letters of a text, or most of them; its colour stays. */
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

/** The parts of a line by the font that has their letters. */
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

/** What a line may end after: a word with the blanks behind it, or an East Asian letter with its closing mark. */
const pieces =
  /(?:[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef][、。，．）」』】〉》！？：；]?|[^\s\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]+)[^\S\n]*|\s/gu;

/** Lines of a text with East Asian letters, none wider than the width; a word that is wider is broken anywhere. */
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

/** The height of the text when it is drawn in the box. @param text as `printable` gives it */
export function measureHeight(doc: PDFKit.PDFDocument, text: string, style: TextStyle, box: TextBox): number {
  if (needsRuns(text))
    return breakLines(doc, text, style, box).length * (EAST_ASIAN_LINE * style.size + (box.lineGap ?? 0));
  setFont(doc, chooseFont(text, style), style);
  return doc.heightOfString(text, box);
}

/**
 * Draws a text from (x, y) down, on the next page where this one ends; `doc.y` is below it after.
 *
 * pdfkit draws a text in one font. Letters of several are drawn here run by run, on one baseline.
 *
 * @param text as `printable` gives it
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
