import { MeshoptDecoder } from 'meshoptimizer/decoder';
import { malformed } from '../format-error.ts';
import { lookUp } from '../look-up.ts';
import type { Gltf } from './gltf-shape.ts';
import { parseChunks } from './read-glb.ts';
import { assembleGlb, padding4 } from './write-glb.ts';

export const meshopt = 'EXT_meshopt_compression';

const strides = { ATTRIBUTES: [4, 256], TRIANGLES: [2, 4], INDICES: [2, 4] } as const;
/** Largest size of a GLB. */
const maxBytes = 0xffffffff;
/** Largest accepted unpacking ratio of a view: its memory would be allocated before the data is checked. */
const maxRatio = 256;

/**
 * The GLB with its buffer views uncompressed, for `readGlb`; returned unchanged when nothing is compressed. O(bytes),
 * about 200 MB per second. No Node imports: runs in a web worker.
 *
 * @throws FormatError MALFORMED
 * @see https://github.com/KhronosGroup/glTF/blob/main/extensions/2.0/Vendor/EXT_meshopt_compression/README.md
 */
export async function unpackGlb(bytes: Uint8Array): Promise<Uint8Array> {
  const { gltf, binary } = parseChunks(bytes, [meshopt]);
  const views = gltf.bufferViews ?? [];
  if (views.every(({ extensions }) => extensions?.[meshopt] === undefined)) return bytes;
  await MeshoptDecoder.ready;
  const parts: Uint8Array[] = [];
  let length = 0;
  const add = (part: Uint8Array) => {
    parts.push(part);
    const byteOffset = length;
    length += part.length + padding4(part.length);
    if (length > maxBytes || length > maxRatio * bytes.length)
      throw malformed(
        `GLB: its views unpack to more than ${maxRatio} times the file, or to more than 4 GiB.`,
      );
    return { buffer: 0, byteOffset, byteLength: part.length };
  };
  const bufferViews = views.map(({ extensions, byteStride, ...view }, i) => {
    const packed = extensions?.[meshopt];
    const part = packed ? decodeView(packed, binary, i) : sliceView(view, binary, i);
    // Only interleaved views need a stride; attributes of a compressed view are tightly packed.
    return { ...view, ...(packed || byteStride === undefined ? {} : { byteStride }), ...add(part) };
  });
  const refused = (gltf.extensionsRequired ?? []).filter((name) => name !== meshopt);
  const json = { ...gltf, bufferViews, buffers: [{ byteLength: length }], extensionsRequired: refused };
  return assembleGlb(json, parts, length);
}

type View = NonNullable<Gltf['bufferViews']>[number];
type PackedView = NonNullable<NonNullable<View['extensions']>[typeof meshopt]>;

function sliceView({ byteOffset = 0, byteLength = 0 }: View, binary: Uint8Array, index: number): Uint8Array {
  const part = binary.subarray(byteOffset, byteOffset + byteLength);
  if (part.length !== byteLength) throw malformed(`GLB: buffer view ${index} ends beyond the file.`);
  return part;
}

function decodeView(view: PackedView, binary: Uint8Array, index: number): Uint8Array {
  const { count = 0, byteStride = 0, mode = '', filter } = view;
  const [least, most] = lookUp(strides, mode) ?? [1, 0];
  const fits = Number.isInteger(count) && count >= 0 && count * byteStride <= maxBytes;
  if (!fits || !(byteStride >= least && byteStride <= most))
    throw malformed(`GLB: the compressed view ${index} has no valid count, stride or mode.`);
  const source = sliceView(view, binary, index);
  if (count * byteStride > maxRatio * source.length)
    throw malformed(
      `GLB: the compressed view ${index} says it unpacks to more than ${maxRatio} times its size.`,
    );
  const decoded = new Uint8Array(count * byteStride);
  try {
    MeshoptDecoder.decodeGltfBuffer(decoded, count, byteStride, source, mode, filter);
  } catch {
    throw malformed(`GLB: the compressed view ${index} can’t be decompressed.`);
  }
  return decoded;
}
