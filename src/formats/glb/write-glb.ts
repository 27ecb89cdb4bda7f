import { measureBounds } from '#kernels/mesh/bounds.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { joinBytes } from '../bytes/join-bytes.ts';
import { FormatError } from '../format-error.ts';

export interface GlbOptions {
  /** name of the node and of the mesh */
  name?: string;
  /** base colour, linear RGB or RGBA, 0–1; default grey */
  color?: readonly number[];
  /** texture of the surface: uv per vertex (2 · vertices, v downwards as in glTF), image, and meaning */
  texture?: {
    coordinates: Float32Array;
    image: Uint8Array;
    mediaType: 'image/png' | 'image/jpeg';
    extras?: object;
  };
  /** extra data stored with the mesh; must be JSON */
  extras?: Record<string, unknown>;
}

/**
 * glTF forbids NaN in accessors, so vertices without a measured value store the lowest float instead. `readGlb`
 * converts it back to NaN; for other readers it is stated in `extras.missingValue` of the accessor.
 */
export const missingScalar = -3.4028234663852886e38;

const float32 = 5126;
const uint32 = 5125;
const vertexTarget = 34962;
const indexTarget = 34963;
/** Linear filtering with mipmaps, clamped at the edges. */
const textureSampler = { magFilter: 9729, minFilter: 9987, wrapS: 33071, wrapT: 33071 };
export const padding4 = (length: number) => (4 - (length % 4)) % 4;

/**
 * A mesh as binary glTF 2.0: indexed triangles, normals, scalars as vertex attributes `_<name>`. Positions stay in mm
 * in the product's frame; the node transforms them to glTF's metres with y up (x, z, −y).
 *
 * @throws FormatError UNSUPPORTED when the file would exceed the 4 GiB limit of GLB
 * @see https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html
 */
export const writeGlb = (mesh: TriangleMesh, options: GlbOptions = {}): Uint8Array =>
  joinBytes(glbParts(mesh, options));

/** Like `writeGlb`, as consecutive parts: the mesh's own arrays without a copy, and the data around them. */
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
  // A matrix rather than a rotation, so that 0 and 0.001 are read back exactly.
  const matrix = [0.001, 0, 0, 0, 0, 0, -0.001, 0, 0, 0.001, 0, 0, 0, 0, 0, 1];
  const node: Record<string, unknown> = { name: options.name ?? 'part', matrix };
  json['nodes'] = [node];

  // An accessor needs at least one element, so an empty mesh is a node without a mesh.
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

/** A GLB from its JSON and the parts of its binary chunk, each padded to four bytes. @throws FormatError UNSUPPORTED */
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
