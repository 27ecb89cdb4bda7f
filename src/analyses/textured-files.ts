import { glbParts } from '#formats/glb/write-glb.ts';
import { writePng } from '#formats/png/write-png.ts';
import type { WritableMeshId } from '#formats/registry.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import type { ResultFile } from './analysis.ts';
import { otherFormats } from './mesh-files.ts';

export interface TexturedMesh {
  /** before unwrapping: every vertex once */
  mesh: TriangleMesh;
  unfolded: TriangleMesh;
  /** of the unwrapped mesh; 2 · vertices */
  coordinates: Float32Array;
  /** grey values, one byte per pixel */
  picture: Uint8Array;
  sizePx: number;
  /** what the bytes mean; stored in the GLB beside the texture */
  meaning: object;
  baseName: string;
  formats: readonly WritableMeshId[];
}

/** The GLB with its texture embedded, the texture as a picture, and the plain mesh in the other formats. */
export async function texturedFiles(input: TexturedMesh): Promise<ResultFile[]> {
  const { mesh, unfolded, coordinates, picture, sizePx, meaning, baseName, formats } = input;
  const image = await writePng({ width: sizePx, height: sizePx, channels: 1, samples: picture });
  const texture = { coordinates, image, mediaType: 'image/png' as const, extras: meaning };
  return [
    {
      fileName: `${baseName}.glb`,
      mediaType: 'model/gltf-binary',
      parts: glbParts(unfolded, { name: baseName, texture }),
    },
    { fileName: 'texture.png', mediaType: 'image/png', parts: [image] },
    ...(await otherFormats(mesh, baseName, formats)),
  ];
}
