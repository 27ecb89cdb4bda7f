/**
 * Chinese, Japanese and Korean letters of a report. No font for them comes with the service: one has ten thousand
 * letters and more. A PDF may name a collection of letters instead, with the letters told in Unicode, and leave the font
 * to the one who reads it, whose system has one where such names are used; the text is found and copied everywhere.
 * ISO 32000-1, 9.7.5.2 (predefined CMaps) and 9.7.4.3: https://opensource.adobe.com/dc-acrobat-sdk-docs/pdfstandards/PDF32000_2008.pdf
 */

/** A collection of letters that readers of PDF know by its name. */
export interface Collection {
  ordering: 'Japan1' | 'GB1' | 'CNS1' | 'Korea1';
  supplement: number;
  /** how letters are told: as UTF-16 */
  encoding: string;
  /** a font that readers of PDF put one of their own in place of */
  fontName: string;
}

const collections = {
  japan: {
    ordering: 'Japan1',
    supplement: 5,
    encoding: 'UniJIS-UTF16-H',
    fontName: 'HeiseiKakuGo-W5',
  },
  china: { ordering: 'GB1', supplement: 4, encoding: 'UniGB-UTF16-H', fontName: 'STSong-Light' },
  taiwan: { ordering: 'CNS1', supplement: 4, encoding: 'UniCNS-UTF16-H', fontName: 'MSung-Light' },
  korea: { ordering: 'Korea1', supplement: 2, encoding: 'UniKS-UTF16-H', fontName: 'HYGoThic-Medium' },
} as const satisfies Record<string, Collection>;

const isKana = (code: number): boolean => code >= 0x3041 && code <= 0x30fe;
const isHangul = (code: number): boolean => code >= 0xac00 && code <= 0xd7a3;

/** Whether a letter is as wide as it is high, in all of the collections: the others are set in another font. */
const isEastAsian = (code: number): boolean =>
  isKana(code) ||
  isHangul(code) ||
  (code >= 0x3000 && code <= 0x303f) ||
  (code >= 0x3400 && code <= 0x9fff) ||
  (code >= 0xff01 && code <= 0xff5e);

type Bytes = readonly [first: number, last: number];

/** The East Asian letters that an older encoding has, whose letters the collection was made of. */
function lettersOf(label: string, lead: Bytes, trail: Bytes): ReadonlySet<number> {
  const bytes: number[] = [];
  for (let first = lead[0]; first <= lead[1]; first++)
    for (let second = trail[0]; second <= trail[1]; second++) bytes.push(first, second, 0x0a);
  const text = new TextDecoder(label).decode(Uint8Array.from(bytes));
  const codes = [...text].map((letter) => letter.codePointAt(0) ?? 0);
  return new Set(codes.filter(isEastAsian));
}

/** In the order in which they are asked for letters that tell nothing of the language. */
const sources: readonly { collection: Collection; letters: () => ReadonlySet<number> }[] = [
  // The common letters of mainland China, of Taiwan, of Japan; then the rare ones.
  { collection: collections.china, letters: () => lettersOf('gbk', [0xa1, 0xf7], [0xa1, 0xfe]) },
  { collection: collections.taiwan, letters: () => lettersOf('big5', [0xa1, 0xf9], [0x40, 0xfe]) },
  { collection: collections.japan, letters: () => lettersOf('euc-jp', [0xa1, 0xfe], [0xa1, 0xfe]) },
  { collection: collections.china, letters: () => lettersOf('gbk', [0x81, 0xfe], [0x40, 0xfe]) },
  { collection: collections.korea, letters: () => lettersOf('euc-kr', [0x81, 0xfe], [0x41, 0xfe]) },
];
const found = new Map<number, ReadonlySet<number>>();

/** Read once, within some 20 ms, when a text first has such letters. */
function lettersAt(index: number): ReadonlySet<number> {
  const letters = found.get(index) ?? sources[index].letters();
  found.set(index, letters);
  return letters;
}

