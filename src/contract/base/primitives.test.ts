import { expect, it } from 'vitest';
import { isUnfinished, workStatuses } from './primitives.ts';

it('takes an unknown status for finished, so that nothing ticks for ever', () => {
  expect(workStatuses.filter(isUnfinished)).toEqual(['pending', 'processing', 'cancelling']);
  expect(isUnfinished('hibernating')).toBe(false);
});
