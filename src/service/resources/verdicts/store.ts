/** Dispositions in the database: immutable, and the newest applies. */

import { eq, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { DispositionInput } from '#contract/shapes/disposition.ts';
import type { Executor, Transaction } from '#storage/db/connection.ts';
import { byCreation, type Page, type PageRequest, readPage } from '#storage/db/page.ts';
import { users } from '#storage/db/schema-accounts.ts';
import { dispositions } from '#storage/db/schema-collaboration.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { insertRow, takeRow } from '#storage/db/take-row.ts';
import { type DispositionRow, dispositionColumns } from '../../shapes/disposition-shape.ts';

const rows = (db: Executor) =>
  db
    .select(dispositionColumns)
    .from(dispositions)
    .innerJoin(projects, eq(projects.id, dispositions.projectId))
    .leftJoin(users, eq(users.id, dispositions.createdBy))
    .$dynamic();

export const listDispositions = (
  db: Executor,
  projectId: string,
  page: PageRequest,
): Promise<Page<DispositionRow>> =>
  readPage(db, page, {
    rows: () => rows(db),
    where: eq(dispositions.projectId, projectId),
    order: byCreation(dispositions),
    keyed: (row) => row,
  });

export async function readDisposition(db: Executor, id: string): Promise<DispositionRow> {
  const row = takeRow(await rows(db).where(eq(dispositions.id, id)));
  return row;
}

/** @returns its id */
export async function insertDisposition(
  tx: Transaction,
  projectId: string,
  userId: string,
  { decision, reason }: z.infer<typeof DispositionInput>,
): Promise<string> {
  const { id } = await insertRow(
    tx,
    dispositions,
    // Not the start of the transaction: measurements made while it waited for a lock must count as earlier.
    { projectId, decision, reason, createdBy: userId, createdAt: sql`clock_timestamp()` },
  );
  await tx
    .update(projects)
    .set({ version: sql`${projects.version} + 1`, updatedAt: sql`now()` })
    .where(eq(projects.id, projectId));
  return id;
}
