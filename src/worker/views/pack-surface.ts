import { eq } from 'drizzle-orm';
import { runMeshWork } from '#analyses/run-mesh-work.ts';
import type { SurfaceView, SurfaceViewQuery } from '#contract/shapes/data-object.ts';
import { readGlb } from '#formats/glb/read-glb.ts';
import { safeName } from '#storage/blobs/file-name.ts';
import { dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';
import { findSurfaceFile } from '#storage/views/find-surface-file.ts';
import { WorkFailure } from '../work/describe-failure.ts';
import type { Work } from '../work/work.ts';
import type { MadeView } from './made-view.ts';

/** The stored surface for display: losslessly compressed, or simplified before. */
export async function packSurface(
  { row, context, run, blobs }: Work<'view'>,
  { detail }: SurfaceViewQuery,
): Promise<MadeView> {
  const { db, store } = context;
  const ofObject = eq(dataObjectFiles.dataObjectId, row.dataObjectId);
  const [dataObject] = await db.select().from(dataObjects).where(eq(dataObjects.id, row.dataObjectId));
  const file =
    dataObject && findSurfaceFile(dataObject, await db.select().from(dataObjectFiles).where(ofObject));
  if (!file) throw new WorkFailure('MISSING_INPUT', 'Only what has a surface has views of one.');
  const mesh = readGlb(await store.read(file.blobKey));
  const wholeTriangles = mesh.indices.length / 3;
  run.report(0.1);
  const { bytes, triangles } = await runMeshWork('pack', { mesh, detail, name: dataObject.name }, run.signal);
  const mediaType = 'model/gltf-binary';
  const facts: Pick<SurfaceView, 'triangles' | 'wholeTriangles'> = { triangles, wholeTriangles };
  return {
    blob: await blobs.put('views', bytes, mediaType),
    mediaType,
    fileName: `${safeName(dataObject.name)}_${detail}.glb`,
    facts,
  };
}
