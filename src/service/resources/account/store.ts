/** Personal access tokens and notifications. */
import { and, count, desc, eq, inArray, isNull } from 'drizzle-orm';
import type { z } from 'zod';
import type { AccessToken, Notification } from '#contract/shapes/account.ts';
import type { Executor, Transaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { organizationMembers, tokens } from '#storage/db/schema-accounts.ts';
import { notifications } from '#storage/db/schema-collaboration.ts';
import { offsetOf, type PageRequest } from '../../http/page.ts';
import { hashToken, newToken } from '../../http/session.ts';

type TokenRow = typeof tokens.$inferSelect;

function tokenShape(row: TokenRow): z.infer<typeof AccessToken> {
  return {
    id: row.id,
    name: row.name ?? '',
    scope: row.scope === 'read' ? 'read' : 'write',
    expiresAt: row.expiresAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  };
}

const ofUser = (userId: string) =>
  and(eq(tokens.userId, userId), eq(tokens.kind, 'personal'), isNull(tokens.revokedAt));

export async function listTokens(db: Executor, userId: string, page: PageRequest) {
  const [{ total }] = await db.select({ total: count() }).from(tokens).where(ofUser(userId));
  const rows = await db
    .select()
    .from(tokens)
    .where(ofUser(userId))
    .orderBy(desc(tokens.createdAt), desc(tokens.id))
    .limit(page.page_size)
    .offset(offsetOf(page));
  return { count: total, results: rows.map(tokenShape) };
}

export async function insertToken(
  db: Executor,
  userId: string,
  input: { name: string; scope: 'read' | 'write'; expiresAt?: string },
) {
  const token = newToken();
  const [row] = await db
    .insert(tokens)
    .values({
      userId,
      kind: 'personal',
      hash: hashToken(token),
      name: input.name,
      scope: input.scope === 'read' ? 'read' : 'full',
      expiresAt: input.expiresAt === undefined ? null : new Date(input.expiresAt),
    })
    .returning();
  return { ...tokenShape(row), token };
}

export async function revokeToken(db: Executor, id: string): Promise<void> {
  await db
    .update(tokens)
    .set({ revokedAt: new Date() })
    .where(and(eq(tokens.id, id), isNull(tokens.revokedAt)));
}

function notificationShape(row: typeof notifications.$inferSelect): z.infer<typeof Notification> {
  return {
    id: row.id,
    kind: row.kind,
    text: row.body === '' ? row.title : `${row.title}: ${row.body}`,
    projectId: row.subject['projectId'] ?? null,
    resource: row.subject['resource'] ?? null,
    resourceId: row.subject['id'] ?? null,
    readAt: row.readAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  };
}

/** Marks those of the user's that are named, or all; his other pages hear of it. */
export async function markRead(tx: Transaction, userId: string, ids?: string[]): Promise<void> {
  const rows = await tx
    .update(notifications)
    .set({ readAt: new Date() })
    .where(
      and(
        eq(notifications.userId, userId),
        isNull(notifications.readAt),
        ids === undefined ? undefined : inArray(notifications.id, ids),
      ),
    )
    .returning({ id: notifications.id });
  const [membership] = await tx
    .select({ organizationId: organizationMembers.organizationId })
    .from(organizationMembers)
    .where(eq(organizationMembers.userId, userId))
    .limit(1);
  if (rows.length === 0 || !membership) return;
  await notify(tx, { type: 'updated', resource: 'notification', id: rows[0].id, userId, ...membership });
}

export async function listNotifications(db: Executor, userId: string, page: PageRequest, onlyUnread = false) {
  const condition = and(
    eq(notifications.userId, userId),
    onlyUnread ? isNull(notifications.readAt) : undefined,
  );
  const [{ total }] = await db.select({ total: count() }).from(notifications).where(condition);
  const rows = await db
    .select()
    .from(notifications)
    .where(condition)
    .orderBy(desc(notifications.createdAt), desc(notifications.id))
    .limit(page.page_size)
    .offset(offsetOf(page));
  return { count: total, results: rows.map(notificationShape) };
}
