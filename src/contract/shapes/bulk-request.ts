import { z } from 'zod';
import { formatCount } from '../base/format-number.ts';
import { Fraction, Timestamp, Url, Uuid, WorkError, WorkStatus } from '../base/primitives.ts';
import { Verdict } from '../metadata/verdict.ts';
import { LeadingCharacteristic } from './characteristic.ts';
import { Tag } from './organization.ts';
import { definePage, PageQuery, StatusFilter } from './page.ts';

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

const Possible = z.object({
  allowed: z.boolean(),
  reason: z.string().nullable().meta({ description: 'why not' }),
});

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
    progress: Fraction.meta({ 'x-extension': true }),
    cancelledCount: z.int().meta({ 'x-extension': true }),
    verdicts: z
      .object({ pass: z.int(), fail: z.int(), indeterminate: z.int(), couldNotRun: z.int() })
      .nullable()
      .meta({ description: 'of the runs of a recipe; null for other requests', 'x-extension': true }),
    downloadSizeBytes: z.int().nullable().meta({ 'x-extension': true }),
    downloadExpiresAt: Timestamp.nullable().meta({ 'x-extension': true }),
    error: WorkError.nullable().meta({ 'x-extension': true }),
    undoOf: Uuid.nullable().meta({
      description: 'the request that this one undoes',
      'x-extension': true,
    }),
    undoneBy: Uuid.nullable().meta({
      description: 'the request that undoes this one',
      'x-extension': true,
    }),
    undo: Possible.meta({ 'x-extension': true }),
    retry: Possible.meta({ 'x-extension': true }),
    createdBy: Uuid.nullable(),
    createdAt: Timestamp,
    startedAt: Timestamp.nullable(),
    finishedAt: Timestamp.nullable(),
  })
  .meta({ id: 'BulkRequest' });
export type BulkRequest = z.infer<typeof BulkRequest>;
export const BulkRequestPage = definePage(BulkRequest, 'BulkRequestPage');
export const BulkRequestListQuery = PageQuery.extend({
  status: StatusFilter,
  operationType: z.string().optional(),
});

export const BulkItem = z
  .object({
    projectId: Uuid,
    status: WorkStatus,
    error: WorkError.nullable(),
    projectName: z.string().nullable().meta({ description: 'null for one that the caller may not see' }),
    unchanged: z.boolean().meta({ description: 'nothing had to be changed' }),
    copyId: Uuid.nullable().meta({ description: 'the copy that was made' }),
    invocationId: Uuid.nullable().meta({ description: 'the run of the recipe' }),
    verdict: Verdict.nullable().meta({ description: 'of the run of the recipe' }),
    worstGate: LeadingCharacteristic.nullable().meta({
      description: 'what the run measured at the gate that decides, where it does not pass',
    }),
  })
  .meta({ id: 'BulkItem' });
export type BulkItem = z.infer<typeof BulkItem>;
export const BulkItemPage = definePage(BulkItem, 'BulkItemPage');
export const BulkItemListQuery = PageQuery.extend({
  status: z.string().optional(),
  verdict: z.string().optional().meta({ description: 'of the run of the recipe' }),
});
export type BulkItemListQuery = z.infer<typeof BulkItemListQuery>;

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
  .strictObject({
    projectIds,
    recipePk: Uuid.optional(),
    recipeVersionId: Uuid.optional().meta({
      description: 'of the recipe: only results of this version',
      'x-extension': true,
    }),
  })
  .meta({ id: 'BulkDownloadResults' });

export const BulkPreviewInput = z
  .strictObject({
    operationType: z.enum(bulkOperationTypes),
    projectIds,
    destinationWorkspaceId: Uuid.optional(),
    tags: tags.optional(),
    recipePk: Uuid.optional(),
    recipeVersionId: Uuid.optional(),
  })
  .meta({ id: 'BulkPreviewInput' });

/** What a request would do if it were made now. */
export const BulkPreview = z
  .object({
    totalCount: z.int(),
    changedCount: z.int().meta({ description: 'projects that the request would apply to' }),
    unchangedCount: z.int().meta({ description: 'projects that need no change' }),
    refusedCount: z.int(),
    refused: z
      .array(
        z.object({
          code: z.string(),
          detail: z.string(),
          count: z.int(),
          examples: z.array(z.object({ projectId: Uuid, name: z.string().nullable() })),
        }),
      )
      .meta({ description: 'projects that it would not apply to, by reason, the most frequent first' }),
  })
  .meta({ id: 'BulkPreview' });
export type BulkPreview = z.infer<typeof BulkPreview>;

type Outcomes = Pick<BulkRequest, 'completedCount' | 'cancelledCount'> & {
  verdicts: NonNullable<BulkRequest['verdicts']>;
};

/** What a recipe found of its projects, each counted once: `5 pass`, `1 fail`, `1 could not run`. */
export const listVerdicts = ({ completedCount, cancelledCount, verdicts }: Outcomes): string[] => {
  const { pass, fail, indeterminate, couldNotRun } = verdicts;
  const counted = [
    [pass, 'pass'],
    [fail, 'fail'],
    [indeterminate, 'indeterminate'],
    [completedCount - pass - fail - indeterminate, 'without a verdict'],
    [couldNotRun, 'could not run'],
    [cancelledCount, 'stopped'],
  ] as const;
  return counted.flatMap(([count, word]) => (count > 0 ? `${formatCount(count)} ${word}` : []));
};
