import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseInput } from './validate.ts';

const Body = z.strictObject({ ids: z.array(z.string()).min(1).max(2), pair: z.array(z.string()).min(2) });

test.each([
  [{ ids: [], pair: ['a', 'b'] }, 'ids must not be empty'],
  [{ ids: ['a', 'b', 'c'], pair: ['a', 'b'] }, 'ids must have at most 2 entries'],
  [{ ids: ['a'], pair: ['a'] }, 'pair must have at least 2 entries'],
])('a list of the wrong length is described in entries: %j', (body, message) => {
  expect(() => parseInput(Body, body, 'body')).toThrow(message);
});
