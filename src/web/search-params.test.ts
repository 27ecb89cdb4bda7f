import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSearch, stringifySearch } from './search-params.ts';

describe('Search parameters', () => {
  test('write a list as a repeated name', () => {
    expect(stringifySearch({ tag: ['pilot', 'batch 7'] })).toBe('?tag=pilot&tag=batch+7');
    expect(parseSearch('?tag=pilot&tag=batch+7')).toEqual({ tag: ['pilot', 'batch 7'] });
  });

  test('leave out what is undefined and lists that are empty', () => {
    expect(stringifySearch({ page: undefined, tag: [], search: 'housing' })).toBe('?search=housing');
    expect(stringifySearch({})).toBe('');
  });

  test('keep a text that looks like a number a text', () => {
    expect(parseSearch(stringifySearch({ search: '412', page: 2 }))).toEqual({ search: '412', page: 2 });
  });

  test('read any text back as it was', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
        (text) => {
          expect(parseSearch(stringifySearch({ text }))).toEqual({ text });
        },
      ),
    );
  });
});
