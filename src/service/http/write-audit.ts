/** The audit log; entries are written in the same transaction as the change. */
import { eq } from 'drizzle-orm';
import type { Executor } from '#storage/db/connection.ts';
import { organizationMembers } from '#storage/db/schema-accounts.ts';
import { auditLog } from '#storage/db/schema-collaboration.ts';
import type { Caller } from './session.ts';

export interface AuditEvent {
  organizationId: string;
  action: string;
  resource: string;
  resourceId?: string;
  projectId?: string;
  detail?: Record<string, unknown>;
}

/** The user, and the IP address of the request. */
export type Actor = Pick<Caller, 'userId' | 'email'> & { address?: string };

export async function writeAudit(
  tx: Executor,
  caller: Actor,
  events: AuditEvent | AuditEvent[],
): Promise<void> {
  const list = Array.isArray(events) ? events : [events];
  if (list.length === 0) return;
  await tx.insert(auditLog).values(
    list.map((event) => ({
      ...event,
      userId: caller.userId,
      userEmail: caller.email,
      address: caller.address ?? null,
    })),
  );
}

/**
 * Logs an action or attempt on an account, in every organization that the account belongs to.
 *
 * @param actor only an IP address when nobody was authenticated, as with a wrong password
 * @returns the ids of these organizations
 */
export async function writeAccountAudit(
  tx: Executor,
  account: { id: string; email: string },
  actor: Actor | { address: string },
  event: Pick<AuditEvent, 'action' | 'detail'>,
): Promise<string[]> {
  const memberships = await tx
    .select({ organizationId: organizationMembers.organizationId })
    .from(organizationMembers)
    .where(eq(organizationMembers.userId, account.id));
  const organizationIds = memberships.map(({ organizationId }) => organizationId);
  if (memberships.length === 0) return [];
  const { userId = null, email = null, address = null } = actor as Partial<Actor>;
  await tx.insert(auditLog).values(
    organizationIds.map((organizationId) => ({
      ...event,
      detail: { account: account.email, ...event.detail },
      resource: 'account',
      resourceId: account.id,
      organizationId,
      userId,
      userEmail: email,
      address,
    })),
  );
  return organizationIds;
}
