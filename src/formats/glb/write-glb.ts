import { measureBounds } from '#kernels/mesh/bounds.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { joinBytes } from '../bytes/join-bytes.ts';
import { FormatError } from '../format-error.ts';

export interface GlbOptions {
  /** name of the node and of the mesh */
  name?: string;
  /** base colour, linear RGB or RGBA, 0–1; grey without it */
  color?: readonly number[];
  /** texture over the surface: uv of each vertex (2 · vertices, v downwards as in glTF), its picture, what it shows */
  texture?: {
    coordinates: Float32Array;
    image: Uint8Array;
    mediaType: 'image/png' | 'image/jpeg';
    extras?: object;
  };
  /** anything to keep with the mesh; must survive JSON */
  extras?: Record<string, unknown>;
}

/**
 * glTF forbids NaN in accessors, so a vertex without a measured value carries the lowest float instead.
 * `readGlb` turns it back into NaN; the value stands in `extras.missingValue` of the accessor for others.
 */
export const missingScalar = -3.4028234663852886e38;

const float32 = 5126;
const uint32 = 5125;
const vertexTarget = 34962;
const indexTarget = 34963;
/** Linear, with coarser copies from afar, and ending at the picture's edges. */
const textureSampler = { magFilter: 9729, minFilter: 9987, wrapS: 33071, wrapT: 33071 };
export const padding4 = (length: number) => (4 - (length % 4)) % 4;

/**
 * A mesh as binary glTF 2.0: indexed triangles, normals, scalars as vertex attributes `_<name>`.
 * Positions stay in mm and in the inner frame; the node takes them to glTF's metres with y up (x, z, −y).
 *
 * @throws FormatError UNSUPPORTED when the file would pass the 4 GiB that GLB can count to
 * @see https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html
 */
export const writeGlb = (mesh: TriangleMesh, options: GlbOptions = {}): Uint8Array =>
  joinBytes(glbParts(mesh, options));

/** As `writeGlb`, in parts that follow one another: the mesh's own arrays as they lie in memory, and what stands around them. */
export function glbParts(mesh: TriangleMesh, options: GlbOptions = {}): Uint8Array[] {
  const vertices = mesh.positions.length / 3;
  const parts: Uint8Array[] = [];
  const bufferViews: object[] = [];
  const accessors: object[] = [];
  let binaryLength = 0;

  const addView = (array: Float32Array | Uint32Array | Uint8Array, target?: number): number => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    bufferViews.push({ buffer: 0, byteOffset: binaryLength, byteLength: bytes.length, target });
    parts.push(bytes);
    binaryLength += bytes.length + padding4(bytes.length);
    return bufferViews.length - 1;
  };
  const addAccessor = (
    array: Float32Array | Uint32Array,
    type: 'SCALAR' | 'VEC2' | 'VEC3',
    count: number,
    more: object = {},
  ): number => {
    const componentType = array instanceof Float32Array ? float32 : uint32;
    const target = componentType === uint32 ? indexTarget : vertexTarget;
    accessors.push({ bufferView: addView(array, target), componentType, count, type, ...more });
    return accessors.length - 1;
  };

  const json: Record<string, unknown> = {
    asset: { version: '2.0', generator: 'Scanwright', extras: { upAxis: 'y' } },
    scene: 0,
    scenes: [{ nodes: [0] }],
  };
  // A matrix rather than a rotation: 0 and 0.001 come back exactly.
  const matrix = [0.001, 0, 0, 0, 0, 0, -0.001, 0, 0, 0.001, 0, 0, 0, 0, 0, 1];
  const node: Record<string, unknown> = { name: options.name ?? 'part', matrix };
  json['nodes'] = [node];

  // An accessor must hold at least one element, so an empty mesh is a node without one.
  if (vertices > 0 && mesh.indices.length > 0) {
    const attributes: Record<string, number> = {
      POSITION: addAccessor(mesh.positions, 'VEC3', vertices, measureBounds(mesh.positions)),
    };
    if (mesh.normals) attributes['NORMAL'] = addAccessor(mesh.normals, 'VEC3', vertices);
    for (const [name, values] of Object.entries(mesh.scalars ?? {})) {
      const { filled, absent } = withoutNaN(values);
      attributes[`_${name}`] = addAccessor(
        filled,
        'SCALAR',
        vertices,
        absent > 0 ? { extras: { missingValue: missingScalar, missingCount: absent } } : {},
      );
    }
    const [r = 0.72, g = 0.74, b = 0.77, a = 1] = options.color ?? [];
    const surface: Record<string, unknown> = {
      baseColorFactor: [r, g, b, a],
      metallicFactor: 0,
      roughnessFactor: 0.6,
    };
    if (options.texture) {
      attributes['TEXCOORD_0'] = addAccessor(options.texture.coordinates, 'VEC2', vertices);
      const bufferView = addView(options.texture.image);
      const { mediaType, extras } = options.texture;
      json['images'] = [{ bufferView, mimeType: mediaType, ...(extras ? { extras } : {}) }];
      json['samplers'] = [textureSampler];
      json['textures'] = [{ sampler: 0, source: 0 }];
      surface['baseColorTexture'] = { index: 0 };
      if (!options.color) surface['baseColorFactor'] = [1, 1, 1, 1];
    }
    node['mesh'] = 0;
    json['materials'] = [
      { pbrMetallicRoughness: surface, doubleSided: true, ...(a < 1 ? { alphaMode: 'BLEND' } : {}) },
    ];
    json['meshes'] = [
      {
        name: options.name ?? 'part',
        primitives: [
          {
            attributes,
            indices: addAccessor(mesh.indices, 'SCALAR', mesh.indices.length),
            material: 0,
            mode: 4,
          },
        ],
        ...(options.extras ? { extras: options.extras } : {}),
      },
    ];
    json['accessors'] = accessors;
    json['bufferViews'] = bufferViews;
    json['buffers'] = [{ byteLength: binaryLength }];
  }
  return framedParts(json, parts, binaryLength);
}

