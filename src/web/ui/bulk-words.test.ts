import { expect, test } from 'vitest';
import { describeOutcome } from './bulk-words.ts';

const request = { operationType: 'runRecipe', failedCount: 1, cancelledCount: 0 } as const;

test('a failed part is counted as failed, and one that was not measured as one that could not run', () => {
  const verdicts = { pass: 5, fail: 1, indeterminate: 0, couldNotRun: 1 };
  expect(describeOutcome({ ...request, completedCount: 6, verdicts })).toBe(
    '5 pass · 1 fail · 1 could not run',
  );
  const none = { pass: 0, fail: 0, indeterminate: 0, couldNotRun: 1 };
  expect(describeOutcome({ ...request, completedCount: 2, verdicts: none })).toBe(
    '2 without a verdict · 1 could not run',
  );
});

test('other requests state what was done', () => {
  const archive = { ...request, operationType: 'archive', verdicts: null } as const;
  expect(describeOutcome({ ...archive, completedCount: 247 })).toBe('247 projects archived, 1 failed');
});
