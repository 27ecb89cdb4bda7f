/** A project's status with the newest operation of each analysis. */
import { z } from 'zod';
import { type AnalysisKind, analysisFacts, analysisKinds } from '../analyses/kinds.ts';
import { ProjectExport } from './export.ts';
import { Operation } from './operation.ts';
import { Uuid } from './primitives.ts';
import { ProjectState } from './project.ts';
import { RecipeInvocation } from './recipe.ts';

export type StatusKey = (typeof analysisFacts)[AnalysisKind]['statusKey'];

export const NotStarted = z.object({ status: z.literal('notStarted') }).meta({ id: 'NotStarted' });
const AnalysisState = z.union([Operation, NotStarted]);

const analyses = Object.fromEntries(
  analysisKinds.map((kind) => [analysisFacts[kind].statusKey, AnalysisState]),
) as Record<StatusKey, typeof AnalysisState>;

export const ProjectStatus = z
  .object({
    projectId: Uuid,
    state: ProjectState,
    isProcessing: z.boolean(),
    analyses: z.object(analyses),
    exports: z.array(ProjectExport).meta({ description: 'the newest first, ten at most' }),
    recipeInvocations: z.array(RecipeInvocation).meta({ description: 'the newest first, ten at most' }),
  })
  .meta({ id: 'ProjectStatus' });
export type ProjectStatus = z.infer<typeof ProjectStatus>;
