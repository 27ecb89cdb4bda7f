import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { MeshInput } from '#analyses/analysis.ts';
import { readFaceRanges } from '#formats/cad/face-ranges.ts';
import { readGlb } from '#formats/glb/read-glb.ts';
import { weld } from '#formats/mesh/weld.ts';
import { dataObjectFiles, type dataObjects } from '#storage/db/schema-data.ts';
import { readCadAside } from './cad/read-cad.ts';
import type { WorkerContext } from './context.ts';
import { WorkFailure } from './operations/operation-work.ts';

type DataObjectRow = typeof dataObjects.$inferSelect;
type FileRow = typeof dataObjectFiles.$inferSelect;

/** Beside the mesh of a CAD model: which triangles belong to which face. */
export const facesFileName = 'faces.json';

const CadMetadata = z.object({
  format: z.enum(['step', 'iges']),
  sourceFileName: z.string(),
  deflectionMm: z.number().positive(),
});

/**
 * The surface that ingest or an analysis has written for a data object.
 *
 * @param deflectionMm a CAD model comes at least as fine as this
 * @throws WorkFailure when it has none; FormatError when a CAD model can't be cut as finely
 */
export async function openStoredMesh(
  { db, store }: Pick<WorkerContext, 'db' | 'store'>,
  row: DataObjectRow,
  { deflectionMm, signal }: { deflectionMm: number | undefined; signal: AbortSignal },
): Promise<MeshInput> {
  const files = await db.select().from(dataObjectFiles).where(eq(dataObjectFiles.dataObjectId, row.id));
  const cad = CadMetadata.safeParse(row.metadata).data;
  const source = cad && files.find(({ fileName }) => fileName === cad.sourceFileName);
  if (cad && source && deflectionMm !== undefined && deflectionMm < cad.deflectionMm) {
    // Finer than it was imported: cut anew from the source.
    const bytes = await store.read(source.blobKey);
    return readCadAside({ format: cad.format, bytes, name: row.name, deflectionMm }, signal);
  }
  const surface = surfaceFileOf(row, files);
  if (!surface) throw new WorkFailure('MISSING_INPUT', `“${row.name}” is ${row.kind} and has no surface.`);
  const bytes = await store.read(surface.blobKey);
  signal.throwIfAborted();
  // Around a texture vertices stand once for each side of a seam, where the surface is none the less closed.
  const mesh = row.metadata['texture'] ? weld(readGlb(bytes)) : readGlb(bytes);
  const ranges = cad && files.find(({ fileName }) => fileName === facesFileName);
  if (!cad || !ranges) return { mesh };
  return {
    mesh,
    ...readFaceRanges(await store.read(ranges.blobKey)),
    deflectionMm: cad.deflectionMm,
  };
}

/** The GLB in mm that stands beside the source, which may be a GLB in any shape itself. */
function surfaceFileOf({ metadata }: DataObjectRow, files: FileRow[]): FileRow | undefined {
  const source = z.string().safeParse(metadata['sourceFileName']).data;
  return files.find(({ fileName, mediaType }) => mediaType === 'model/gltf-binary' && fileName !== source);
}