/** The collection that has most of the East Asian letters of a text, and which it has; undefined where there are none. */
export function collectionFor(
  text: string,
): { collection: Collection; has: (letter: string) => boolean } | undefined {
  const codes = [...new Set(text)].map((letter) => letter.codePointAt(0) ?? 0).filter(isEastAsian);
  if (codes.length === 0) return undefined;
  const tells = codes.some(isHangul) ? collections.korea : codes.some(isKana) ? collections.japan : undefined;
  const order = [...sources.keys()].sort(
    (a, b) => Number(sources[b].collection === tells) - Number(sources[a].collection === tells),
  );
  let best = { index: order[0], count: -1 };
  for (const index of order) {
    const count = codes.filter((code) => lettersAt(index).has(code)).length;
    if (count > best.count) best = { index, count };
    if (count === codes.length) break;
  }
  const letters = lettersAt(best.index);
  return {
    collection: sources[best.index].collection,
    has: (letter) => letters.has(letter.codePointAt(0) ?? 0),
  };
}

interface Reference {
  data: Record<string, unknown>;
  write(bytes: string): void;
  end(bytes?: string): void;
}

/** What the writer of PDF keeps of a font, and asks of it. */
interface WriterFont {
  id: string;
  name: string;
  /** thousandths of the size */
  ascender: number;
  descender: number;
  lineGap: number;
  widthOfString(text: string, size: number, features?: unknown): number;
  lineHeight(size: number, includeGap?: boolean): number;
  encode(text: string, features?: unknown): [string[], { xAdvance: number; advanceWidth: number }[]];
  ref(): Reference;
  finalize(): void;
}

interface LineOptions {
  align?: 'left' | 'right' | 'center' | 'justify';
  width?: number;
  lineWidth?: number;
  textWidth?: number;
  [name: string]: unknown;
}

/** The parts of the writer that its types do not tell of; its version is fixed, and the tests draw with them. */
interface Writer {
  _font: WriterFont;
  _fontSize: number;
  _fontCount: number;
  _fontFamilies: Record<string, WriterFont>;
  _fragment(text: string, x: number, y: number, options: LineOptions): void;
  ref(data: Record<string, unknown>): Reference;
}

const asWriter = (doc: PDFKit.PDFDocument): Writer => doc as unknown as Writer;
const hex = (code: number): string => code.toString(16).padStart(4, '0');

/** A font that is named and not embedded; every letter is as wide as the size. */
class NamedFont implements WriterFont {
  readonly ascender = 880;
  readonly descender = -120;
  readonly lineGap = 0;
  readonly id: string;
  readonly name: string;
  readonly #writer: Writer;
  readonly #collection: Collection;
  readonly #used = new Set<number>();
  #reference: Reference | undefined;

  constructor(writer: Writer, collection: Collection) {
    this.#writer = writer;
    this.#collection = collection;
    this.name = collection.fontName;
    writer._fontCount += 1;
    this.id = `F${writer._fontCount}`;
  }

  widthOfString(text: string, size: number): number {
    return text.length * size;
  }

  lineHeight(size: number): number {
    return ((this.ascender - this.descender) / 1000) * size;
  }

  encode(text: string): [string[], { xAdvance: number; advanceWidth: number }[]] {
    const codes = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
    for (const code of codes) this.#used.add(code);
    return [
      codes.map(hex),
      codes.map(() => ({ xAdvance: 1000, advanceWidth: 1000, xOffset: 0, yOffset: 0 })),
    ];
  }

  ref(): Reference {
    this.#reference ??= this.#writer.ref({});
    return this.#reference;
  }

  finalize(): void {
    if (this.#reference === undefined) return;
    const { ordering, supplement, encoding, fontName } = this.#collection;
    const descriptor = this.#writer.ref({
      Type: 'FontDescriptor',
      FontName: fontName,
      // Letters beyond those of the standard set.
      Flags: 4,
      FontBBox: [0, this.descender, 1000, this.ascender],
      ItalicAngle: 0,
      Ascent: this.ascender,
      Descent: this.descender,
      CapHeight: 740,
      StemV: 80,
    });
    descriptor.end();
    const descendant = this.#writer.ref({
      Type: 'Font',
      Subtype: 'CIDFontType0',
      BaseFont: fontName,
      // A text of PDF is a String here, a name of PDF a string.
      CIDSystemInfo: {
        Registry: new String('Adobe'),
        Ordering: new String(ordering),
        Supplement: supplement,
      },
      FontDescriptor: descriptor,
      DW: 1000,
    });
    descendant.end();
    const toUnicode = this.#writer.ref({});
    toUnicode.end(this.#unicodeMap());
    Object.assign(this.#reference.data, {
      Type: 'Font',
      Subtype: 'Type0',
      BaseFont: `${fontName}-${encoding}`,
      Encoding: encoding,
      DescendantFonts: [descendant],
      ToUnicode: toUnicode,
    });
    this.#reference.end();
    this.#reference = undefined;
  }

  /** For readers that don't know the encoding by its name: each letter stands for itself. */
  #unicodeMap(): string {
    const codes = [...this.#used].sort((a, b) => a - b).map(hex);
    const blocks: string[] = [];
    // A block holds a hundred at most.
    for (let at = 0; at < codes.length; at += 100) {
      const block = codes.slice(at, at + 100);
      blocks.push(
        `${block.length} beginbfrange`,
        ...block.map((code) => `<${code}> <${code}> <${code}>`),
        'endbfrange',
      );
    }
    return [
      '/CIDInit /ProcSet findresource begin',
      '12 dict begin',
      'begincmap',
      '/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def',
      '/CMapName /Adobe-Identity-UCS def',
      '/CMapType 2 def',
      '1 begincodespacerange',
      '<0000> <ffff>',
      'endcodespacerange',
      ...blocks,
      'endcmap',
      'CMapName currentdict /CMap defineresource pop',
      'end',
      'end',
    ].join('\n');
  }
}

