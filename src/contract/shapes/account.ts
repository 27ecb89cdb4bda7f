/** Personal access tokens, notifications and the audit log: extensions that pages need. */
import { z } from 'zod';
import { Name } from './organization.ts';
import { PageQuery, pageOf } from './page.ts';
import { Timestamp, Uuid } from './primitives.ts';

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
export const AccessTokenPage = pageOf(AccessToken, 'AccessTokenPage');
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
    readAt: Timestamp.nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: 'Notification' });
export const NotificationPage = pageOf(Notification, 'NotificationPage');
export const NotificationListQuery = PageQuery;

export const AuditEntry = z
  .object({
    id: Uuid,
    action: z.string(),
    resource: z.string(),
    resourceId: Uuid.nullable(),
    actor: Uuid.nullable(),
    detail: z.record(z.string(), z.unknown()),
    createdAt: Timestamp,
  })
  .meta({ id: 'AuditEntry' });
export const AuditEntryPage = pageOf(AuditEntry, 'AuditEntryPage');
