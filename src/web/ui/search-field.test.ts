import { expect, it } from 'vitest';
import { holdsWords, searchWords } from './search-field.tsx';

it('reads what is searched for from the address as words, also where they look like a number', () => {
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

it('finds what holds every word in one of its texts, whatever the case', () => {
  const texts = ['Ada Lovelace', 'ada@example.com', null];
  expect(holdsWords(texts, 'ADA example')).toBe(true);
  expect(holdsWords(texts, 'ada grace')).toBe(false);
  expect(holdsWords(texts, undefined)).toBe(true);
});
