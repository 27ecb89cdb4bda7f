import { malformed, unsupported } from '../format-error.ts';
import { lookUp } from '../look-up.ts';

export type PlyType = 'int8' | 'uint8' | 'int16' | 'uint16' | 'int32' | 'uint32' | 'float32' | 'float64';

interface PlyProperty {
  name: string;
  type: PlyType;
  /** type of the count of a list; undefined for a single value */
  countType?: PlyType;
}

export interface PlyElement {
  name: string;
  count: number;
  properties: PlyProperty[];
}

export interface PlyHeader {
  encoding: 'ascii' | 'little' | 'big';
  elements: PlyElement[];
  dataOffset: number;
}

const types: Record<string, PlyType> = {
  char: 'int8',
  int8: 'int8',
  uchar: 'uint8',
  uint8: 'uint8',
  short: 'int16',
  int16: 'int16',
  ushort: 'uint16',
  uint16: 'uint16',
  int: 'int32',
  int32: 'int32',
  uint: 'uint32',
  uint32: 'uint32',
  float: 'float32',
  float32: 'float32',
  double: 'float64',
  float64: 'float64',
};
export const plyBytes: Record<PlyType, number> = {
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  float32: 4,
  float64: 8,
};
const encodings: Record<string, PlyHeader['encoding']> = {
  ascii: 'ascii',
  binary_little_endian: 'little',
  binary_big_endian: 'big',
};
const maximumHeaderBytes = 1 << 20;

/** The header of a PLY file; lines may end in LF, CR LF or CR. */
export function readPlyHeader(bytes: Uint8Array, where: string): PlyHeader {
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, maximumHeaderBytes));
  const end = /(?:^|[\r\n])end_header[ \t]*(\r\n|\n|\r)/.exec(text);
  if (!/^ply[ \t]*[\r\n]/.test(text)) throw malformed(`${where}: a PLY file begins with the line "ply".`);
  if (!end) throw malformed(`${where}: the PLY header has no line "end_header".`);
  let encoding: PlyHeader['encoding'] | undefined;
  const elements: PlyElement[] = [];
  for (const line of text
    .slice(0, end.index)
    .split(/\r\n|\n|\r/)
    .slice(1)) {
    const words = line.trim().split(/\s+/);
    switch (words[0]) {
      case 'format':
        encoding = lookUp(encodings, words[1] ?? '');
        if (!encoding)
          throw unsupported(
            `${where}: PLY format "${words[1] ?? ''}" does not exist; ascii and binary are read.`,
          );
        break;
      case 'element': {
        const count = Number(words[2]);
        if (!Number.isSafeInteger(count) || count < 0)
          throw malformed(`${where}: the line "${line.slice(0, 60)}" has no valid count.`);
        elements.push({ name: words[1] ?? '', count, properties: [] });
        break;
      }
      case 'property': {
        const element = elements.at(-1);
        const list = words[1] === 'list';
        const type = lookUp(types, (list ? words[3] : words[1]) ?? '');
        const countType = list ? lookUp(types, words[2] ?? '') : undefined;
        const name = list ? words[4] : words[2];
        if (!element || !type || name === undefined || (list && !countType)) {
          throw malformed(`${where}: the header line "${line.slice(0, 60)}" is no valid property.`);
        }
        element.properties.push({ name, type, countType });
        break;
      }
    }
  }
  if (!encoding) throw malformed(`${where}: the PLY header has no format line.`);
  return { encoding, elements, dataOffset: end.index + end[0].length };
}
