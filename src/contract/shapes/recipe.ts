import { z } from 'zod';
import { comparisons, Gate } from '../analyses/gates.ts';
import { checkGates, Gates, RecipeStep, RecipeSteps } from '../analyses/pipeline.ts';
import { Fraction, Timestamp, Url, Uuid, WorkError, WorkStatus } from '../base/primitives.ts';
import { Verdict } from '../metadata/verdict.ts';
import { OperationKind } from './operation.ts';
import { Name } from './organization.ts';
import { definePage, PageQuery } from './page.ts';

export const recipeStatuses = ['draft', 'released'] as const;
export const RecipeStatus = z.enum(recipeStatuses).meta({ id: 'RecipeStatus' });
export type RecipeStatus = z.infer<typeof RecipeStatus>;

export const RecipeVersion = z
  .object({
    id: Uuid,
    recipePk: Uuid,
    name: z.string(),
    description: z.string(),
    version: z.int(),
    isLatest: z.boolean().meta({ description: 'the newest released version of its recipe' }),
    status: RecipeStatus.meta({
      description:
        'only runs of released versions count towards a part’s verdict; run a draft by its version id',
      'x-extension': true,
    }),
    steps: z.array(RecipeStep),
    gates: z.array(Gate),
    createdBy: Uuid.nullable().meta({ description: 'null when the account was deleted' }),
    createdAt: Timestamp,
    releasedBy: Uuid.nullable().meta({
      description: 'null for a draft, and when the account was deleted',
      'x-extension': true,
    }),
    releasedAt: Timestamp.nullable().meta({ description: 'null for a draft', 'x-extension': true }),
    mayRelease: z.object({ allowed: z.boolean(), reason: z.string().nullable() }).meta({
      description: 'whether the caller may release this draft; `reason` says why not',
      'x-extension': true,
    }),
  })
  .meta({ id: 'RecipeVersion' });
export type RecipeVersion = z.infer<typeof RecipeVersion>;
export const RecipeVersionPage = definePage(RecipeVersion, 'RecipeVersionPage');
export const RecipeVersionListQuery = PageQuery.extend({
  recipePk: Uuid.optional().meta({ description: 'only versions of this recipe' }),
  search: z.string().max(200).optional().meta({ description: 'text anywhere in the name' }),
  isLatest: z
    .boolean()
    .optional()
    .meta({ description: 'true: only the newest released version of each recipe', 'x-extension': true }),
  isNewest: z.boolean().optional().meta({
    description: 'true: only the newest version of each recipe, released or draft',
    'x-extension': true,
  }),
  status: RecipeStatus.optional().meta({ 'x-extension': true }),
});
export type RecipeVersionListQuery = z.infer<typeof RecipeVersionListQuery>;

export const RecipeVersionInput = z
  .strictObject({
    recipePk: Uuid.optional().meta({
      description: 'creates a new version of this recipe; without it, a new recipe',
    }),
    name: Name,
    description: z.string().max(20_000).default(''),
    steps: RecipeSteps,
    gates: Gates,
    draft: z.boolean().default(false).meta({
      description: 'true: not released. Callers who may not release always create drafts',
      'x-extension': true,
    }),
  })
  .check(checkGates)
  .meta({ id: 'RecipeVersionInput' });
export type RecipeVersionInput = z.infer<typeof RecipeVersionInput>;

const Acquisition = z.looseObject({
  voltageKv: z.number().positive().optional().meta({ description: 'tube voltage, kV' }),
  currentUa: z.number().positive().optional().meta({ description: 'tube current, µA' }),
  filter: z.string().optional(),
  projections: z.int().positive().optional(),
  exposureMs: z.number().positive().optional().meta({ description: 'exposure time per projection, ms' }),
});

export const ScanRecipeRevision = z
  .object({
    id: Uuid,
    scanRecipePk: Uuid,
    name: z.string(),
    revision: z.int(),
    scanner: z.string(),
    acquisition: Acquisition,
    geometry: z.record(z.string(), z.unknown()),
    analysisRecipePk: Uuid.nullable().meta({ description: 'recipe for scans made this way; null: none' }),
    createdAt: Timestamp,
  })
  .meta({ id: 'ScanRecipeRevision' });
export type ScanRecipeRevision = z.infer<typeof ScanRecipeRevision>;
export const ScanRecipeRevisionPage = definePage(ScanRecipeRevision, 'ScanRecipeRevisionPage');

export const ScanRecipeRevisionInput = z
  .strictObject({
    scanRecipePk: Uuid.optional(),
    name: Name,
    scanner: z.string().max(200).default(''),
    acquisition: Acquisition.default({}),
    geometry: z.record(z.string(), z.unknown()).default({}),
    analysisRecipePk: Uuid.optional(),
  })
  .meta({ id: 'ScanRecipeRevisionInput' });
