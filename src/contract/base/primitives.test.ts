import { expect, it } from 'vitest';
import { isUnfinished, workStatuses } from './primitives.ts';

it('treats an unknown status as finished, so that polling ends', () => {
  expect(workStatuses.filter(isUnfinished)).toEqual(['pending', 'processing', 'cancelling']);
  expect(isUnfinished('hibernating')).toBe(false);
});
