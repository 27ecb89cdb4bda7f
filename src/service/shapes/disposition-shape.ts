import { sql } from 'drizzle-orm';
import type { Disposition, DispositionDecision } from '#contract/shapes/disposition.ts';
import { users } from '#storage/db/schema-accounts.ts';
import { dispositions } from '#storage/db/schema-collaboration.ts';
import { projects } from '#storage/db/schema-projects.ts';

/** Columns of a disposition joined with its project and author. */
export const dispositionColumns = {
  id: dispositions.id,
  projectId: dispositions.projectId,
  decision: dispositions.decision,
  reason: dispositions.reason,
  createdBy: dispositions.createdBy,
  createdAt: dispositions.createdAt,
  author: { email: users.email, name: users.name },
  outdated: sql<boolean>`coalesce(${projects.measuredAt} > ${dispositions.createdAt}, false)`,
};

export interface DispositionRow {
  id: string;
  projectId: string;
  decision: DispositionDecision;
  reason: string;
  createdBy: string | null;
  createdAt: Date;
  author: { email: string; name: string } | null;
  outdated: boolean;
}

export const dispositionShape = ({
  id,
  decision,
  reason,
  createdBy,
  createdAt,
  author,
  outdated,
}: DispositionRow): Disposition => ({
  id,
  decision,
  reason,
  createdBy,
  author: author && createdBy !== null ? { id: createdBy, ...author } : null,
  createdAt: createdAt.toISOString(),
  outdated,
});
