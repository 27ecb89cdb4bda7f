import { z } from 'zod';
import { PageQuery, pageOf } from './page.ts';
import { Timestamp, Url, Uuid, WorkError, WorkStatus } from './primitives.ts';
import { Tag } from './project.ts';

export const bulkOperationTypes = [
  'archive',
  'copy',
  'move',
  'delete',
  'addTags',
  'removeTags',
  'runRecipe',
  'downloadResults',
  'restore',
] as const;

export const BulkRequest = z
  .object({
    id: Uuid,
    status: WorkStatus,
    operationType: z.enum(bulkOperationTypes),
    totalCount: z.int(),
    completedCount: z.int(),
    failedCount: z.int(),
    parameters: z.record(z.string(), z.unknown()),
    downloadUrl: Url.nullable(),
    createdBy: Uuid.nullable(),
    createdAt: Timestamp,
    startedAt: Timestamp.nullable(),
    finishedAt: Timestamp.nullable(),
  })
  .meta({ id: 'BulkRequest' });
export type BulkRequest = z.infer<typeof BulkRequest>;
export const BulkRequestPage = pageOf(BulkRequest, 'BulkRequestPage');
export const BulkRequestListQuery = PageQuery.extend({
  status: z.string().optional(),
  operationType: z.string().optional(),
});

export const BulkItem = z
  .object({ projectId: Uuid, status: WorkStatus, error: WorkError.nullable() })
  .meta({ id: 'BulkItem' });
export const BulkItemPage = pageOf(BulkItem, 'BulkItemPage');
export const BulkItemListQuery = PageQuery.extend({ status: z.string().optional() });

const projectIds = z
  .array(Uuid)
  .min(1)
  .max(10_000)
  .transform((ids) => [...new Set(ids.map((id) => id.toLowerCase()))]);
const tags = z.array(Tag).min(1).max(100);

export const BulkProjects = z.strictObject({ projectIds }).meta({ id: 'BulkProjects' });
export const BulkDestination = z
  .strictObject({ projectIds, destinationWorkspaceId: Uuid })
  .meta({ id: 'BulkDestination' });
export const BulkTags = z.strictObject({ projectIds, tags }).meta({ id: 'BulkTags' });
export const BulkRunRecipe = z
  .strictObject({ projectIds, recipePk: Uuid, recipeVersionId: Uuid.optional() })
  .meta({ id: 'BulkRunRecipe' });
export const BulkDownloadResults = z
  .strictObject({ projectIds, recipePk: Uuid.optional() })
  .meta({ id: 'BulkDownloadResults' });
