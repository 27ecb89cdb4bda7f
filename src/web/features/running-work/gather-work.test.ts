import { expect, test } from 'vitest';
import { gatherWork, type UnfinishedPages } from './gather-work.ts';

const at = (minute: number) => ({ createdAt: `2026-01-01T00:0${minute}:00Z`, progress: 0 });
const page = (results: object[], count = results.length) => ({ count, results });

test('lists work of all kinds, running first; steps are included in their run, runs in their bulk request', () => {
  const named = { recipeName: 'Tube', version: 2, projectName: 'P' };
  const pages = {
    operations: page(
      [
        {
          id: 'mesh',
          operation: 'createMesh',
          projectId: 'p',
          invocationId: null,
          status: 'pending',
          ...at(4),
        },
        {
          id: 'step',
          operation: 'createMesh',
          projectId: 'p',
          invocationId: 'run',
          status: 'processing',
          ...at(3),
        },
        {
          id: 'of the item',
          operation: 'createMesh',
          projectId: 'p',
          invocationId: 'item',
          status: 'processing',
          ...at(3),
        },
        {
          id: 'late',
          operation: 'createMesh',
          projectId: 'p',
          invocationId: 'over',
          status: 'cancelling',
          ...at(3),
        },
      ],
      121,
    ),
    runs: page([
      { id: 'run', ...named, bulkRequestId: null, status: 'processing', ...at(2) },
      { id: 'item', ...named, bulkRequestId: 'all', status: 'processing', ...at(2) },
      { id: 'left', ...named, bulkRequestId: 'ended', status: 'cancelling', ...at(2) },
    ]),
    exports: page([{ id: 'zip', config: {}, projectId: 'p', projectName: 'P', status: 'pending', ...at(1) }]),
    bulkRequests: page([
      { id: 'all', operationType: 'runRecipe', totalCount: 6, status: 'processing', ...at(1) },
    ]),
  } as unknown as UnfinishedPages;
  const { rows, count } = gatherWork(pages);
  expect(rows.map(({ id, title, subject }) => [id, title, subject])).toEqual([
    ['all', 'Run recipe', '6 projects'],
    ['run', 'Tube, version 2', 'P'],
    ['left', 'Tube, version 2', 'P'],
    ['late', 'Mesh', null],
    ['zip', 'Export', 'P'],
    ['mesh', 'Mesh', null],
  ]);
  expect(count).toBe(123);
});

test('shows the other kinds while one is still loading', () => {
  const none = { operations: undefined, runs: undefined, bulkRequests: undefined };
  const exports = page([{ id: 'zip', config: {}, projectName: 'P', status: 'pending', ...at(1) }]);
  expect(gatherWork({ ...none, exports } as unknown as UnfinishedPages).count).toBe(1);
});
