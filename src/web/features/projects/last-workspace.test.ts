import { expect, test, vi } from 'vitest';
import { lastWorkspace } from './last-workspace.ts';

test('a new project gets the last workspace, else that of the newest project, else the only one', () => {
  let last: string | null = 'milling';
  vi.stubGlobal('localStorage', { getItem: () => last });
  const shown = [
    { workspaceId: 'casting', createdAt: '2026-03-02T10:00:00Z' },
    { workspaceId: 'printing', createdAt: '2026-04-01T10:00:00Z' },
  ];
  const listWritable = (...ids: string[]) => ids.map((id) => ({ id }));
  const all = listWritable('casting', 'milling', 'printing');
  expect(lastWorkspace(all, shown)).toBe('milling');
  last = 'deleted';
  expect(lastWorkspace(all, shown)).toBe('printing');
  expect(lastWorkspace(listWritable('casting', 'milling'), shown)).toBeUndefined();
  expect(lastWorkspace(listWritable('casting'), shown)).toBe('casting');
  expect(lastWorkspace(all, [])).toBeUndefined();
  vi.unstubAllGlobals();
});
