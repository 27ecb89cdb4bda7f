/** Personal access tokens and notifications. */

import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { AccessToken, Notification } from '#contract/shapes/account.ts';
import type { Executor, Transaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { byCreation, mapPage, type PageRequest, readPage } from '#storage/db/page.ts';
import { organizationMembers, tokens } from '#storage/db/schema-accounts.ts';
import { notifications } from '#storage/db/schema-collaboration.ts';
import { insertRow, takeRow } from '#storage/db/take-row.ts';
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

const isTokenOf = (userId: string) =>
  and(eq(tokens.userId, userId), eq(tokens.kind, 'personal'), isNull(tokens.revokedAt));

export const listTokens = (db: Executor, userId: string, page: PageRequest) =>
  mapPage(
    readPage(db, page, {
      rows: () => db.select().from(tokens).$dynamic(),
      where: isTokenOf(userId),
      order: byCreation(tokens),
      keyed: (row) => row,
    }),
    (rows) => rows.map(tokenShape),
  );

export async function insertToken(
  db: Executor,
  userId: string,
  input: { name: string; scope: 'read' | 'write'; expiresAt?: string },
) {
  const token = newToken();
  const row = await insertRow(db, tokens, {
    userId,
    kind: 'personal',
    hash: hashToken(token),
    name: input.name,
    scope: input.scope === 'read' ? 'read' : 'full',
    expiresAt: input.expiresAt === undefined ? null : new Date(input.expiresAt),
  });
  return { ...tokenShape(row), token };
}

export async function revokeToken(db: Executor, id: string): Promise<string> {
  const row = takeRow(
    await db
      .update(tokens)
      .set({ revokedAt: sql`now()` })
      .where(eq(tokens.id, id))
      .returning({ name: tokens.name }),
  );
  return row.name ?? '';
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

/** Marks the given notifications of the user as read, or all, and notifies the user's other pages. */
export async function markRead(tx: Transaction, userId: string, ids?: string[]): Promise<void> {
  const rows = await tx
    .update(notifications)
    .set({ readAt: sql`now()` })
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
  const [first] = rows;
  if (!first || !membership) return;
  await notify(tx, { type: 'updated', resource: 'notification', id: first.id, userId, ...membership });
}

export const listNotifications = (db: Executor, userId: string, page: PageRequest, onlyUnread = false) =>
  mapPage(
    readPage(db, page, {
      rows: () => db.select().from(notifications).$dynamic(),
      where: and(eq(notifications.userId, userId), onlyUnread ? isNull(notifications.readAt) : undefined),
      order: byCreation(notifications),
      keyed: (row) => row,
    }),
    (rows) => rows.map(notificationShape),
  );
