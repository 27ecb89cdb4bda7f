import type { Transaction } from './connection.ts';
import { notify } from './events.ts';
import { notifications } from './schema-collaboration.ts';
import { insertRow } from './take-row.ts';

export interface NewNotification {
  userId: string;
  organizationId: string;
  /** `<resource>.<what happened>` */
  kind: string;
  title: string;
  body: string;
  /** subject it links to; `projectId` when that belongs to a project */
  subject: { resource: string; id: string; projectId?: string };
}

/** Writes a notification for one user, and sends the event that makes the user's pages refetch. */
export async function writeNotification(tx: Transaction, notification: NewNotification): Promise<void> {
  const { organizationId, subject, ...values } = notification;
  const { resource, id, projectId } = subject;
  const kept = { resource, id, ...(projectId === undefined ? {} : { projectId }) };
  const row = await insertRow(tx, notifications, { ...values, subject: kept });
  await notify(tx, {
    type: 'created',
    resource: 'notification',
    id: row.id,
    organizationId,
    ...(projectId === undefined ? {} : { projectId }),
    userId: values.userId,
  });
}
