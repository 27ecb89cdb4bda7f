/** Numeric arrays of a MATLAB 5 file, little-endian, packed or not (MathWorks, “MAT-File Format”, level 5). */
import { inflateSync } from 'node:zlib';

export interface MatlabArray {
  /** MATLAB stores the first dimension fastest */
  shape: number[];
  values: Float64Array;
}

const bytesOfType: Record<number, number> = { 1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 9: 8 };

export function readMatlab(file: Uint8Array): Map<string, MatlabArray> {
  const arrays = new Map<string, MatlabArray>();
  for (const { type, data } of readElements(file.subarray(128))) {
    const [element] = type === 15 ? readElements(inflateSync(data)) : [{ type, data }];
    if (element.type !== 14) continue;
    const [, dimensions, name, values] = readElements(element.data);
    const numbers = readNumbers(values.type, values.data);
    arrays.set(String.fromCharCode(...name.data), {
      shape: [...readNumbers(dimensions.type, dimensions.data)],
      values: numbers,
    });
  }
  return arrays;
}

function readElements(bytes: Uint8Array): { type: number; data: Uint8Array }[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const elements: { type: number; data: Uint8Array }[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const tag = view.getUint32(at, true);
    if (tag >>> 16 > 0) {
      // Small: type and length share the first four bytes, the data are the next four.
      elements.push({ type: tag & 0xffff, data: bytes.subarray(at + 4, at + 4 + (tag >>> 16)) });
      at += 8;
      continue;
    }
    const length = view.getUint32(at + 4, true);
    elements.push({ type: tag, data: bytes.subarray(at + 8, at + 8 + length) });
    at += 8 + (tag === 15 ? length : Math.ceil(length / 8) * 8);
  }
  return elements;
}

function readNumbers(type: number, data: Uint8Array): Float64Array {
  const size = bytesOfType[type];
  if (!size) return new Float64Array(0);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const read: Record<number, (at: number) => number> = {
    1: (at) => view.getInt8(at),
    2: (at) => view.getUint8(at),
    3: (at) => view.getInt16(at, true),
    4: (at) => view.getUint16(at, true),
    5: (at) => view.getInt32(at, true),
    6: (at) => view.getUint32(at, true),
    7: (at) => view.getFloat32(at, true),
    9: (at) => view.getFloat64(at, true),
  };
  return Float64Array.from({ length: data.length / size }, (_, i) => read[type](i * size));
}
