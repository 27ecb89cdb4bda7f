import { describe, expect, test } from 'vitest';
import { ProjectListQuery } from '#contract/shapes/project.ts';
import { parseSearch, stringifySearch } from '../../search-params.ts';
import {
  isFiltered,
  isSameQuestion,
  narrowed,
  ProjectSearch,
  toQuery,
  writeSelection,
} from './list-search.ts';
import type { Selection } from './selection.ts';

const organization = '11111111-1111-4111-8111-111111111111';
const workspace = '22222222-2222-4222-8222-222222222222';

const read = (address: string) => ProjectSearch.parse(parseSearch(address));

describe('The address of the projects page', () => {
  test('builds the request with the parameter names of the contract', () => {
    const search = read(
      `?page=3&size=100&ordering=-name&search=housing&state=archived&workspace=${workspace}&tag=a&tag=b&verdict=none`,
    );
    const query = toQuery(search, organization);
    expect(query).toEqual({
      organization,
      workspace,
      state: 'archived',
      tag: ['a', 'b'],
      verdict: 'none',
      search: 'housing',
      ordering: '-name',
      page: 3,
      page_size: 100,
    });
    expect(ProjectListQuery.safeParse(query).success).toBe(true);
  });

  test('requests the first page, newest first, when it is empty', () => {
    expect(read('')).toEqual({});
    expect(toQuery(read(''), organization)).toMatchObject({ page: 1, page_size: 50, ordering: '-createdAt' });
    expect(isFiltered(read(''))).toBe(false);
  });

  test('accepts a single tag, a part number of digits and a quoted text', () => {
    expect(read('?tag=pilot').tag).toEqual(['pilot']);
    expect(read('?search=412').search).toBe('412');
    expect(read('?search=%22412%22').search).toBe('412');
    expect(read('?tag=7&tag=8').tag).toEqual(['7', '8']);
  });

  test('drops invalid values and keeps the rest', () => {
    expect(read('?page=0&size=33&ordering=colour&state=lost&workspace=x&verdict=maybe&search=ok')).toEqual({
      search: 'ok',
    });
  });

  test('is restored as it was written', () => {
    const search = read(`?search=412&tag=a&tag=b&page=2&workspace=${workspace}&selected=all`);
    expect(read(stringifySearch(search))).toEqual(search);
  });

  test('returns to page 1 and drops a query selection when a filter changes', () => {
    expect(narrowed(read('?page=4&selected=all&search=a'), { state: 'archived' })).toEqual({
      page: undefined,
      selected: undefined,
      search: 'a',
      state: 'archived',
    });
  });

  test('contains the selected ids, or those excluded from “all”, and nothing if they are too many', () => {
    const ids = Array.from(
      { length: 151 },
      (_, i) => `33333333-3333-4333-8333-${String(i).padStart(12, '0')}`,
    );
    const of = (count: number) => new Map(ids.slice(0, count).map((id) => [id, null]));
    const reread = (selection: Selection<null>) => read(stringifySearch({ ...writeSelection(selection) }));
    expect(reread({ kind: 'items', items: of(1) })).toEqual({ picked: ids.slice(0, 1) });
    expect(reread({ kind: 'query', without: new Set(ids.slice(0, 2)) })).toEqual({
      selected: 'all',
      picked: ids.slice(0, 2),
    });
    const most = writeSelection({ kind: 'items', items: of(150) });
    expect(reread({ kind: 'items', items: of(150) })).toEqual({ picked: most.picked });
    expect(stringifySearch({ ...most }).length).toBeLessThan(8_000);
    expect(reread({ kind: 'items', items: of(151) })).toEqual({});
    expect(reread({ kind: 'query', without: new Set(ids) })).toEqual({});
    expect(read(stringifySearch({ picked: ids })).picked).toBeUndefined();
  });

  test('names the same query on another page or in another order, but not with another filter', () => {
    const search = read('?search=a&tag=x');
    expect(isSameQuestion(search, read('?search=a&tag=x&page=3&ordering=name&size=100'))).toBe(true);
    expect(isSameQuestion(search, read('?search=a&tag=y'))).toBe(false);
  });
});
