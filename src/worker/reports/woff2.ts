/**
 * Reads fonts in WOFF2 (https://www.w3.org/TR/WOFF2/) and makes one TrueType font of several that are parts of the
 * same design, as web fonts are cut into. What only screens need is left out: hints, kerning, variations (the
 * default instance is kept).
 */
import { brotliDecompressSync } from 'node:zlib';

/** The table's number in the directory of a WOFF2 file, of those that are read here. */
const KNOWN_TAGS: Record<number, string> = {
  0: 'cmap',
  1: 'head',
  2: 'hhea',
  3: 'hmtx',
  4: 'maxp',
  5: 'name',
  6: 'OS/2',
  10: 'glyf',
  11: 'loca',
};
const ANY_TAG = 63;
const MORE_COMPONENTS = 0x20;
const HAS_INSTRUCTIONS = 0x100;

class Reader {
  readonly bytes: Buffer;
  at: number;
  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }
  u8(): number {
    return this.bytes.readUInt8(this.at++);
  }
  u16(): number {
    this.at += 2;
    return this.bytes.readUInt16BE(this.at - 2);
  }
  i16(): number {
    this.at += 2;
    return this.bytes.readInt16BE(this.at - 2);
  }
  u32(): number {
    this.at += 4;
    return this.bytes.readUInt32BE(this.at - 4);
  }
  take(length: number): Buffer {
    if (this.at + length > this.bytes.length) throw new RangeError('the font ends too early');
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
  /** UIntBase128 */
  base128(): number {
    let value = 0;
    for (let i = 0; i < 5; i += 1) {
      const byte = this.u8();
      value = value * 128 + (byte & 0x7f);
      if ((byte & 0x80) === 0) return value;
    }
    throw new RangeError('a length in the font has no end');
  }
  /** 255UInt16 */
  short(): number {
    const code = this.u8();
    if (code === 253) return this.u16();
    if (code === 255) return this.u8() + 253;
    if (code === 254) return this.u8() + 506;
    return code;
  }
}

interface Glyph {
  /** as the table `glyf` holds it, but for the instructions; empty for a space */
  bytes: Buffer;
  /** where the numbers of other glyphs stand in it */
  references: number[];
  xMin: number;
}

interface Part {
  tables: Map<string, Buffer>;
  glyphs: Glyph[];
  advances: number[];
  /** glyph by code point */
  characters: Map<number, number>;
}

function tablesOf(file: Buffer): Map<string, Buffer> {
  const reader = new Reader(file);
  if (reader.take(4).toString('latin1') !== 'wOF2') throw new TypeError('this is no font in WOFF2');
  reader.at = 12;
  const count = reader.u16();
  reader.at = 20;
  const compressed = reader.u32();
  reader.at = 48;
  const entries: { tag: string; length: number }[] = [];
  for (let i = 0; i < count; i += 1) {
    const flags = reader.u8();
    const number = flags & 0x3f;
    const tag = number === ANY_TAG ? reader.take(4).toString('latin1') : (KNOWN_TAGS[number] ?? `#${number}`);
    const length = reader.base128();
    // Outlines are transformed unless it says 3, all else when it does not say 0.
    const version = flags >> 6;
    const isTransformed = tag === 'glyf' || tag === 'loca' ? version !== 3 : version !== 0;
    if (tag === 'glyf' && !isTransformed)
      throw new TypeError('outlines that are not transformed are not read');
    entries.push({ tag, length: isTransformed ? reader.base128() : length });
  }
  const data = new Reader(brotliDecompressSync(reader.take(compressed)));
  return new Map(entries.map(({ tag, length }) => [tag, data.take(length)]));
}

/** One step along a contour; the flag says how many bytes it has (section 5.2 of the specification). */
function stepOf(flag: number, reader: Reader): [dx: number, dy: number] {
  const signed = (bit: number, value: number) => ((bit & 1) === 1 ? value : -value);
  const b0 = reader.u8();
  if (flag < 10) return [0, signed(flag, ((flag & 14) << 7) + b0)];
  if (flag < 20) return [signed(flag, (((flag - 10) & 14) << 7) + b0), 0];
  if (flag < 84) {
    const base = flag - 20;
    return [
      signed(flag, 1 + (base & 0x30) + (b0 >> 4)),
      signed(flag >> 1, 1 + ((base & 0x0c) << 2) + (b0 & 0x0f)),
    ];
  }
  const b1 = reader.u8();
  if (flag < 120) {
    const base = flag - 84;
    return [
      signed(flag, 1 + (Math.floor(base / 12) << 8) + b0),
      signed(flag >> 1, 1 + (((base % 12) >> 2) << 8) + b1),
    ];
  }
  const b2 = reader.u8();
  if (flag < 124) return [signed(flag, (b0 << 4) + (b1 >> 4)), signed(flag >> 1, ((b1 & 0x0f) << 8) + b2)];
  return [signed(flag, (b0 << 8) + b1), signed(flag >> 1, (b2 << 8) + reader.u8())];
}

