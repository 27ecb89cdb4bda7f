/** Views of data objects: files generated for display. */
import { createHash } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import { type SurfaceViewQuery, type VolumeViewQuery, viewVersion } from '#contract/shapes/data-object.ts';
import type { Transaction } from '../db/connection.ts';
import { dataViews } from '../db/schema-data.ts';
import { takeRow } from '../db/take-row.ts';
import { requestWork, retryWork } from '../work/life.ts';

export type ViewParameters = VolumeViewQuery | SurfaceViewQuery;
export type ViewRow = typeof dataViews.$inferSelect;

/** Hash of view parameters, independent of their order; equal as long as they yield the same file. */
export function hashOfParameters(parameters: ViewParameters): string {
  const names = Object.entries(parameters).filter(([, value]) => value !== undefined);
  names.sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([viewVersion, names]))
    .digest('hex');
}

/** The view with these parameters; requested from the worker when it does not exist or failed before. */
export async function requestView(
  tx: Transaction,
  dataObjectId: string,
  parameters: ViewParameters,
): Promise<ViewRow> {
  const parametersHash = hashOfParameters(parameters);
  const wanted = and(eq(dataViews.dataObjectId, dataObjectId), eq(dataViews.parametersHash, parametersHash));
  const [made] = await tx
    .insert(dataViews)
    .values({ dataObjectId, parametersHash, parameters, version: viewVersion })
    .onConflictDoNothing()
    .returning();
  if (made) {
    await requestWork(tx, 'view', made);
    return made;
  }
  const row = takeRow(
    await tx
      .update(dataViews)
      // A view whose file was deleted counts as failed.
      .set({
        lastUsedAt: sql`now()`,
        status: sql`case when ${dataViews.status} = 'completed' and ${dataViews.blobKey} is null
          then 'failed' else ${dataViews.status} end`,
      })
      .where(wanted)
      .returning(),
  );
  return ((await retryWork(tx, 'view', row.id, { blobKey: null })) as ViewRow | undefined) ?? row;
}