/** A GLB of its JSON and the parts of its binary chunk, each padded to four bytes. @throws FormatError UNSUPPORTED */
export const assembleGlb = (json: object, parts: readonly Uint8Array[], binaryLength: number): Uint8Array =>
  joinBytes(framedParts(json, parts, binaryLength));

function framedParts(json: object, parts: readonly Uint8Array[], binaryLength: number): Uint8Array[] {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const textLength = text.length + padding4(text.length);
  const head = 12 + 8 + textLength;
  const total = head + (binaryLength > 0 ? 8 + binaryLength : 0);
  if (total > 0xffffffff) {
    throw new FormatError(
      'UNSUPPORTED',
      `The mesh needs ${total} bytes, but a GLB file ends at 4 GiB: reduce the number of triangles, or export PLY.`,
    );
  }
  const bytes = new Uint8Array(head + (binaryLength > 0 ? 8 : 0));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x46546c67, true); // "glTF"
  view.setUint32(4, 2, true);
  view.setUint32(8, total, true);
  view.setUint32(12, textLength, true);
  view.setUint32(16, 0x4e4f534a, true); // "JSON"
  bytes.fill(0x20, 20, head);
  bytes.set(text, 20);
  if (binaryLength === 0) return [bytes];
  view.setUint32(head, binaryLength, true);
  view.setUint32(head + 4, 0x004e4942, true); // "BIN\0"
  const padded = parts.flatMap((part) =>
    padding4(part.length) > 0 ? [part, new Uint8Array(padding4(part.length))] : [part],
  );
  return [bytes, ...padded];
}

function withoutNaN(values: Float32Array): { filled: Float32Array; absent: number } {
  let absent = 0;
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) absent++;
  if (absent === 0) return { filled: values, absent };
  return { filled: values.map((value) => (Number.isFinite(value) ? value : missingScalar)), absent };
}

export const glbWriter = async function* (mesh: TriangleMesh, name: string): AsyncGenerator<Uint8Array> {
  yield* glbParts(mesh, { name });
};
