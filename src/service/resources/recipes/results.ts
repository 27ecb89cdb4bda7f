/** Results of an invocation: its files by data object, and an archive of all of them. */

import { and, asc, eq, inArray, notInArray } from 'drizzle-orm';
import { sharedDataKinds } from '#contract/analyses/data-kinds.ts';
import type { RecipeInvocationResults } from '#contract/shapes/recipe.ts';
import { safeName } from '#storage/blobs/file-name.ts';
import type { Executor } from '#storage/db/connection.ts';
import { dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { recipeVersions } from '#storage/db/schema-work.ts';
import { takeRow } from '#storage/db/take-row.ts';
import { Problem } from '../../http/problem.ts';
import type { SignAddress } from '../../http/signed-address.ts';
import type { InvocationRow } from '../../shapes/invocation-shape.ts';

/** @throws Problem CONFLICT while it is running, and when it ended without results */
export async function describeResults(
  db: Executor,
  row: InvocationRow,
  sign: SignAddress,
): Promise<RecipeInvocationResults> {
  if (row.finishedAt === null)
    throw new Problem('CONFLICT', `the run is ${row.status}; its results are available when it has finished`);
  if (row.archiveKey === null)
    throw new Problem('CONFLICT', `the run is ${row.status} and has no results; run it again`);
  const operationIds = row.steps.flatMap(({ operationId }) => operationId ?? []);
  const found = operationIds.length
    ? await db
        .select({ id: dataObjects.id, fileName: dataObjectFiles.fileName })
        .from(dataObjects)
        .leftJoin(dataObjectFiles, eq(dataObjectFiles.dataObjectId, dataObjects.id))
        .where(
          and(
            inArray(dataObjects.createdByOperationId, operationIds),
            notInArray(dataObjects.kind, sharedDataKinds),
          ),
        )
        .orderBy(asc(dataObjects.createdAt), asc(dataObjects.id), asc(dataObjectFiles.fileName))
    : [];
  const results = [...Map.groupBy(found, ({ id }) => id)].map(([dataObjectId, rows]) => ({
    dataObjectId,
    dataObjectFileNames: rows.flatMap(({ fileName }) => fileName ?? []),
  }));
  const fileName = await archiveName(db, row);
  const file = { key: row.archiveKey, fileName, mediaType: 'application/zip' };
  return { results, downloadableResults: sign(file, { projectId: row.projectId }) };
}

/** `Hollow housing_Incoming inspection v3_2026-11-21.zip` */
async function archiveName(db: Executor, row: InvocationRow): Promise<string> {
  const project = takeRow(
    await db.select({ name: projects.name }).from(projects).where(eq(projects.id, row.projectId)),
  );
  const [version] = row.recipeVersionId
    ? await db.select().from(recipeVersions).where(eq(recipeVersions.id, row.recipeVersionId))
    : [];
  const what = version ? `${safeName(version.name, 60)} v${version.version}` : 'Pipeline';
  const day = (row.finishedAt ?? row.createdAt).toISOString().slice(0, 10);
  return `${safeName(project.name, 60)}_${what}_${day}.zip`;
}
