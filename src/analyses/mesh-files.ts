import { writeGlb } from '#formats/glb/write-glb.ts';
import { writePly } from '#formats/ply/write-ply.ts';
import { writeStl } from '#formats/stl/write-stl.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import type { ResultFile } from './analysis.ts';

/** The mesh in each of the formats, the GLB first and always: the viewer reads it. */
export function meshFiles(mesh: TriangleMesh, baseName: string, formats: readonly string[]): ResultFile[] {
  const files: ResultFile[] = [
    {
      fileName: `${baseName}.glb`,
      mediaType: 'model/gltf-binary',
      bytes: writeGlb(mesh, { name: baseName }),
    },
  ];
  if (formats.includes('stl')) {
    files.push({ fileName: `${baseName}.stl`, mediaType: 'model/stl', bytes: writeStl(mesh) });
  }
  if (formats.includes('ply')) {
    files.push({ fileName: `${baseName}.ply`, mediaType: 'application/ply', bytes: writePly(mesh) });
  }
  return files;
}
