import { readGlb } from '#formats/glb/read-glb.ts';
import { readSurfaceTexture } from '#formats/glb/read-surface-texture.ts';
import { type SurfaceTexture, textureAtVertices } from '#kernels/color/surface-texture.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';

/** A surface for display, with its texture as a scalar field of the same name at the vertices. */
export interface ShownSurface {
  mesh: TriangleMesh;
  texture: SurfaceTexture | null;
}

/** @throws FormatError */
export async function readShownSurface(glb: Uint8Array): Promise<ShownSurface> {
  const mesh = readGlb(glb);
  const texture = await readSurfaceTexture(glb);
  if (!texture) return { mesh, texture };
  const scalars = { ...mesh.scalars, [texture.name]: textureAtVertices(texture) };
  return { mesh: { ...mesh, scalars }, texture };
}
