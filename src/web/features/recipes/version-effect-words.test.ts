import { expect, it } from 'vitest';
import { summarizeEffects } from './version-effect-words.ts';

it('says how many projects would change, stay, and can’t be compared', () => {
  expect(
    summarizeEffects([
      { before: 'pass', after: 'pass', count: 1 },
      { before: 'pass', after: 'fail', count: 3 },
      { before: 'pass', after: 'notRun', count: 2 },
      { before: 'notRun', after: 'notRun', count: 4 },
    ]),
  ).toBe(
    '3 would change from Pass to Fail · 1 would keep its verdict · 6 unknown, as a version has not run there',
  );
});