export type ScanRecipeRevisionInput = z.infer<typeof ScanRecipeRevisionInput>;
export const ScanRecipeRevisionListQuery = PageQuery.extend({
  scanRecipePk: Uuid.optional().meta({ 'x-extension': true }),
  search: z.string().max(200).optional().meta({ 'x-extension': true }),
});
export type ScanRecipeRevisionListQuery = z.infer<typeof ScanRecipeRevisionListQuery>;

export const RunRecipeInput = z
  .strictObject({
    recipePk: Uuid.meta({ description: 'id of the recipe' }),
    recipeVersionId: Uuid.optional().meta({ description: 'default: the newest released version' }),
  })
  .meta({ id: 'RunRecipeInput' });

const InvocationStep = z
  .object({
    key: z.string(),
    operation: OperationKind,
    needs: z.array(z.string()),
    operationId: Uuid.nullable().meta({
      description: 'operation of the newest attempt; null before it starts',
    }),
    status: WorkStatus,
    progress: Fraction,
    error: WorkError.nullable(),
  })
  .meta({ id: 'InvocationStep' });

const InvocationGate = z
  .object({
    key: z.string(),
    measure: z.string(),
    comparison: z.enum(comparisons),
    measured: z
      .number()
      .nullable()
      .meta({ description: 'in the unit of the gate; null until measured, and when it could not be' }),
    limit: z.number(),
    unit: z.string(),
    guardBand: z.number().nullable().meta({
      description:
        'guard band used for the verdict, in the unit of the gate; null: will equal the uncertainty, which is not known yet',
    }),
    verdict: Verdict.nullable().meta({ description: 'null until judged' }),
  })
  .meta({ id: 'InvocationGate' });

export const RecipeInvocation = z
  .object({
    id: Uuid,
    projectId: Uuid,
    recipePk: Uuid,
    recipeVersionId: Uuid,
    status: WorkStatus,
    progress: Fraction,
    verdict: Verdict.nullable().meta({ description: 'null without one, and until it has finished' }),
    recipeName: z.string().nullable().meta({ description: 'null for a pipeline, which has no saved recipe' }),
    version: z.int().nullable().meta({ description: 'version number of the recipe; null for a pipeline' }),
    steps: z.array(InvocationStep),
    gates: z.array(InvocationGate),
    createdBy: Uuid.nullable().meta({ description: 'null when the account was deleted' }),
    createdAt: Timestamp,
    startedAt: Timestamp.nullable().meta({ description: 'null until it starts' }),
    finishedAt: Timestamp.nullable().meta({ description: 'null until it has ended' }),
    error: WorkError.nullable().meta({ description: 'null unless it failed' }),
  })
  .meta({ id: 'RecipeInvocation' });
export type RecipeInvocation = z.infer<typeof RecipeInvocation>;
export const RecipeInvocationPage = definePage(RecipeInvocation, 'RecipeInvocationPage');

/** An invocation with the name of its project, for lists across projects. */
export const ListedRecipeInvocation = RecipeInvocation.extend({
  projectName: z.string(),
  bulkRequestId: Uuid.nullable().meta({
    description: 'bulk request that it belongs to; null when it was requested individually',
    'x-extension': true,
  }),
}).meta({
  id: 'ListedRecipeInvocation',
});
export type ListedRecipeInvocation = z.infer<typeof ListedRecipeInvocation>;
export const ListedRecipeInvocationPage = definePage(ListedRecipeInvocation, 'ListedRecipeInvocationPage');
export const ProjectInvocationListQuery = PageQuery.extend({
  recipeVersionId: Uuid.optional().meta({ description: 'only runs of this version', 'x-extension': true }),
});
export type ProjectInvocationListQuery = z.infer<typeof ProjectInvocationListQuery>;
export const RecipeInvocationListQuery = PageQuery.extend({
  organization: Uuid.optional(),
  recipePk: Uuid.optional().meta({ description: 'only runs of this recipe, any version' }),
  recipeVersionId: Uuid.optional().meta({ description: 'only runs of this version' }),
  status: z.array(WorkStatus).optional().meta({ description: 'may be repeated; any may match' }),
  verdict: Verdict.optional(),
});
export type RecipeInvocationListQuery = z.infer<typeof RecipeInvocationListQuery>;

export const RecipeInvocationResults = z
  .object({
    results: z.array(z.object({ dataObjectId: Uuid, dataObjectFileNames: z.array(z.string()) })),
    downloadableResults: Url,
  })
  .meta({ id: 'RecipeInvocationResults' });
export type RecipeInvocationResults = z.infer<typeof RecipeInvocationResults>;
