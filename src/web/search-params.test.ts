import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSearch, stringifySearch } from './search-params.ts';

describe('Search parameters', () => {
  test('are written as a repeated name for a list', () => {
    expect(stringifySearch({ tag: ['pilot', 'batch 7'] })).toBe('?tag=pilot&tag=batch+7');
    expect(parseSearch('?tag=pilot&tag=batch+7')).toEqual({ tag: ['pilot', 'batch 7'] });
  });

  test('omit undefined values and empty lists', () => {
    expect(stringifySearch({ page: undefined, tag: [], search: 'housing' })).toBe('?search=housing');
    expect(stringifySearch({})).toBe('');
  });

  test('keep a text that looks like a number as text', () => {
    expect(parseSearch(stringifySearch({ search: '412', page: 2 }))).toEqual({ search: '412', page: 2 });
  });

  test('restore any text unchanged', () => {
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
