/** Parses a GLB and builds its search tree off the main thread, so that the page never freezes. */
import { BufferAttribute, BufferGeometry } from 'three';
import { MeshBVH } from 'three-mesh-bvh';
import { readGlb } from '#formats/glb/read-glb.ts';
import { readSurfaceTexture } from '#formats/glb/read-surface-texture.ts';
import { unpackGlb } from '#formats/glb/unpack-glb.ts';
import { splitCreases } from '#kernels/color/split-creases.ts';
import { textureAtVertices } from '#kernels/color/surface-texture.ts';
import { measureBounds, vertexAreasAndNormals, withoutNaN } from '#kernels/color/vertex-areas.ts';
import { readMessage } from './read-message.ts';
import type { SurfaceMessage, SurfaceRequest } from './surface-data.ts';

const post = (message: SurfaceMessage, transfer: Transferable[] = []) =>
  self.postMessage(message, { transfer });

self.onmessage = async ({ data }: MessageEvent<SurfaceRequest>) => {
  try {
    post({ kind: 'stage', stage: 'Loading the surface' });
    const glb = await unpackGlb(new Uint8Array(data.glb));
    const mesh = data.isNominal ? splitCreases(readGlb(glb)) : readGlb(glb);
    const texture = await readSurfaceTexture(glb);
    if (mesh.indices.length === 0) throw new Error('The surface has no triangles.');
    const { vertexAreasMm2, normals, areaMm2 } = vertexAreasAndNormals(mesh);
    post({ kind: 'stage', stage: 'Preparing the surface' });
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(mesh.positions, 3));
    geometry.setIndex(new BufferAttribute(mesh.indices, 1));
    const bvh = MeshBVH.serialize(new MeshBVH(geometry), { cloneBuffers: false });
    const surface = {
      positions: mesh.positions as Float32Array<ArrayBuffer>,
      normals,
      indices: mesh.indices as Uint32Array<ArrayBuffer>,
      scalars: {
        ...withoutNaN(mesh.scalars),
        ...(texture ? { [texture.name]: textureAtVertices(texture) } : {}),
      },
      texture,
      vertexAreasMm2,
      areaMm2,
      bounds: measureBounds(mesh.positions),
      bvhRoots: bvh.roots as ArrayBuffer[],
    };
    post({ kind: 'done', surface }, [
      ...new Set(
        [
          surface.positions,
          normals,
          surface.indices,
          vertexAreasMm2,
          ...Object.values(surface.scalars),
          ...(texture ? [texture.coordinates, texture.bytes] : []),
        ].map((array) => array.buffer),
      ),
      ...surface.bvhRoots,
    ]);
  } catch (cause) {
    post({ kind: 'failed', message: readMessage(cause) });
  }
};