const shorts = (values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, 2 * i);
  return bytes;
};

/** Undoes the transformation of the outlines. */
function glyphsOf(table: Buffer): Glyph[] {
  const head = new Reader(table, 4);
  const count = head.u16();
  head.at = 8;
  const sizes = Array.from({ length: 7 }, () => head.u32());
  let at = 36;
  const [contours, points, flags, outlines, composites, boxes] = sizes.map((size) => {
    at += size;
    return new Reader(table, at - size);
  });
  const bitmap = boxes.take(4 * Math.ceil(count / 32));
  const boxOf = (glyph: number): number[] | undefined =>
    (bitmap[glyph >> 3] & (0x80 >> (glyph & 7))) === 0
      ? undefined
      : [boxes.i16(), boxes.i16(), boxes.i16(), boxes.i16()];

  const composite = (glyph: number): Glyph => {
    const box = boxOf(glyph) ?? [0, 0, 0, 0];
    const pieces = [shorts([-1, ...box])];
    const references: number[] = [];
    let length = pieces[0].length;
    let hasInstructions = false;
    for (let more = true; more; ) {
      const bits = composites.u16();
      more = (bits & MORE_COMPONENTS) !== 0;
      hasInstructions ||= (bits & HAS_INSTRUCTIONS) !== 0;
      const scale = (bits & 8) !== 0 ? 2 : (bits & 0x40) !== 0 ? 4 : (bits & 0x80) !== 0 ? 8 : 0;
      const piece = Buffer.concat([
        shorts([bits & ~HAS_INSTRUCTIONS]),
        composites.take(2 + ((bits & 1) !== 0 ? 4 : 2) + scale),
      ]);
      references.push(length + 2);
      pieces.push(piece);
      length += piece.length;
    }
    if (hasInstructions) outlines.short();
    return { bytes: Buffer.concat(pieces), references, xMin: box[0] };
  };

  const simple = (glyph: number, contourCount: number): Glyph => {
    const ends: number[] = [];
    for (let i = 0; i < contourCount; i += 1) ends.push((ends.at(-1) ?? -1) + points.short());
    const pointCount = (ends.at(-1) ?? -1) + 1;
    const isOnCurve = Buffer.alloc(pointCount);
    const [dxs, dys]: [number[], number[]] = [[], []];
    let [x, y] = [0, 0];
    const box = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, -Infinity, -Infinity];
    for (let i = 0; i < pointCount; i += 1) {
      const flag = flags.u8();
      isOnCurve[i] = flag >> 7 === 0 ? 1 : 0;
      const [dx, dy] = stepOf(flag & 0x7f, outlines);
      dxs.push(dx);
      dys.push(dy);
      x += dx;
      y += dy;
      box[0] = Math.min(box[0], x);
      box[1] = Math.min(box[1], y);
      box[2] = Math.max(box[2], x);
      box[3] = Math.max(box[3], y);
    }
    outlines.short();
    const shownBox = boxOf(glyph) ?? box;
    // No instructions; each step as two bytes, which the flag without further bits stands for.
    const head = shorts([contourCount, ...shownBox, ...ends, 0]);
    return {
      bytes: Buffer.concat([head, isOnCurve, shorts(dxs), shorts(dys)]),
      references: [],
      xMin: shownBox[0],
    };
  };

  return Array.from({ length: count }, (_, glyph) => {
    const contourCount = contours.i16();
    if (contourCount === 0) return { bytes: Buffer.alloc(0), references: [], xMin: 0 };
    return contourCount < 0 ? composite(glyph) : simple(glyph, contourCount);
  });
}

/** Of the formats 4 and 12, which web fonts have. */
function charactersOf(table: Buffer): Map<number, number> {
  const reader = new Reader(table, 2);
  const count = reader.u16();
  const characters = new Map<number, number>();
  for (let i = 0; i < count; i += 1) {
    reader.at = 4 + 8 * i + 4;
    const start = reader.u32();
    reader.at = start;
    const format = reader.u16();
    if (format === 12) {
      reader.at = start + 12;
      for (let groups = reader.u32(); groups > 0; groups -= 1) {
        const [first, last, glyph] = [reader.u32(), reader.u32(), reader.u32()];
        for (let code = first; code <= last; code += 1) characters.set(code, glyph + code - first);
      }
    } else if (format === 4) {
      reader.at = start + 6;
      const segments = reader.u16() / 2;
      const value = (list: number, segment: number) =>
        table.readUInt16BE(start + 14 + 2 * (list * segments + segment) + (list > 0 ? 2 : 0));
      for (let segment = 0; segment < segments; segment += 1) {
        const [last, first] = [value(0, segment), value(1, segment)];
        const [delta, offset] = [value(2, segment), value(3, segment)];
        for (let code = first; code <= last && code < 0xffff; code += 1) {
          const place = start + 16 + 2 * (3 * segments + segment) + offset + 2 * (code - first);
          const raw = offset === 0 ? code : table.readUInt16BE(place);
          if (raw !== 0 || offset === 0) characters.set(code, (raw + delta) & 0xffff);
        }
      }
    }
  }
  return characters;
}

