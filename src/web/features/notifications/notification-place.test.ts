import { expect, it } from 'vitest';
import type { Notification } from '#web/api/generated/types.gen.ts';
import { placeOfNotification } from './notification-place.ts';

const about = (part: Partial<Notification>) =>
  placeOfNotification({
    id: 'n',
    kind: '',
    text: '',
    projectId: 'p',
    resource: null,
    resourceId: 'r',
    readAt: null,
    createdAt: '',
    ...part,
  });

it('leads to the object itself, not only to its project', () => {
  expect(
    (
      [
        ['operation.completed', 'operation'],
        ['operation.failed', 'operation'],
        ['operation.cancelled', 'operation'],
        ['export.completed', 'export'],
        ['render.completed', 'bookmark'],
        ['recipeInvocation.failed', 'recipeInvocation'],
        ['bulkRequest.completed', 'bulkRequest'],
        ['workspace.shared', 'workspace'],
      ] as const
    ).map(([kind, resource]) => about({ kind, resource })),
  ).toEqual([
    { to: '/projects/p', search: { operation: 'r' } },
    { to: '/projects/p', search: { tab: 'operations', operation: 'r' } },
    { to: '/projects/p', search: { tab: 'operations', operation: 'r' } },
    { to: '/projects/p', search: { tab: 'exports', export: 'r' } },
    { to: '/projects/p', search: { bookmark: 'r' } },
    { to: '/recipes/runs/r' },
    { to: '/bulk/r' },
    { to: '/projects', search: { workspace: 'r' } },
  ]);
});

it('leads to the project if no object is known, and nowhere without a project', () => {
  expect([about({ resourceId: null }), about({ resource: 'of a later version' })]).toEqual([
    { to: '/projects/p' },
    { to: '/projects/p' },
  ]);
  expect(about({ projectId: null, resource: 'export' })).toBeNull();
});
