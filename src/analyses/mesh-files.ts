import { writeGlb } from '#formats/glb/write-glb.ts';
import { writePly } from '#formats/ply/write-ply.ts';
import { writeStl } from '#formats/stl/write-stl.ts';
import { write3mf } from '#formats/threemf/write-3mf.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import type { ResultFile } from './analysis.ts';

/** The mesh in each of the formats, the GLB first and always: the viewer reads it. */
export async function meshFiles(
  mesh: TriangleMesh,
  baseName: string,
  formats: readonly string[],
): Promise<ResultFile[]> {
  return [
    {
      fileName: `${baseName}.glb`,
      mediaType: 'model/gltf-binary',
      bytes: writeGlb(mesh, { name: baseName }),
    },
    ...(await otherFormats(mesh, baseName, formats)),
  ];
}

/** The mesh in each of the formats beside GLB. */
export async function otherFormats(
  mesh: TriangleMesh,
  baseName: string,
  formats: readonly string[],
): Promise<ResultFile[]> {
  const files: ResultFile[] = [];
  if (formats.includes('stl')) {
    files.push({ fileName: `${baseName}.stl`, mediaType: 'model/stl', bytes: writeStl(mesh) });
  }
  if (formats.includes('ply')) {
    files.push({ fileName: `${baseName}.ply`, mediaType: 'application/ply', bytes: writePly(mesh) });
  }
  if (formats.includes('3mf')) {
    files.push({
      fileName: `${baseName}.3mf`,
      mediaType: 'model/3mf',
      bytes: await joined(write3mf(mesh)),
    });
  }
  return files;
}

async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
