import type { DataType, Vector3 } from '#kernels/grid/volume.ts';
import { type ByteSource, readExactly } from '../bytes/byte-source.ts';
import { decodeText } from '../bytes/decode-text.ts';
import { malformed, unsupported } from '../format-error.ts';
import { lookUp } from '../look-up.ts';
import { setOnce } from '../set-once.ts';

/** Largest size of the header; real ones have a few hundred bytes. */
const maximumHeaderBytes = 1 << 20;

export interface NrrdFields {
  fields: Map<string, string>;
  /** lines of `data file: LIST` */
  listed: string[];
  /** offset of the data in an attached file: after the empty line */
  dataOffset: number;
}

const types: Record<string, DataType> = {
  'signed char': 'int8',
  int8: 'int8',
  int8_t: 'int8',
  uchar: 'uint8',
  'unsigned char': 'uint8',
  uint8: 'uint8',
  uint8_t: 'uint8',
  short: 'int16',
  'short int': 'int16',
  'signed short': 'int16',
  'signed short int': 'int16',
  int16: 'int16',
  int16_t: 'int16',
  ushort: 'uint16',
  'unsigned short': 'uint16',
  'unsigned short int': 'uint16',
  uint16: 'uint16',
  uint16_t: 'uint16',
  int: 'int32',
  'signed int': 'int32',
  int32: 'int32',
  int32_t: 'int32',
  uint: 'uint32',
  'unsigned int': 'uint32',
  uint32: 'uint32',
  uint32_t: 'uint32',
  float: 'float32',
  double: 'float64',
};

/** Reads the text part of an NRRD file: `field: value` lines up to an empty line. */
export async function readNrrdFields(source: ByteSource): Promise<NrrdFields> {
  let bytes = await readExactly(source, 0, Math.min(8192, source.size), 'the NRRD header');
  let end = headerEnd(bytes);
  if (end < 0 && source.size > bytes.length) {
    bytes = await readExactly(source, 0, Math.min(maximumHeaderBytes, source.size), 'the NRRD header');
    end = headerEnd(bytes);
  }
  if (end < 0 && bytes.length === maximumHeaderBytes) {
    throw malformed(`${source.name}: the NRRD header does not end within ${maximumHeaderBytes} bytes.`);
  }
  const dataOffset = end < 0 ? bytes.length : end;
  const lines = decodeText(bytes.subarray(0, dataOffset)).split(/\r?\n/);
  const [magic = '', ...rest] = lines;
  if (!/^NRRD000[1-5]$/.test(magic.trim())) {
    throw malformed(
      `${source.name}: a NRRD file begins with NRRD0001 to NRRD0005, not "${magic.slice(0, 20)}".`,
    );
  }
  const fields = new Map<string, string>();
  const listed: string[] = [];
  let inList = false;
  for (const line of rest) {
    if (line.startsWith('#') || line.trim() === '') continue;
    if (inList) {
      listed.push(line.trim());
      continue;
    }
    const colon = line.indexOf(':');
    if (colon < 0) throw malformed(`${source.name}: the header line "${line.slice(0, 60)}" has no colon.`);
    if (line[colon + 1] === '=') continue; // key/value pairs carry no meaning for the grid
    const name = fieldName(line.slice(0, colon));
    setOnce(fields, name, line.slice(colon + 1).trim(), source.name);
    inList = name === 'datafile' && /^LIST\b/.test(fields.get(name) ?? '');
  }
  return { fields, listed, dataOffset };
}

/** Normalizes field names: old headers write `datafile`, new ones `data file`, and so on. */
const fieldName = (name: string) => name.trim().toLowerCase().replace(/\s+/g, '');

function headerEnd(bytes: Uint8Array): number {
  for (let i = 0; i + 1 < bytes.length; i++) {
    if (bytes[i] !== 10) continue;
    if (bytes[i + 1] === 10) return i + 2;
    if (bytes[i + 1] === 13 && bytes[i + 2] === 10) return i + 3;
  }
  return -1;
}

export function nrrdType(fields: Map<string, string>, where: string): DataType {
  const name = (fields.get('type') ?? '').toLowerCase().replace(/\s+/g, ' ');
  const dataType = lookUp(types, name);
  if (dataType) return dataType;
  if (name === '') throw malformed(`${where}: the NRRD header has no type.`);
  throw unsupported(
    `${where}: grey values of type "${name}" are not read; 8 to 32 bit whole numbers, float and double are.`,
  );
}

/** Sizes of the three axes; other numbers of axes are refused. */
export function nrrdSizes(fields: Map<string, string>, where: string): number[] {
  const dimension = Number(fields.get('dimension'));
  const sizes = (fields.get('sizes') ?? '').split(/\s+/).filter(Boolean).map(Number);
  if (!Number.isInteger(dimension) || dimension < 1)
    throw malformed(`${where}: the NRRD header has no valid dimension.`);
  if (sizes.length !== dimension) {
    throw malformed(`${where}: the dimension is ${dimension}, but ${sizes.length} sizes are given.`);
  }
  if (dimension !== 3) {
    throw unsupported(
      `${where} has ${dimension} dimensions (${sizes.join(' × ')}); only volumes of 3 dimensions with one grey value a voxel are read.`,
    );
  }
  return sizes;
}

/** `(1,0,0) (0,1,0) none` as vectors; undefined for `none`. */
export function nrrdVectors(text: string, where: string): (Vector3 | undefined)[] {
  return [...text.matchAll(/none|\(([^()]*)\)/gi)].map((match) => {
    if (match[1] === undefined) return undefined;
    const values = match[1].split(',').map(Number);
    if (values.length !== 3 || !values.every(Number.isFinite)) {
      throw malformed(`${where}: "${match[0].slice(0, 60)}" is no vector of three numbers.`);
    }
    return values as Vector3;
  });
}

/** Quoted words as in `"mm" "mm" "mm"`. */
export const nrrdQuoted = (text: string) => [...text.matchAll(/"([^"]*)"/g)].map(([, word = '']) => word);
