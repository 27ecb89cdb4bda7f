import { expect, it } from 'vitest';
import { moveItem } from './use-story.ts';

it('a slide moves to its new position, and the others keep their order', () => {
  const story = ['a', 'b', 'c', 'd'];
  expect(moveItem(story, 0, 2)).toEqual(['b', 'c', 'a', 'd']);
  expect(moveItem(story, 3, 0)).toEqual(['d', 'a', 'b', 'c']);
  expect(moveItem(story, 1, 1)).toEqual(story);
});
