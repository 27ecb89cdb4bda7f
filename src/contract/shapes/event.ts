/** What server-sent events say: something changed, look again. */
import { z } from 'zod';
import { Uuid } from '../base/primitives.ts';
import { SharedView } from './shared-view.ts';

/**
 * `projects`: many projects changed at once, in the workspace that `id` names. `sharedView`: somebody who presents a view
 * of the project, or looks on, says where he is.
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

/** `progressed`: work that was running still runs and is further; nothing else about it changed. */
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
