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
  reason: z.string().nullable().meta({ description: 'why not; null when allowed' }),
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
    downloadUrl: Url.nullable().meta({
      description: 'of the archive; null when there is none (yet) or it expired',
    }),
    progress: Fraction.meta({ 'x-extension': true }),
    cancelledCount: z.int().meta({ 'x-extension': true }),
    verdicts: z
      .object({ pass: z.int(), fail: z.int(), indeterminate: z.int(), couldNotRun: z.int() })
      .nullable()
      .meta({
        description: 'number of recipe runs by verdict; null for other operation types',
        'x-extension': true,
      }),
    downloadSizeBytes: z
      .int()
      .nullable()
      .meta({ description: 'null without a download', 'x-extension': true }),
    downloadExpiresAt: Timestamp.nullable().meta({
      description: 'null without a download',
      'x-extension': true,
    }),
    error: WorkError.nullable().meta({ description: 'null unless it failed', 'x-extension': true }),
    undoOf: Uuid.nullable().meta({
      description: 'request that this one undoes; null when it undoes none',
      'x-extension': true,
    }),
    undoneBy: Uuid.nullable().meta({
      description: 'request that undoes this one; null when there is none',
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
    projectName: z.string().nullable().meta({ description: 'null when the caller may not see the project' }),
    unchanged: z.boolean().meta({ description: 'true: the project needed no change' }),
    copyId: Uuid.nullable().meta({ description: 'project created by a copy; otherwise null' }),
    invocationId: Uuid.nullable().meta({ description: 'recipe run; null when there is none' }),
    verdict: Verdict.nullable().meta({ description: 'of the recipe run; null when it has none' }),
    worstGate: LeadingCharacteristic.nullable().meta({
      description: 'gate that decides a run that does not pass; otherwise null',
    }),
  })
  .meta({ id: 'BulkItem' });
export type BulkItem = z.infer<typeof BulkItem>;
export const BulkItemPage = definePage(BulkItem, 'BulkItemPage');
export const BulkItemListQuery = PageQuery.extend({
  status: z.string().optional(),
  verdict: z.string().optional().meta({ description: 'verdict of the recipe run' }),
});
export type BulkItemListQuery = z.infer<typeof BulkItemListQuery>;

const projectIds = z
  .array(Uuid)
  .min(1)
  .max(10_000)
  .transform((ids) => [...new Set(ids.map((id) => id.toLowerCase()))])
  .meta({ description: 'duplicates are ignored' });
const tags = z.array(Tag).min(1).max(100);

export const BulkProjects = z.strictObject({ projectIds }).meta({ id: 'BulkProjects' });
export const BulkDestination = z
  .strictObject({ projectIds, destinationWorkspaceId: Uuid })
  .meta({ id: 'BulkDestination' });
export const BulkTags = z.strictObject({ projectIds, tags }).meta({ id: 'BulkTags' });
export const BulkRunRecipe = z
  .strictObject({
    projectIds,
    recipePk: Uuid.meta({ description: 'id of the recipe' }),
    recipeVersionId: Uuid.optional().meta({ description: 'default: the newest released version' }),
  })
  .meta({ id: 'BulkRunRecipe' });
export const BulkDownloadResults = z
  .strictObject({
    projectIds,
    recipePk: Uuid.optional(),
    recipeVersionId: Uuid.optional().meta({
      description: 'only results of this version of the recipe',
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

/** What a bulk request would do if it were sent now. */
export const BulkPreview = z
  .object({
    totalCount: z.int(),
    changedCount: z.int().meta({ description: 'number of projects that the request would change' }),
    unchangedCount: z.int().meta({ description: 'number of projects that need no change' }),
    refusedCount: z.int().meta({ description: 'number of projects that the request can’t be applied to' }),
    refused: z
      .array(
        z.object({
          code: z.string(),
          detail: z.string(),
          count: z.int(),
          examples: z.array(z.object({ projectId: Uuid, name: z.string().nullable() })),
        }),
      )
      .meta({ description: 'refused projects grouped by reason, the most frequent reason first' }),
  })
  .meta({ id: 'BulkPreview' });
export type BulkPreview = z.infer<typeof BulkPreview>;

type Outcomes = Pick<BulkRequest, 'completedCount' | 'cancelledCount'> & {
  verdicts: NonNullable<BulkRequest['verdicts']>;
};

/** Outcomes of a recipe's runs; each project is counted once: `5 pass`, `1 fail`, `1 could not run`. */
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
