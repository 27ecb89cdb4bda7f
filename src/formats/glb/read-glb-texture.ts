import { readFloats, readView } from './accessor.ts';
import { parseChunks } from './read-glb.ts';

export interface GlbTexture {
  /** uv of each vertex in the order of `readGlb`, v downwards; 2 · vertices */
  coordinates: Float32Array;
  /** the image as stored in the file */
  image: Uint8Array<ArrayBuffer>;
  mediaType: string;
  /** the file's extra data about the texture */
  extras: unknown;
}

/**
 * The texture of a GLB with a single mesh and primitive, as written by `writeGlb`; null when it has none, or several
 * primitives, each of which might have its own. No Node imports: runs in a web worker.
 *
 * @throws FormatError MALFORMED
 */
export function readGlbTexture(bytes: Uint8Array): GlbTexture | null {
  const { gltf, binary } = parseChunks(bytes);
  const primitives = (gltf.meshes ?? []).flatMap((mesh) => mesh.primitives ?? []);
  const [primitive] = primitives;
  if (!primitive || primitives.length > 1) return null;
  const { attributes, material } = primitive;
  const info = gltf.materials?.[material ?? -1]?.pbrMetallicRoughness?.baseColorTexture;
  const image = gltf.images?.[gltf.textures?.[info?.index ?? -1]?.source ?? -1];
  const accessor = attributes?.[`TEXCOORD_${info?.texCoord ?? 0}`];
  if (!image || accessor === undefined || image.bufferView === undefined) return null;
  const { view } = readView(gltf, binary, image.bufferView);
  return {
    coordinates: readFloats(gltf, binary, accessor, 2),
    image: new Uint8Array(new Uint8Array(view.buffer, view.byteOffset, view.byteLength)),
    mediaType: image.mimeType ?? '',
    extras: image.extras ?? null,
  };
}
