import { malformed, unsupported } from '../format-error.ts';
import { lookUp } from '../look-up.ts';
import { type Gltf, quoteValue } from './gltf-shape.ts';

interface Component {
  bytes: number;
  read: (view: DataView, at: number) => number;
  /** divisor of normalised integers */
  full: number;
}

const components: Record<string, Component> = {
  5120: { bytes: 1, read: (view, at) => view.getInt8(at), full: 127 },
  5121: { bytes: 1, read: (view, at) => view.getUint8(at), full: 255 },
  5122: { bytes: 2, read: (view, at) => view.getInt16(at, true), full: 32767 },
  5123: { bytes: 2, read: (view, at) => view.getUint16(at, true), full: 65535 },
  5125: { bytes: 4, read: (view, at) => view.getUint32(at, true), full: 4294967295 },
  5126: { bytes: 4, read: (view, at) => view.getFloat32(at, true), full: 1 },
};
const widths: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };
const typeNames = Object.keys(widths);
const describe = (what: string, value: unknown): string =>
  value === undefined ? `no ${what}` : `the ${what} ${quoteValue(value)}`;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** Numbers of an accessor as floats, tightly packed: count · width values. */
export function readFloats(gltf: Gltf, binary: Uint8Array, index: number, width: number): Float32Array {
  return read(gltf, binary, index, width, (length) => new Float32Array(length));
}

/** Numbers of an accessor as integers, exact up to 2³²−1 (floats are exact only up to 2²⁴). */
export function readIntegers(gltf: Gltf, binary: Uint8Array, index: number): Uint32Array {
  return read(gltf, binary, index, 1, (length) => new Uint32Array(length));
}

/** The bytes of a buffer view, checked against the available data. */
export function readView(gltf: Gltf, binary: Uint8Array, index: number | undefined) {
  const bufferView = gltf.bufferViews?.[index ?? -1];
  if (!bufferView)
    throw malformed(`GLB: buffer view ${quoteValue(index)} is referred to but does not exist.`);
  if ((bufferView.buffer ?? 0) !== 0 || gltf.buffers?.[0]?.uri !== undefined) {
    throw unsupported('GLB: the geometry is in a file of its own; only buffers inside the GLB are read.');
  }
  const offset = bufferView.byteOffset ?? 0;
  const length = bufferView.byteLength ?? 0;
  if (!isCount(offset) || !isCount(length) || offset + length > binary.length) {
    throw malformed(
      `GLB: buffer view ${index} has ${quoteValue(length)} bytes from ${quoteValue(offset)}, but the binary chunk has ${binary.length}.`,
    );
  }
  return {
    view: new DataView(binary.buffer, binary.byteOffset + offset, length),
    stride: bufferView.byteStride,
  };
}

function read<T extends Float32Array | Uint32Array>(
  gltf: Gltf,
  binary: Uint8Array,
  index: number,
  width: number,
  allocate: (length: number) => T,
): T {
  const accessor = gltf.accessors?.[index];
  if (!accessor) throw malformed(`GLB: accessor ${quoteValue(index)} is referred to but does not exist.`);
  const component = lookUp(components, accessor.componentType ?? 0);
  if (!component)
    throw malformed(
      `GLB: accessor ${index} has ${describe('component type', accessor.componentType)}, but 5120 to 5123, 5125 or 5126 is needed.`,
    );
  if (lookUp(widths, accessor.type ?? '') !== width) {
    throw malformed(
      `GLB: accessor ${index} has ${describe('type', accessor.type)}, but ${typeNames[width - 1]} is needed.`,
    );
  }
  const count = accessor.count;
  if (!isCount(count)) throw malformed(`GLB: accessor ${index} has no valid count.`);
  const divisor = accessor.normalized ? component.full : 1;
  if (accessor.bufferView === undefined) {
    // All zeros by definition; only useful with sparse values, which no exporter of parts writes.
    throw unsupported(`GLB: accessor ${index} has no buffer view (sparse only), which is not read.`);
  }
  if (accessor.sparse) throw unsupported(`GLB: accessor ${index} is sparse, which is not read.`);
  const { view, stride = component.bytes * width } = readView(gltf, binary, accessor.bufferView);
  const start = accessor.byteOffset ?? 0;
  const end = count === 0 ? 0 : start + (count - 1) * stride + component.bytes * width;
  if (!isCount(start) || !isCount(stride) || stride < component.bytes * width)
    throw malformed(`GLB: accessor ${index} has no valid offset or stride.`);
  if (end > view.byteLength) {
    throw malformed(
      `GLB: accessor ${index} needs ${end} bytes of its buffer view, which has ${view.byteLength}.`,
    );
  }
  const out = allocate(count * width);
  if (
    divisor === 1 &&
    component.bytes === 4 &&
    stride === 4 * width &&
    isSameType(accessor.componentType, out)
  ) {
    const from = view.byteOffset + start;
    new Uint8Array(out.buffer).set(new Uint8Array(view.buffer, from, out.byteLength));
    return out;
  }
  for (let i = 0, to = 0; i < count; i++) {
    for (let k = 0, at = start + i * stride; k < width; k++, at += component.bytes) {
      out[to++] = component.read(view, at) / divisor;
    }
  }
  return out;
}

const isSameType = (componentType: number | undefined, out: Float32Array | Uint32Array) =>
  componentType === (out instanceof Float32Array ? 5126 : 5125);
