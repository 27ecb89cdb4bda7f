import type { RetryInput } from '#contract/shapes/operation.ts';
import { type ByteSource, readExactly } from '#formats/bytes/byte-source.ts';
import { boundVolumeDeviation } from '#formats/cad/cad-model.ts';
import { writeFaceRanges } from '#formats/cad/face-ranges.ts';
import { incomplete, unsupported } from '#formats/format-error.ts';
import { writeGlb } from '#formats/glb/write-glb.ts';
import { describeOpen } from '#formats/mesh/check-mesh.ts';
import { questionSize } from '#formats/part-size.ts';
import { writePng } from '#formats/png/write-png.ts';
import type { CadFormatId } from '#formats/registry.ts';
import { mapVector } from '#kernels/grid/volume.ts';
import { measureMesh } from '#kernels/mesh/measure.ts';
import { readCadFile } from '../cad/read-cad.ts';
import { meshPicture } from '../pictures/surface-picture.ts';
import { facesFileName } from '../stored-mesh.ts';
import type { OperationWork } from '../work/work.ts';
import type { Imported } from './imported.ts';
import type { UploadedFile } from './upload-source.ts';

const THUMBNAIL_PIXELS = 256;
const maximumCadBytes = 512 * 2 ** 20;

/** Triangulates a CAD model in mm, records the triangles of each face, and measures it. */
export async function importCad(
  { run, blobs }: OperationWork,
  { row }: UploadedFile,
  source: ByteSource,
  format: CadFormatId,
  hints: RetryInput,
): Promise<Imported> {
  if (source.size > maximumCadBytes) {
    throw unsupported(`${row.fileName} has ${source.size} bytes; CAD files beyond 512 MiB are not read.`);
  }
  run.report(0.05, 'Reading the CAD model');
  const bytes = await readExactly(source, 0, source.size, 'the CAD model');
  const work = { format, bytes, name: row.fileName, deflectionMm: undefined };
  const model = await readCadFile(work);
  const { mesh, faces, faceNames, bodies, definedFaces, deflectionMm, unit } = model;
  run.report(0.5, 'Measuring the CAD model');
  const facts = measureMesh(mesh.positions, mesh.indices);
  const { min, max } = facts.boundsMm;
  const question = questionSize(
    mapVector(max, (high, axis) => high - min[axis]),
    hints,
  );
  if (question) throw incomplete(row.fileName, question.missing, question.suggested);
  run.signal.throwIfAborted();
  run.report(0.65, 'Writing the CAD model');
  const files: Imported['files'] = [];
  const keep = async (fileName: string, mediaType: string, content: Uint8Array) => {
    const { key, sizeBytes, sha256 } = await blobs.put('files', content, mediaType);
    files.push({ fileName, mediaType, sizeBytes, sha256, blobKey: key });
  };
  await keep('mesh.glb', 'model/gltf-binary', writeGlb(mesh, { name: row.fileName }));
  await keep(facesFileName, 'application/json', writeFaceRanges(faces, faceNames));
  return {
    describe: (kept) => ({
      kind: 'cad',
      metadata: {
        ...facts,
        volumeDeviationMm3: facts.volumeMm3 === null ? null : boundVolumeDeviation(model),
        format,
        unit: unit ?? 'mm',
        faces: faceNames.length,
        bodies,
        deflectionMm,
        ...kept,
      },
    }),
    files,
    thumbnailPng: {
      bytes: await writePng(await meshPicture(mesh, THUMBNAIL_PIXELS, run.signal)),
      onlyWhenNone: true,
    },
    algorithms: { cadReader: 'occt-import-js 0.0.23', meshMeasures: '1' },
    warnings: [
      ...(unit === null ? ['The file does not say its unit of length; mm was taken.'] : []),
      ...(definedFaces !== null && faceNames.length < definedFaces
        ? [
            `${row.fileName} defines ${definedFaces} faces, of which ${faceNames.length} could be read: the others are missing. Export it again.`,
          ]
        : []),
      ...(facts.volumeReason === null ? [] : [describeOpen(row.fileName, facts.volumeReason)]),
    ],
  };
}
