/** Personal access tokens, notifications and the audit log: extensions that pages need. */
import { z } from 'zod';
import { Timestamp, Uuid } from '../base/primitives.ts';
import { Name } from './organization.ts';
import { definePage, PageQuery } from './page.ts';

export const AccessToken = z
  .object({
    id: Uuid,
    name: z.string(),
    scope: z.enum(['read', 'write']),
    expiresAt: Timestamp.nullable(),
    lastUsedAt: Timestamp.nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: 'AccessToken' });
export const AccessTokenPage = definePage(AccessToken, 'AccessTokenPage');
export const AccessTokenInput = z
  .strictObject({
    name: Name,
    scope: z.enum(['read', 'write']).default('read'),
    expiresAt: Timestamp.optional(),
  })
  .meta({ id: 'AccessTokenInput' });
export const CreatedAccessToken = AccessToken.extend({
  token: z.string().meta({ description: 'shown once' }),
}).meta({ id: 'CreatedAccessToken' });

export const Notification = z
  .object({
    id: Uuid,
    kind: z.string(),
    text: z.string(),
    projectId: Uuid.nullable(),
    resource: z.string().nullable().meta({ description: 'what it is about: bulkRequest, export …' }),
    resourceId: Uuid.nullable(),
    readAt: Timestamp.nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: 'Notification' });
export const NotificationPage = definePage(Notification, 'NotificationPage');
export const NotificationListQuery = PageQuery.extend({
  unread: z.boolean().optional().meta({ description: 'only those that are not read yet' }),
});
export const NotificationsRead = z
  .strictObject({ ids: z.array(Uuid).min(1).max(200).optional().meta({ description: 'all, when left out' }) })
  .meta({ id: 'NotificationsRead' });

export const AuditEntry = z
  .object({
    id: Uuid,
    action: z.string(),
    resource: z.string(),
    resourceId: Uuid.nullable(),
    projectId: Uuid.nullable(),
    actor: Uuid.nullable(),
    address: z.string().nullable().meta({ description: 'network address of the request' }),
    actorEmail: z.string().nullable().meta({ description: 'as it was then; the account may be gone' }),
    detail: z.record(z.string(), z.unknown()),
    createdAt: Timestamp,
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;
export const AuditLogQuery = PageQuery.extend({
  actor: Uuid.optional().meta({ description: 'the user' }),
  action: z.string().min(1).max(100).optional(),
  resource: z.string().min(1).max(100).optional(),
  project: Uuid.optional(),
});
export const AuditEntryPage = definePage(AuditEntry, 'AuditEntryPage');
