import { describe, expect, test } from 'vitest';
import {
  everything,
  isSelected,
  nothing,
  rangeTo,
  refreshed,
  selectedCount,
  shownState,
  withItems,
} from './selection.ts';

const page = ['a', 'b', 'c', 'd'].map((id) => ({ id, version: 1 }));
const nextPage = ['e', 'f'].map((id) => ({ id, version: 1 }));

describe('A selection of single items', () => {
  test('survives paging and counts items on other pages', () => {
    const selection = withItems(
      withItems(nothing<{ id: string; version: number }>(), page.slice(0, 2), true),
      nextPage,
      true,
    );
    expect(selectedCount(selection, 100)).toBe(4);
    expect(shownState(selection, page)).toBe('some');
    expect(shownState(selection, nextPage)).toBe('all');
    expect(shownState(selection, [])).toBe('none');
  });

  test('uses the newer state of visible items', () => {
    const selection = withItems(nothing<{ id: string; version: number }>(), page, true);
    const newer = refreshed(selection, [{ id: 'b', version: 2 }]);
    expect(newer.kind === 'items' && newer.items.get('b')?.version).toBe(2);
    expect(newer.kind === 'items' && newer.items.get('a')?.version).toBe(1);
    expect(refreshed(selection, nextPage)).toBe(selection);
  });
});

describe('A selection of all results of a query', () => {
  test('is everything except what was deselected, whatever the pages contain', () => {
    const selection = withItems(everything<{ id: string }>(), page.slice(1, 2), false);
    expect(selectedCount(selection, 1284)).toBe(1283);
    expect(isSelected(selection, 'b')).toBe(false);
    expect(isSelected(selection, 'anything')).toBe(true);
    expect(shownState(selection, page)).toBe('some');
    expect(isSelected(withItems(selection, page.slice(1, 2), true), 'b')).toBe(true);
  });
});

describe('A range', () => {
  test('extends from the item toggled last to this one, in both directions', () => {
    expect(rangeTo(page, 'a', 'c').map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(rangeTo(page, 'd', 'b').map(({ id }) => id)).toEqual(['b', 'c', 'd']);
  });

  test('is only this item when the last one is on another page', () => {
    expect(rangeTo(page, 'z', 'c').map(({ id }) => id)).toEqual(['c']);
    expect(rangeTo(page, null, 'z')).toEqual([]);
  });
});