function partOf(file: Buffer): Part {
  const tables = tablesOf(file);
  const table = (tag: string): Buffer => {
    const found = tables.get(tag);
    if (!found) throw new TypeError(`the font has no table ${tag}`);
    return found;
  };
  const glyphs = glyphsOf(table('glyf'));
  const withAdvance = table('hhea').readUInt16BE(34);
  const metrics = table('hmtx');
  // A transformed table begins with a byte of its own and has the advances alone in front.
  const isTransformed = metrics.length !== 4 * withAdvance + 2 * (glyphs.length - withAdvance);
  const advances = glyphs.map((_, glyph) => {
    const at = Math.min(glyph, withAdvance - 1);
    return metrics.readUInt16BE(isTransformed ? 1 + 2 * at : 4 * at);
  });
  return { tables, glyphs, advances, characters: charactersOf(table('cmap')) };
}

/** Groups of characters that follow each other like their glyphs do, as format 12 has them. */
function characterTable(characters: ReadonlyMap<number, number>): Buffer {
  const groups: [first: number, last: number, glyph: number][] = [];
  for (const [code, glyph] of [...characters].sort(([a], [b]) => a - b)) {
    const group = groups.at(-1);
    if (group && code === group[1] + 1 && glyph === group[2] + code - group[0]) group[1] = code;
    else groups.push([code, code, glyph]);
  }
  const bytes = Buffer.alloc(12 + 16 + 12 * groups.length);
  // Version 0, one table: platform 3, encoding 10, which is all of Unicode.
  for (const [i, value] of [0, 1, 3, 10].entries()) bytes.writeUInt16BE(value, 2 * i);
  bytes.writeUInt32BE(12, 8);
  bytes.writeUInt16BE(12, 12);
  bytes.writeUInt32BE(bytes.length - 12, 16);
  bytes.writeUInt32BE(groups.length, 24);
  for (const [i, group] of groups.entries())
    for (const [k, value] of group.entries()) bytes.writeUInt32BE(value, 28 + 12 * i + 4 * k);
  return bytes;
}

function fontFile(tables: Record<string, Buffer>): Buffer {
  const tags = Object.keys(tables).sort();
  const head = Buffer.alloc(12 + 16 * tags.length);
  head.writeUInt32BE(0x00010000, 0);
  head.writeUInt16BE(tags.length, 4);
  const pieces: Buffer[] = [head];
  let at = head.length;
  for (const [i, tag] of tags.entries()) {
    const table = tables[tag];
    head.write(tag, 12 + 16 * i, 'latin1');
    head.writeUInt32BE(at, 12 + 16 * i + 8);
    head.writeUInt32BE(table.length, 12 + 16 * i + 12);
    const padding = Buffer.alloc(-table.length & 3);
    pieces.push(table, padding);
    at += table.length + padding.length;
  }
  return Buffer.concat(pieces);
}

/**
 * One TrueType font with the characters of all the parts.
 *
 * @param files in WOFF2, of the same design and units; the first has the say where two have a character
 * @throws TypeError, RangeError for what is no such font
 */
export function trueTypeOf(files: readonly Buffer[]): { bytes: Buffer; characters: ReadonlySet<number> } {
  const parts = files.map(partOf);
  const characters = new Map<number, number>();
  const outlines: Buffer[] = [];
  const advances: number[] = [];
  const places: number[] = [0];
  for (const part of parts) {
    const before = advances.length / 2;
    for (const [code, glyph] of part.characters)
      if (!characters.has(code)) characters.set(code, glyph + before);
    for (const [index, { bytes, references, xMin }] of part.glyphs.entries()) {
      const own = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
      for (const place of references) own.writeUInt16BE(own.readUInt16BE(place) + before, place);
      outlines.push(own);
      places.push((places.at(-1) ?? 0) + own.length);
      advances.push(part.advances[index], xMin);
    }
  }
  const copy = (tag: string) => Buffer.from(parts[0].tables.get(tag) ?? []);
  const glyphCount = places.length - 1;
  const [head, hhea, maxp, post] = [copy('head'), copy('hhea'), copy('maxp'), Buffer.alloc(32)];
  head.writeInt16BE(1, 50);
  hhea.writeUInt16BE(glyphCount, 34);
  maxp.writeUInt16BE(glyphCount, 4);
  post.writeUInt32BE(0x00030000, 0);
  const loca = Buffer.alloc(4 * places.length);
  for (const [i, place] of places.entries()) loca.writeUInt32BE(place, 4 * i);
  return {
    characters: new Set(characters.keys()),
    bytes: fontFile({
      'OS/2': copy('OS/2'),
      cmap: characterTable(characters),
      glyf: Buffer.concat(outlines),
      head,
      hhea,
      hmtx: shorts(advances),
      loca,
      maxp,
      name: copy('name'),
      post,
    }),
  };
}
