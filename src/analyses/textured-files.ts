import { glbParts } from '#formats/glb/write-glb.ts';
import { writePng } from '#formats/png/write-png.ts';
import type { WritableMeshId } from '#formats/registry.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import type { ResultFile } from './analysis.ts';
import { otherFormats } from './mesh-files.ts';

export interface TexturedMesh {
  /** as it was before it was unfolded: every vertex once */
  mesh: TriangleMesh;
  unfolded: TriangleMesh;
  /** of the unfolded mesh; 2 · vertices */
  coordinates: Float32Array;
  /** grey, one byte a pixel */
  picture: Uint8Array;
  sizePx: number;
  /** what the bytes stand for: goes into the GLB beside the picture */
  meaning: object;
  baseName: string;
  formats: readonly WritableMeshId[];
}

/** The GLB with its texture inside, the picture alone, and the bare mesh in the other formats. */
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
