import { eq } from 'drizzle-orm';
import type { MeshInput } from '#analyses/analysis.ts';
import type { CadFileFormat } from '#formats/cad/cad-model.ts';
import { readFaceRanges } from '#formats/cad/face-ranges.ts';
import { readGlb } from '#formats/glb/read-glb.ts';
import { weld } from '#kernels/mesh/weld.ts';
import { type DataObjectRow, dataObjectFiles, narrowRow } from '#storage/db/schema-data.ts';
import { findSurfaceFile } from '#storage/views/find-surface-file.ts';
import { readCadFile } from './cad/read-cad.ts';
import type { WorkerContext } from './context.ts';
import { WorkFailure } from './work/describe-failure.ts';

/** File beside the mesh of a CAD model: which triangles belong to which face. */
export const facesFileName = 'faces.json';

/**
 * The surface that an import or an analysis wrote for a data object.
 *
 * @param deflectionMm a CAD model is triangulated at least this finely
 * @throws WorkFailure when it has none; FormatError when a CAD model cannot be triangulated as finely
 */
export async function openStoredMesh(
  { db, store }: Pick<WorkerContext, 'db' | 'store'>,
  row: DataObjectRow,
  { deflectionMm, signal }: { deflectionMm: number | undefined; signal: AbortSignal },
): Promise<MeshInput> {
  const files = await db.select().from(dataObjectFiles).where(eq(dataObjectFiles.dataObjectId, row.id));
  const cad = findCadModel(row);
  const source = cad && files.find(({ fileName }) => fileName === cad.sourceFileName);
  if (cad && source && deflectionMm !== undefined && deflectionMm < cad.deflectionMm) {
    // Finer than imported: triangulated again from the source.
    const bytes = await store.read(source.blobKey);
    return readCadFile({ format: cad.format, bytes, name: row.name, deflectionMm });
  }
  const surface = findSurfaceFile(row, files);
  if (!surface) throw new WorkFailure('MISSING_INPUT', `“${row.name}” is ${row.kind} and has no surface.`);
  const bytes = await store.read(surface.blobKey);
  signal.throwIfAborted();
  // Textured meshes have duplicate vertices at texture seams, where the surface is nevertheless closed.
  const isTextured = narrowRow(row, 'mesh')?.metadata.texture !== undefined;
  const mesh = isTextured ? weld(readGlb(bytes)) : readGlb(bytes);
  const ranges = cad && files.find(({ fileName }) => fileName === facesFileName);
  if (!cad || !ranges) return { mesh };
  return {
    mesh,
    ...readFaceRanges(await store.read(ranges.blobKey)),
    deflectionMm: cad.deflectionMm,
  };
}

/** Undefined for meshes that are not CAD models with faces. */
function findCadModel(
  row: DataObjectRow,
): { format: CadFileFormat; sourceFileName: string; deflectionMm: number } | undefined {
  const cad = narrowRow(row, 'cad');
  if (!cad) return undefined;
  const { format, sourceFileName, deflectionMm } = cad.metadata;
  if ((format !== 'step' && format !== 'iges') || deflectionMm === undefined) return undefined;
  return { format, sourceFileName, deflectionMm };
}
