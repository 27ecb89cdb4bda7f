/** Personal access tokens, notifications and the audit log: extensions that the dashboard needs. */
import { z } from 'zod';
import { Timestamp, Uuid } from '../base/primitives.ts';
import { Name } from './organization.ts';
import { definePage, PageQuery } from './page.ts';

export const AccessToken = z
  .object({
    id: Uuid,
    name: z.string(),
    scope: z.enum(['read', 'write']).meta({ description: 'read: GET requests only' }),
    expiresAt: Timestamp.nullable().meta({ description: 'null: never expires' }),
    lastUsedAt: Timestamp.nullable().meta({ description: 'null: not used yet' }),
    createdAt: Timestamp,
  })
  .meta({ id: 'AccessToken' });
export const AccessTokenPage = definePage(AccessToken, 'AccessTokenPage');
export const AccessTokenInput = z
  .strictObject({
    name: Name,
    scope: z.enum(['read', 'write']).default('read'),
    expiresAt: Timestamp.optional().meta({ description: 'a time in the future; without it, never expires' }),
  })
  .meta({ id: 'AccessTokenInput' });
export const CreatedAccessToken = AccessToken.extend({
  token: z.string().meta({ description: 'returned only in this response' }),
}).meta({ id: 'CreatedAccessToken' });

export const Notification = z
  .object({
    id: Uuid,
    kind: z.string().meta({ description: '`<resource>.<what happened>`' }),
    text: z.string(),
    projectId: Uuid.nullable().meta({ description: 'null when it concerns no single project' }),
    resource: z.string().nullable().meta({ description: 'type of the subject: bulkRequest, export …' }),
    resourceId: Uuid.nullable().meta({ description: 'id of the subject' }),
    readAt: Timestamp.nullable().meta({ description: 'null: unread' }),
    createdAt: Timestamp,
  })
  .meta({ id: 'Notification' });
export const NotificationPage = definePage(Notification, 'NotificationPage');
export const NotificationListQuery = PageQuery.extend({
  unread: z.boolean().optional().meta({ description: 'true: only unread ones' }),
});
export const NotificationsRead = z
  .strictObject({ ids: z.array(Uuid).min(1).max(200).optional().meta({ description: 'default: all' }) })
  .meta({ id: 'NotificationsRead' });

export const AuditEntry = z
  .object({
    id: Uuid,
    action: z.string(),
    resource: z.string(),
    resourceId: Uuid.nullable(),
    projectId: Uuid.nullable(),
    actor: Uuid.nullable().meta({
      description: 'user who did it; null when nobody was signed in, and when the account was deleted',
    }),
    address: z.string().nullable().meta({ description: 'IP address of the request; null when unknown' }),
    actorEmail: z.string().nullable().meta({
      description:
        'email address at that time, kept when the account is deleted; null when nobody was signed in',
    }),
    detail: z.record(z.string(), z.unknown()),
    createdAt: Timestamp,
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;
export const AuditLogQuery = PageQuery.extend({
  actor: Uuid.optional().meta({ description: 'id of the user' }),
  action: z.string().min(1).max(100).optional(),
  resource: z.string().min(1).max(100).optional(),
  project: Uuid.optional(),
});
export const AuditEntryPage = definePage(AuditEntry, 'AuditEntryPage');
