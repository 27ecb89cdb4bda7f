import { malformed } from '../format-error.ts';

/** The parts of the glTF 2.0 JSON that are read; everything is optional because files cannot be trusted. */
export interface GltfPrimitive {
  attributes?: Record<string, number>;
  indices?: number;
  material?: number;
  mode?: number;
}

export interface GltfNode {
  children?: number[];
  mesh?: number;
  matrix?: number[];
  translation?: number[];
  rotation?: number[];
  scale?: number[];
}

interface GltfAccessor {
  bufferView?: number;
  byteOffset?: number;
  componentType?: number;
  normalized?: boolean;
  count?: number;
  type?: string;
  sparse?: object;
  extras?: { missingValue?: unknown };
}

/** A buffer view compressed with EXT_meshopt_compression: its location and unpacked layout. */
interface GltfPackedView {
  byteOffset?: number;
  byteLength?: number;
  byteStride?: number;
  count?: number;
  mode?: string;
  filter?: string;
}

export interface Gltf {
  asset?: { generator?: string; extras?: { upAxis?: unknown } };
  scene?: number;
  scenes?: { nodes?: number[] }[];
  nodes?: GltfNode[];
  meshes?: { primitives?: GltfPrimitive[] }[];
  accessors?: GltfAccessor[];
  bufferViews?: {
    buffer?: number;
    byteOffset?: number;
    byteLength?: number;
    byteStride?: number;
    target?: number;
    extensions?: { EXT_meshopt_compression?: GltfPackedView };
  }[];
  buffers?: { uri?: string; byteLength?: number }[];
  materials?: { pbrMetallicRoughness?: { baseColorTexture?: { index?: number; texCoord?: number } } }[];
  textures?: { source?: number }[];
  images?: { bufferView?: number; mimeType?: string; extras?: unknown }[];
  extensionsRequired?: string[];
}

/** A value of a file as JSON for a message, at most 40 characters. */
export const quoteValue = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 40);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function listIn(value: unknown, what: string): unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw malformed(`GLB: ${what} must be a list.`);
  return value;
}

function objectsIn(value: unknown, what: string): Record<string, unknown>[] {
  return listIn(value, what).map((item) => {
    if (!isObject(item)) throw malformed(`GLB: ${what} must be a list of objects.`);
    return item;
  });
}

/**
 * The JSON of a GLB after checking that all lists and objects have the shape of `Gltf`; numbers are checked where they
 * are used.
 *
 * @throws FormatError MALFORMED
 */
export function checkedGltf(value: unknown): Gltf {
  if (!isObject(value)) throw malformed('GLB: the JSON chunk is not an object.');
  for (const name of ['accessors', 'buffers', 'materials', 'textures', 'images'])
    objectsIn(value[name], name);
  listIn(value['extensionsRequired'], 'extensionsRequired');
  for (const scene of objectsIn(value['scenes'], 'scenes')) listIn(scene['nodes'], 'the nodes of a scene');
  for (const node of objectsIn(value['nodes'], 'nodes')) listIn(node['children'], 'the children of a node');
  for (const mesh of objectsIn(value['meshes'], 'meshes')) {
    for (const { attributes = {} } of objectsIn(mesh['primitives'], 'the primitives of a mesh'))
      if (!isObject(attributes)) throw malformed('GLB: the attributes of a primitive must be an object.');
  }
  for (const { extensions = {} } of objectsIn(value['bufferViews'], 'bufferViews'))
    if (!isObject(extensions)) throw malformed('GLB: the extensions of a buffer view must be an object.');
  return value as Gltf;
}
