import { writeGlb } from '#formats/glb/write-glb.ts';
import { openMesh } from '#formats/open-mesh.ts';
import { writePng } from '#formats/png/write-png.ts';
import type { ImportHints } from '#formats/volume/volume-header.ts';
import { measureMesh } from '#kernels/mesh/measure.ts';
import { meshPicture } from '../pictures/surface-picture.ts';
import type { OperationWork } from '../work/work.ts';
import type { Imported } from './imported.ts';
import type { UploadedFile } from './upload-source.ts';

const THUMBNAIL_PIXELS = 256;

/** Reads a whole mesh, measures it, and stores a GLB for the viewer beside the source: in mm, welded. */
export async function importMesh(
  { run, blobs }: OperationWork,
  { source, row }: UploadedFile,
  hints: ImportHints,
): Promise<Imported> {
  run.report(0.05, 'Reading the mesh');
  const { mesh, warnings, format } = await openMesh([source], hints);
  run.signal.throwIfAborted();
  run.report(0.4, 'Measuring the mesh');
  const facts = measureMesh(mesh.positions, mesh.indices);
  run.signal.throwIfAborted();
  run.report(0.6, 'Writing the mesh');
  const fileName = row.fileName.toLowerCase() === 'mesh.glb' ? 'surface.glb' : 'mesh.glb';
  const mediaType = 'model/gltf-binary';
  const { key, sizeBytes, sha256 } = await blobs.put(
    'files',
    writeGlb(mesh, { name: row.fileName }),
    mediaType,
  );
  return {
    describe: (kept) => {
      const metadata = { ...facts, format, ...(hints.unit ? { unit: hints.unit } : {}), ...kept };
      return row.metadata['kind'] === 'mesh' ? { kind: 'mesh', metadata } : { kind: 'cad', metadata };
    },
    files: [{ fileName, mediaType, sizeBytes, sha256, blobKey: key }],
    thumbnailPng: {
      bytes: await writePng(await meshPicture(mesh, THUMBNAIL_PIXELS, run.signal)),
      onlyWhenNone: true,
    },
    algorithms: { weld: '1', meshMeasures: '1' },
    warnings,
  };
}
