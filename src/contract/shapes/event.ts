/** Server-sent events: a resource changed and should be refetched. */
import { z } from 'zod';
import { Uuid } from '../base/primitives.ts';
import { SharedView } from './shared-view.ts';

/**
 * `projects`: many projects of one workspace changed at once; `id` is the workspace. `sharedView`: a presenter or follower
 * of a shared view of the project reports the position or presence.
 */
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
  'measurement',
  'organization',
  'notification',
  'sharedView',
] as const;

/** `progressed`: only the progress of running work changed. */
export const eventTypes = ['created', 'updated', 'progressed', 'deleted'] as const;

export const ServiceEvent = z
  .object({
    type: z.enum(eventTypes),
    resource: z.enum(eventResources),
    id: Uuid,
    projectId: Uuid.optional(),
    sharedView: SharedView.optional(),
  })
  .meta({ id: 'ServiceEvent' });
export type ServiceEvent = z.infer<typeof ServiceEvent>;
