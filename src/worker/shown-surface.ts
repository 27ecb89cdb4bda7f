import { readGlb } from '#formats/glb/read-glb.ts';
import { readSurfaceTexture } from '#formats/glb/read-surface-texture.ts';
import { type SurfaceTexture, textureAtVertices } from '#kernels/color/surface-texture.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';

/** A surface to be drawn: what its texture shows stands at its vertices too, under the same name. */
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
