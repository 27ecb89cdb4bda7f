import { expect, it } from 'vitest';
import { holdsWords, searchWords } from './search-field.tsx';

it('reads the search text from the address as text, even if it looks like a number', () => {
  expect([412, true, ' lot 7 ', '', '  ', undefined, {}, []].map(searchWords)).toEqual([
    '412',
    'true',
    'lot 7',
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

it('matches if every word occurs in one of the texts, in any case', () => {
  const texts = ['Ada Lovelace', 'ada@example.com', null];
  expect(holdsWords(texts, 'ADA example')).toBe(true);
  expect(holdsWords(texts, 'ada grace')).toBe(false);
  expect(holdsWords(texts, undefined)).toBe(true);
});