/** Two fonts that the writer lays out as one; what it draws is drawn in runs of either. */
class MixedFont implements WriterFont {
  readonly id = '';
  readonly name = '';
  readonly ascender: number;
  readonly descender: number;
  readonly lineGap: number;
  readonly #base: WriterFont;
  readonly #named: WriterFont;
  readonly #isNamed: (letter: string) => boolean;

  constructor(base: WriterFont, named: WriterFont, isNamed: (letter: string) => boolean) {
    this.#base = base;
    this.#named = named;
    this.#isNamed = isNamed;
    this.ascender = Math.max(base.ascender, named.ascender);
    this.descender = Math.min(base.descender, named.descender);
    this.lineGap = base.lineGap;
  }

  runs(text: string): { font: WriterFont; text: string }[] {
    const runs: { font: WriterFont; text: string }[] = [];
    for (const letter of text) {
      const font = this.#isNamed(letter) ? this.#named : this.#base;
      const last = runs.at(-1);
      if (last?.font === font) last.text += letter;
      else runs.push({ font, text: letter });
    }
    return runs;
  }

  widthOfString(text: string, size: number, features?: unknown): number {
    return this.runs(text).reduce((sum, run) => sum + run.font.widthOfString(run.text, size, features), 0);
  }

  lineHeight(size: number, includeGap = false): number {
    return ((this.ascender + (includeGap ? this.lineGap : 0) - this.descender) / 1000) * size;
  }

  encode(): never {
    throw new Error('a mixed font is drawn in runs');
  }

  ref(): never {
    throw new Error('a mixed font is not written');
  }

  /** Nothing of it is in the file. */
  finalize(): void {}
}

const patched = new WeakSet<PDFKit.PDFDocument>();

/** Lines in a mixed font are drawn run by run, on one baseline. */
function drawInRuns(doc: PDFKit.PDFDocument): void {
  if (patched.has(doc)) return;
  patched.add(doc);
  const writer = asWriter(doc);
  const drawLine = writer._fragment.bind(writer);
  writer._fragment = (text, x, y, options) => {
    const mixed = writer._font;
    if (!(mixed instanceof MixedFont)) return drawLine(text, x, y, options);
    const size = writer._fontSize;
    const { align = 'left', width, lineWidth = 0, textWidth: _, ...rest } = options;
    const free = width === undefined ? 0 : lineWidth - mixed.widthOfString(text.trimEnd(), size);
    let at = x + (align === 'right' ? free : align === 'center' ? free / 2 : 0);
    const baseline = y + (mixed.ascender / 1000) * size;
    try {
      for (const run of mixed.runs(text)) {
        writer._font = run.font;
        drawLine(run.text, at, baseline, { ...rest, align: 'left', baseline: 'alphabetic' });
        at += run.font.widthOfString(run.text, size);
      }
    } finally {
      writer._font = mixed;
    }
  };
}

/**
 * Sets the font to one in which the East Asian letters are of the collection, all others of the font that is set now.
 *
 * @param has whether the collection has a letter
 */
export function mixIn(
  doc: PDFKit.PDFDocument,
  collection: Collection,
  has: (letter: string) => boolean,
): void {
  drawInRuns(doc);
  const writer = asWriter(doc);
  const key = `named ${collection.ordering}`;
  writer._fontFamilies[key] ??= new NamedFont(writer, collection);
  writer._font = new MixedFont(writer._font, writer._fontFamilies[key], has);
}
