import { describe, expect, test } from 'vitest';
import { operationIds } from '#contract/operations/all.ts';
import { eventResources } from '#contract/shapes/event.ts';
import { findQueries, keyMatches } from './live-event-queries.ts';

const id = '11111111-1111-4111-8111-111111111111';
const projectId = '22222222-2222-4222-8222-222222222222';

describe('An event of the service', () => {
  test('invalidates queries for every known resource, by operations that exist', () => {
    for (const resource of eventResources) {
      const matches = findQueries({ type: 'updated', resource, id, projectId });
      expect(matches.length > 0, resource).toBe(resource !== 'sharedView');
      for (const { operation } of matches) expect(operationIds).toContain(operation);
    }
  });

  test('about an operation invalidates the lists, the operation and its project', () => {
    const matches = findQueries({ type: 'updated', resource: 'operation', id, projectId });
    const isOld = (key: unknown) => matches.some((match) => keyMatches([key], match));
    expect(isOld({ _id: 'listOperations', query: { status: 'processing' } })).toBe(true);
    expect(isOld({ _id: 'readOperation', path: { id } })).toBe(true);
    expect(isOld({ _id: 'readProjectStatus', path: { project_id: projectId } })).toBe(true);
    expect(isOld({ _id: 'listProjectOperations', path: { project_id: projectId } })).toBe(true);
    expect(isOld({ _id: 'readOperation', path: { id: projectId } })).toBe(false);
    expect(isOld({ _id: 'listMembers', path: { id } })).toBe(false);
  });

  test('about the progress of an operation invalidates the project status, but no list or result', () => {
    const event = { type: 'progressed', resource: 'operation', id, projectId } as const;
    const path = { project_id: projectId };
    // The lists are updated by a single request for the operation itself.
    expect(findQueries(event)).toEqual([{ operation: 'readProjectStatus', path }]);
    const whenItEnds = findQueries({ ...event, type: 'updated' }).map(({ operation }) => operation);
    expect(whenItEnds).toEqual(
      expect.arrayContaining([
        'listOperations',
        'listProjects',
        'readOperation',
        'listProjectOperations',
        'readProject',
        'listCharacteristics',
        'listDispositions',
        'listRecipeInvocations',
        ...findQueries(event).map(({ operation }) => operation),
      ]),
    );
  });

  test('about progress never invalidates more than any other event about the same resource', () => {
    for (const resource of eventResources) {
      const event = { resource, id, projectId };
      const all = findQueries({ type: 'updated', ...event });
      for (const { operation, path } of findQueries({ type: 'progressed', ...event }))
        expect(
          all.some((each) => keyMatches([{ _id: operation, path }], each)),
          operation,
        ).toBe(true);
    }
  });

  test('about an unknown resource is ignored', () => {
    const unknown = JSON.parse(`{"type":"updated","resource":"somethingNew","id":"${id}"}`);
    expect(findQueries(unknown)).toEqual([]);
  });
});

describe('A query key', () => {
  test('of another library never matches', () => {
    for (const key of [[], ['listProjects'], [null], [{ name: 'listProjects' }]])
      expect(keyMatches(key, { operation: 'listProjects' })).toBe(false);
  });
});
