import { swapBytes } from '#kernels/bytes/swap-bytes.ts';
import type { ByteOrder } from '../bytes/byte-order.ts';

/** A tag with its field type and numbers; text as characters. */
export interface TiffEntry {
  id: number;
  type: 1 | 2 | 3 | 4 | 5 | 16;
  values: number[];
}

export interface TiffPage {
  entries: TiffEntry[];
  /** strips or tiles, already packed, in the byte order of the file */
  chunks: Uint8Array[];
  tiled?: boolean;
}

const sizes = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 16: 8 };

/** Writes a TIFF from its parts, for layouts that our writers do not produce: data first, then each directory. */
export function buildTiff(pages: TiffPage[], order: ByteOrder = 'little', big = false): Uint8Array {
  const bytes: number[] = [];
  const number = (value: number, width: number) => {
    const digits = Array.from({ length: width }, (_, i) => Number((BigInt(value) >> BigInt(8 * i)) & 0xffn));
    return order === 'little' ? digits : digits.reverse();
  };
  const offsetWidth = big ? 8 : 4;
  bytes.push(...(order === 'little' ? [0x49, 0x49] : [0x4d, 0x4d]), ...number(big ? 43 : 42, 2));
  if (big) bytes.push(...number(8, 2), ...number(0, 2));
  let linkAt = bytes.length;
  bytes.push(...number(0, offsetWidth));
  const link = (at: number) => bytes.splice(linkAt, offsetWidth, ...number(at, offsetWidth));
  for (const page of pages) {
    const offsets = page.chunks.map((chunk) => {
      const at = bytes.length;
      for (const byte of chunk) bytes.push(byte);
      return at;
    });
    const all: TiffEntry[] = [
      ...page.entries,
      { id: page.tiled ? 324 : 273, type: big ? 16 : 4, values: offsets },
      { id: page.tiled ? 325 : 279, type: 4, values: page.chunks.map((chunk) => chunk.length) },
    ];
    all.sort((a, b) => a.id - b.id);
    const packed = all.map((entry) => {
      const values = entry.values.flatMap((value) =>
        // Rationals are written as value · 1000 over 1000.
        entry.type === 5
          ? [...number(Math.round(value * 1000), 4), ...number(1000, 4)]
          : number(value, sizes[entry.type]),
      );
      if (values.length <= offsetWidth)
        return { entry, field: [...values, ...Array(offsetWidth - values.length).fill(0)] };
      const at = bytes.length;
      bytes.push(...values);
      return { entry, field: number(at, offsetWidth) };
    });
    link(bytes.length);
    bytes.push(...number(packed.length, big ? 8 : 2));
    for (const { entry, field } of packed) {
      bytes.push(
        ...number(entry.id, 2),
        ...number(entry.type, 2),
        ...number(entry.values.length, offsetWidth),
        ...field,
      );
    }
    linkAt = bytes.length;
    bytes.push(...number(0, offsetWidth));
  }
  return new Uint8Array(bytes);
}

export const short = (id: number, ...values: number[]): TiffEntry => ({ id, type: 3, values });
export const text = (id: number, content: string): TiffEntry => ({
  id,
  type: 2,
  values: [...new TextEncoder().encode(content), 0],
});

/** Tags of a grey page. */
export const greyPage = (
  width: number,
  height: number,
  bits: number,
  more: TiffEntry[] = [],
): TiffEntry[] => [
  ...[
    short(256, width),
    short(257, height),
    short(258, bits),
    short(259, 1),
    short(262, 1),
    short(277, 1),
  ].filter((entry) => !more.some((other) => other.id === entry.id)),
  ...more,
];

/** Numbers as bytes of a file. */
export function samples(
  array: Uint8Array | Uint16Array | Int16Array | Uint32Array | Float32Array | Float64Array,
  order: ByteOrder,
): Uint8Array {
  const bytes = new Uint8Array(array.buffer.slice(array.byteOffset, array.byteOffset + array.byteLength));
  if (order === 'big') swapBytes(bytes, array.BYTES_PER_ELEMENT);
  return bytes;
}

/** TIFF's LZW after section 13 of TIFF 6.0, with a table of strings: slow and obvious. */
export function encodeLzw(data: Uint8Array): Uint8Array {
  let bits = '';
  let table = new Map<string, number>();
  let next = 258;
  let width = 9;
  const put = (code: number) => {
    bits += code.toString(2).padStart(width, '0');
  };
  const clear = () => {
    put(256);
    table = new Map();
    for (let i = 0; i < 256; i++) table.set(String.fromCharCode(i), i);
    next = 258;
    width = 9;
  };
  clear();
  let run = '';
  for (const byte of data) {
    const character = String.fromCharCode(byte);
    if (table.has(run + character)) {
      run += character;
      continue;
    }
    put(table.get(run) ?? 0);
    table.set(run + character, next++);
    run = character;
    if (next === 4094) clear();
    else if (next > (1 << width) - 1) width++;
  }
  if (run !== '') {
    put(table.get(run) ?? 0);
    next++;
    if (next > (1 << width) - 1 && width < 12) width++;
  }
  put(257);
  return Uint8Array.from({ length: Math.ceil(bits.length / 8) }, (_, i) =>
    Number.parseInt(bits.slice(8 * i, 8 * i + 8).padEnd(8, '0'), 2),
  );
}

export function encodePackBits(data: Uint8Array): Uint8Array {
  const out: number[] = [];
  for (let i = 0; i < data.length; ) {
    let run = 1;
    while (run < 128 && data[i + run] === data[i]) run++;
    if (run > 2) {
      out.push(257 - run, data[i]);
      i += run;
    } else {
      const count = Math.min(2, data.length - i);
      out.push(count - 1, ...data.slice(i, i + count));
      i += count;
    }
  }
  return new Uint8Array(out);
}
