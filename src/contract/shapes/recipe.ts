import { z } from 'zod';
import { RecipeStep, RecipeSteps } from '../analyses/pipeline.ts';
import { Name } from './organization.ts';
import { PageQuery, pageOf } from './page.ts';
import { Fraction, Timestamp, Url, Uuid, WorkError, WorkStatus } from './primitives.ts';
import { Verdict } from './project.ts';

export const Gate = z
  .strictObject({
    key: z.string().min(1).max(64),
    measure: z.string().min(1).max(200).meta({ description: 'step.field, such as thickness.minMm' }),
    comparison: z.enum(['<', '<=', '>', '>=']),
    limit: z.number(),
    unit: z.string().max(32).default(''),
    guardBand: z.number().min(0).default(0).meta({
      description: 'half width around the limit in which the verdict is indeterminate',
    }),
  })
  .meta({ id: 'Gate' });
export type Gate = z.infer<typeof Gate>;

export const RecipeVersion = z
  .object({
    id: Uuid,
    recipePk: Uuid,
    name: z.string(),
    description: z.string(),
    version: z.int(),
    isLatest: z.boolean(),
    steps: z.array(RecipeStep),
    gates: z.array(Gate),
    createdBy: Uuid.nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: 'RecipeVersion' });
export type RecipeVersion = z.infer<typeof RecipeVersion>;
export const RecipeVersionPage = pageOf(RecipeVersion, 'RecipeVersionPage');
export const RecipeVersionListQuery = PageQuery.extend({
  recipePk: Uuid.optional(),
  search: z.string().optional(),
});

export const RecipeVersionInput = z
  .strictObject({
    recipePk: Uuid.optional().meta({ description: 'a new version of this recipe; without it, a new recipe' }),
    name: Name,
    description: z.string().max(20_000).default(''),
    steps: RecipeSteps,
    gates: z.array(Gate).max(200).default([]),
  })
  .meta({ id: 'RecipeVersionInput' });

const Acquisition = z.looseObject({
  voltageKv: z.number().positive().optional(),
  currentUa: z.number().positive().optional(),
  filter: z.string().optional(),
  projections: z.int().positive().optional(),
  exposureMs: z.number().positive().optional(),
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
    analysisRecipePk: Uuid.nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: 'ScanRecipeRevision' });
export type ScanRecipeRevision = z.infer<typeof ScanRecipeRevision>;
export const ScanRecipeRevisionPage = pageOf(ScanRecipeRevision, 'ScanRecipeRevisionPage');

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

export const RunRecipeInput = z
  .strictObject({ recipePk: Uuid, recipeVersionId: Uuid.optional() })
  .meta({ id: 'RunRecipeInput' });

export const RecipeInvocation = z
  .object({
    id: Uuid,
    projectId: Uuid,
    recipePk: Uuid,
    recipeVersionId: Uuid,
    status: WorkStatus,
    progress: Fraction,
    verdict: Verdict.nullable(),
    steps: z.array(z.object({ key: z.string(), operationId: Uuid.nullable(), status: WorkStatus })),
    gates: z.array(
      z.object({
        key: z.string(),
        measured: z.number().nullable(),
        limit: z.number(),
        verdict: Verdict.nullable(),
      }),
    ),
    createdBy: Uuid.nullable(),
    createdAt: Timestamp,
    startedAt: Timestamp.nullable(),
    finishedAt: Timestamp.nullable(),
    error: WorkError.nullable(),
  })
  .meta({ id: 'RecipeInvocation' });
export type RecipeInvocation = z.infer<typeof RecipeInvocation>;
export const RecipeInvocationPage = pageOf(RecipeInvocation, 'RecipeInvocationPage');

export const RecipeInvocationResults = z
  .object({
    results: z.array(z.object({ dataObjectId: Uuid, dataObjectFileNames: z.array(z.string()) })),
    downloadableResults: Url,
  })
  .meta({ id: 'RecipeInvocationResults' });
