import { expect, test } from 'vitest';
import type { Operation } from '#web/api/generated/types.gen.ts';
import { EndWatch } from './end-watch.ts';

const operation = (id: string, minute: number, status: Operation['status']) => ({
  id,
  status,
  createdAt: `2026-01-01T10:${String(minute).padStart(2, '0')}:00.000Z`,
});
const old = operation('old', 1, 'completed');

test('reports an operation seen running once when it has ended', () => {
  const watch = new EndWatch();
  expect(watch.look([operation('first', 2, 'processing'), old], true)).toEqual([]);
  const ended = operation('first', 2, 'failed');
  expect(watch.look([ended, old], true)).toEqual([ended]);
  expect(watch.look([ended, old], true)).toEqual([]);
  // Retried, it ends again.
  expect(watch.look([operation('first', 2, 'pending'), old], true)).toEqual([]);
  expect(watch.look([operation('first', 2, 'completed'), old], true)).toHaveLength(1);
});

test('reports once what ended before it was first seen', () => {
  const watch = new EndWatch();
  watch.look([old], true);
  const quick = operation('quick', 2, 'completed');
  expect(watch.look([quick, old], true)).toEqual([quick]);
  expect(watch.look([quick, old], true)).toEqual([]);
  // Also the first operation of a project.
  const empty = new EndWatch();
  empty.look([], true);
  expect(empty.look([quick], true)).toEqual([quick]);
});

test('reports nothing that ended before the page was opened, whenever the list arrives', () => {
  const watch = new EndWatch();
  const [meanwhile, running] = [
    operation('meanwhile', 2, 'completed'),
    operation('running', 3, 'processing'),
  ];
  // First the list cached from an earlier visit, then the current one.
  expect(watch.look([old], false)).toEqual([]);
  expect(watch.look([running, meanwhile, old], true)).toEqual([]);
  // An older operation moves onto the page when another is deleted.
  expect(watch.look([running, old, operation('earlier', 0, 'completed')], true)).toEqual([]);
});
