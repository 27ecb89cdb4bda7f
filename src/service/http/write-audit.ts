/** The audit log: who did what, written in the transaction of what it tells. */
import type { Executor } from '#storage/db/connection.ts';
import { auditLog } from '#storage/db/schema-collaboration.ts';
import type { Caller } from './session.ts';

export interface AuditEvent {
  organizationId: string;
  action: string;
  resource: string;
  resourceId: string;
  projectId?: string;
  detail?: Record<string, unknown>;
}

export async function writeAudit(
  tx: Executor,
  caller: Pick<Caller, 'userId' | 'email'>,
  events: AuditEvent | AuditEvent[],
): Promise<void> {
  const list = Array.isArray(events) ? events : [events];
  if (list.length === 0) return;
  await tx
    .insert(auditLog)
    .values(list.map((event) => ({ ...event, userId: caller.userId, userEmail: caller.email })));
}
