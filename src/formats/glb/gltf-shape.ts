/** The parts of the glTF 2.0 JSON that are read; everything is optional because files lie. */
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

/** A buffer view by EXT_meshopt_compression: where its bytes are, and what they become. */
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
