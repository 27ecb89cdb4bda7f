import { meshFormats, type WritableMeshId } from '#formats/registry.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import type { ResultFile } from './analysis.ts';

/** The mesh in the requested formats. GLB is always included and first, because the viewer reads it. */
export const meshFiles = async (
  mesh: TriangleMesh,
  baseName: string,
  formats: readonly WritableMeshId[],
): Promise<ResultFile[]> => [
  await meshFile(mesh, baseName, 'glb'),
  ...(await otherFormats(mesh, baseName, formats)),
];

/** The mesh in the requested formats other than GLB. */
export const otherFormats = (
  mesh: TriangleMesh,
  baseName: string,
  formats: readonly WritableMeshId[],
): Promise<ResultFile[]> =>
  Promise.all(formats.filter((format) => format !== 'glb').map((format) => meshFile(mesh, baseName, format)));

async function meshFile(mesh: TriangleMesh, baseName: string, format: WritableMeshId): Promise<ResultFile> {
  const { extensions, mediaType, writer } = meshFormats[format];
  const write = await writer();
  const parts: Uint8Array[] = [];
  for await (const part of write(mesh, baseName)) parts.push(part);
  return { fileName: `${baseName}.${extensions[0]}`, mediaType, parts };
}
