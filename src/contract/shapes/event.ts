/** What server-sent events say: something changed, look again. */
import { z } from 'zod';
import { Uuid } from '../base/primitives.ts';

/** `projects`: many projects changed at once, in the workspace that `id` names. */
export const eventResources = [
  'project',
  'projects',
  'operation',
  'dataObject',
  'upload',
  'export',
  'recipeInvocation',
  'recipe',
  'bulkRequest',
  'bookmark',
  'organization',
  'notification',
] as const;

export const ServiceEvent = z
  .object({
    type: z.enum(['created', 'updated', 'deleted']),
    resource: z.enum(eventResources),
    id: Uuid,
    projectId: Uuid.optional(),
  })
  .meta({ id: 'ServiceEvent' });
export type ServiceEvent = z.infer<typeof ServiceEvent>;
