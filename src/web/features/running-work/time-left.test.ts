import { expect, test } from 'vitest';
import { secondsLeft } from './time-left.ts';

test('The time left is told only once it can be trusted', () => {
  expect(secondsLeft(0.05, 60)).toBeNull();
  expect(secondsLeft(0.5, 3)).toBeNull();
  expect(secondsLeft(1, 60)).toBeNull();
  expect(secondsLeft(0.25, 30)).toBeCloseTo(90, 9);
});
