import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { MeshInput } from '#analyses/analysis.ts';
import { readGlb } from '#formats/glb/read-glb.ts';
import { dataObjectFiles, type dataObjects } from '#storage/db/schema-data.ts';
import type { WorkerContext } from './context.ts';
import { WorkFailure } from './operations/operation-work.ts';

type DataObjectRow = typeof dataObjects.$inferSelect;
type FileRow = typeof dataObjectFiles.$inferSelect;

/**
 * The surface that ingest or an analysis has written for a data object.
 *
 * @throws WorkFailure when it has none
 */
export async function openStoredMesh(
  { db, store }: Pick<WorkerContext, 'db' | 'store'>,
  row: DataObjectRow,
  { signal }: { deflectionMm: number | undefined; signal: AbortSignal },
): Promise<MeshInput> {
  const files = await db.select().from(dataObjectFiles).where(eq(dataObjectFiles.dataObjectId, row.id));
  const surface = surfaceFileOf(row, files);
  if (!surface) throw new WorkFailure('MISSING_INPUT', `“${row.name}” is ${row.kind} and has no surface.`);
  const bytes = await store.read(surface.blobKey);
  signal.throwIfAborted();
  return { mesh: readGlb(bytes) };
}

/** The GLB in mm that stands beside the source, which may be a GLB in any shape itself. */
function surfaceFileOf({ metadata }: DataObjectRow, files: FileRow[]): FileRow | undefined {
  const source = z.string().safeParse(metadata['sourceFileName']).data;
  return files.find(({ fileName, mediaType }) => mediaType === 'model/gltf-binary' && fileName !== source);
}
