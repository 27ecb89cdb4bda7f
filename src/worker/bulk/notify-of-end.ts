/** Tells who asked for a bulk request that it has ended, when that took a while or did not all go well. */

import type { BulkRow } from '#storage/bulk/requests.ts';
import type { Transaction } from '#storage/db/connection.ts';
import { writeNotification } from '#storage/db/write-notification.ts';

/** up to here the page that it was asked from says so itself */
const SMALL = 20;

const done: Record<string, string> = {
  archive: 'archived',
  copy: 'copied',
  move: 'moved',
  delete: 'moved to the trash',
  addTags: 'tagged',
  removeTags: 'untagged',
  restore: 'restored',
  runRecipe: 'went through the recipe',
  downloadResults: 'packed for download',
};

const projects = (count: number): string => `${count.toLocaleString('en')} project${count === 1 ? '' : 's'}`;

export async function notifyOfEnd(tx: Transaction, row: BulkRow): Promise<void> {
  const { id, status, operationType, totalCount, completedCount, failedCount, cancelledCount } = row;
  if (row.createdBy === null) return;
  const isSlow = operationType === 'runRecipe' || operationType === 'downloadResults';
  if (!isSlow && failedCount === 0 && totalCount < SMALL) return;
  const rest = [
    failedCount > 0 ? `${failedCount.toLocaleString('en')} failed` : null,
    cancelledCount > 0 ? `${cancelledCount.toLocaleString('en')} cancelled` : null,
  ].filter((words) => words !== null);
  const title =
    status === 'failed'
      ? `None of ${projects(totalCount)} ${done[operationType]}`
      : `${projects(completedCount)} ${done[operationType]}`;
  await writeNotification(tx, {
    userId: row.createdBy,
    organizationId: row.organizationId ?? '',
    kind: `bulkRequest.${status}`,
    title: row.undoOf === null ? title : `Undone: ${title}`,
    body: rest.join(', '),
    subject: { resource: 'bulkRequest', id },
  });
}
