import { eq } from 'drizzle-orm';
import type { Transaction } from '#storage/db/connection.ts';
import { projects } from '#storage/db/schema-projects.ts';
import type { ProjectPlace } from '#storage/recipes/invocations.ts';
import { notFound } from '../http/problem.ts';
import { archived } from './authorize.ts';

/**
 * Locks and returns the project's row, so that concurrent equal requests are serialized.
 *
 * @throws Problem NOT_FOUND also for a project in the trash; PROJECT_ARCHIVED
 */
export async function lockActive(tx: Transaction, id: string): Promise<ProjectPlace> {
  const [row] = await tx
    .select({
      id: projects.id,
      organizationId: projects.organizationId,
      workspaceId: projects.workspaceId,
      state: projects.state,
    })
    .from(projects)
    .where(eq(projects.id, id))
    .for('update');
  if (!row || row.state === 'deleted') throw notFound('project');
  if (row.state === 'archived') throw archived();
  return row;
}
