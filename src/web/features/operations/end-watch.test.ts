import { expect, test } from 'vitest';
import type { Operation } from '#web/api/generated/types.gen.ts';
import { EndWatch } from './end-watch.ts';

const operation = (id: string, minute: number, status: Operation['status']) => ({
  id,
  status,
  createdAt: `2026-01-01T10:${String(minute).padStart(2, '0')}:00.000Z`,
});
const old = operation('old', 1, 'completed');

test('says once what was seen running and has ended', () => {
  const watch = new EndWatch();
  expect(watch.look([operation('first', 2, 'processing'), old], true)).toEqual([]);
  const ended = operation('first', 2, 'failed');
  expect(watch.look([ended, old], true)).toEqual([ended]);
  expect(watch.look([ended, old], true)).toEqual([]);
  // Retried, it ends again.
  expect(watch.look([operation('first', 2, 'pending'), old], true)).toEqual([]);
  expect(watch.look([operation('first', 2, 'completed'), old], true)).toHaveLength(1);
});

test('says what had ended before it was seen for the first time, once', () => {
  const watch = new EndWatch();
  watch.look([old], true);
  const quick = operation('quick', 2, 'completed');
  expect(watch.look([quick, old], true)).toEqual([quick]);
  expect(watch.look([quick, old], true)).toEqual([]);
  // The first one of a project, too.
  const empty = new EndWatch();
  empty.look([], true);
  expect(empty.look([quick], true)).toEqual([quick]);
});

test('says nothing of what ended before somebody came, whenever its list comes', () => {
  const watch = new EndWatch();
  const [meanwhile, running] = [
    operation('meanwhile', 2, 'completed'),
    operation('running', 3, 'processing'),
  ];
  // Kept from an earlier visit; then as it is now.
  expect(watch.look([old], false)).toEqual([]);
  expect(watch.look([running, meanwhile, old], true)).toEqual([]);
  // An earlier one takes the place of one that was deleted.
  expect(watch.look([running, old, operation('earlier', 0, 'completed')], true)).toEqual([]);
});
