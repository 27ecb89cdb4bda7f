/** The rows of exports as the worker changes them; each change is told to the pages in its transaction. */
import { and, eq, inArray, sql } from 'drizzle-orm';
import { type Database, inTransaction, type Transaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { exports } from '#storage/db/schema-work.ts';

type ExportRow = typeof exports.$inferSelect;
export type ProjectRow = typeof projects.$inferSelect;

export interface ClaimedExport extends ExportRow {
  project: ProjectRow;
}

/** Takes the export, or says that there is nothing to do: ended, cancelled meanwhile, or gone. */
export async function claimExport(db: Database, id: string): Promise<ClaimedExport | undefined> {
  return inTransaction(db, async (tx) => {
    const [found] = await tx
      .select({ row: exports, project: projects })
      .from(exports)
      .innerJoin(projects, eq(projects.id, exports.projectId))
      .where(eq(exports.id, id))
      .for('update', { of: exports });
    if (!found || found.row.finishedAt) return undefined;
    const claimed = { ...found.row, project: found.project };
    if (found.row.cancelRequestedAt) {
      await endExport(tx, claimed, { status: 'cancelled' });
      return undefined;
    }
    const [row] = await tx
      .update(exports)
      .set({ status: 'processing', progress: 0, error: null, startedAt: sql`now()` })
      .where(eq(exports.id, id))
      .returning();
    await tellExport(tx, claimed);
    return { ...row, project: found.project };
  });
}

/** How far it is; false when the export was ended elsewhere. */
export async function writeExportProgress(
  db: Database,
  claimed: ClaimedExport,
  progress: number,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const [row] = await tx
      .update(exports)
      .set({ progress })
      .where(and(eq(exports.id, claimed.id), inArray(exports.status, ['processing', 'cancelling'])))
      .returning({ id: exports.id });
    if (row) await tellExport(tx, claimed);
    return row !== undefined;
  });
}

/** Writes how it ended; false when it has ended before. */
export async function endExport(
  tx: Transaction,
  claimed: ClaimedExport,
  values: Partial<typeof exports.$inferInsert>,
): Promise<boolean> {
  const [row] = await tx
    .update(exports)
    .set({ ...values, finishedAt: sql`now()` })
    .where(and(eq(exports.id, claimed.id), inArray(exports.status, ['pending', 'processing', 'cancelling'])))
    .returning({ id: exports.id });
  if (row) await tellExport(tx, claimed);
  return row !== undefined;
}

async function tellExport(tx: Transaction, { id, project }: ClaimedExport): Promise<void> {
  const { id: projectId, organizationId, workspaceId } = project;
  await notify(tx, { type: 'updated', resource: 'export', id, projectId, organizationId, workspaceId });
}
