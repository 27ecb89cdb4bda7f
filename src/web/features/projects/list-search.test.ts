import { describe, expect, test } from 'vitest';
import { ProjectListQuery } from '#contract/shapes/project.ts';
import { parseSearch, stringifySearch } from '../../search-params.ts';
import { isFiltered, narrowed, ProjectSearch, queryOf } from './list-search.ts';

const organization = '11111111-1111-4111-8111-111111111111';
const workspace = '22222222-2222-4222-8222-222222222222';

const read = (address: string) => ProjectSearch.parse(parseSearch(address));

describe('The address of the projects page', () => {
  test('says what the service is asked, by the names of its contract', () => {
    const search = read(
      `?page=3&size=100&ordering=-name&search=housing&state=archived&workspace=${workspace}&tag=a&tag=b&verdict=none`,
    );
    const query = queryOf(search, organization);
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

  test('asks for the first page of the newest when it says nothing', () => {
    expect(read('')).toEqual({});
    expect(queryOf(read(''), organization)).toMatchObject({ page: 1, page_size: 50, ordering: '-createdAt' });
    expect(isFiltered(read(''))).toBe(false);
  });

  test('takes one tag, a part number of digits and a text that was quoted', () => {
    expect(read('?tag=pilot').tag).toEqual(['pilot']);
    expect(read('?search=412').search).toBe('412');
    expect(read('?search=%22412%22').search).toBe('412');
    expect(read('?tag=7&tag=8').tag).toEqual(['7', '8']);
  });

  test('drops what is not valid and keeps the rest', () => {
    expect(read('?page=0&size=33&ordering=colour&state=lost&workspace=x&verdict=maybe&search=ok')).toEqual({
      search: 'ok',
    });
  });

  test('comes back as it was written', () => {
    const search = read(`?search=412&tag=a&tag=b&page=2&workspace=${workspace}&selected=all`);
    expect(read(stringifySearch(search))).toEqual(search);
  });

  test('begins at page 1 and drops the selected question when a filter changes', () => {
    expect(narrowed(read('?page=4&selected=all&search=a'), { state: 'archived' })).toEqual({
      page: undefined,
      selected: undefined,
      search: 'a',
      state: 'archived',
    });
  });
});
