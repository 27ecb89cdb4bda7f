/** Status of a project with the newest operation of each analysis. */
import { z } from 'zod';
import { analyses as declarations, type StatusKey } from '../analyses/registry.ts';
import { Uuid } from '../base/primitives.ts';
import { ProjectExport } from './export.ts';
import { Operation } from './operation.ts';
import { ProjectState } from './project.ts';
import { RecipeInvocation } from './recipe.ts';

export const NotStarted = z.object({ status: z.literal('notStarted') }).meta({ id: 'NotStarted' });
const AnalysisState = z.union([Operation, NotStarted]);

const analyses = Object.fromEntries(
  declarations.map(({ statusKey }) => [statusKey, AnalysisState]),
) as Record<StatusKey, typeof AnalysisState>;

export const ProjectStatus = z
  .object({
    projectId: Uuid,
    state: ProjectState,
    isProcessing: z.boolean(),
    analyses: z.object(analyses),
    exports: z.array(ProjectExport).meta({ description: 'newest first, at most ten' }),
    recipeInvocations: z.array(RecipeInvocation).meta({ description: 'newest first, at most ten' }),
  })
  .meta({ id: 'ProjectStatus' });
export type ProjectStatus = z.infer<typeof ProjectStatus>;
