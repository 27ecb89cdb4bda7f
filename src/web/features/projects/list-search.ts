/** State of the projects page in its address, and the request built from it. */
import { z } from 'zod';
import { Verdict } from '#contract/metadata/verdict.ts';
import { ProjectListQuery, ProjectState } from '#contract/shapes/project.ts';
import type { ListProjectsData } from '#web/api/generated/types.gen.ts';
import { listSearch, pageQuery } from '#web/ui/list-page.tsx';
import type { Selection } from './selection.ts';

/** The address parser reads `412` as a number; a search text stays a text. */
const Text = z.union([z.string(), z.number(), z.boolean()]).transform((value) => String(value).trim());

/** At 44 bytes per id the address stays under the 8 KiB that every proxy can be expected to accept. */
export const pickedAtMost = 150;

export const verdictFilters = [...Verdict.options, 'none'] as const;

export const ProjectSearch = listSearch({
  ordering: ProjectListQuery.shape.ordering.unwrap().optional().catch(undefined),
  search: Text.transform((text) => text.slice(0, 200) || undefined)
    .optional()
    .catch(undefined),
  state: ProjectState.optional().catch(undefined),
  workspace: z.guid().optional().catch(undefined),
  /** may be repeated; all must match */
  tag: z
    .union([Text.transform((tag) => [tag]), z.array(Text)])
    .transform((tags) => [...new Set(tags.filter((tag) => tag !== ''))])
    .transform((tags) => (tags.length === 0 ? undefined : tags))
    .optional()
    .catch(undefined),
  verdict: z.enum(verdictFilters).optional().catch(undefined),
  /** `all`: every project of the query is selected, whatever its pages contain */
  selected: z.literal('all').optional().catch(undefined),
  /** ids of the selected projects; with `selected=all` the ids excluded. May be repeated */
  picked: z
    .union([z.guid().transform((id) => [id]), z.array(z.guid())])
    .transform((ids) => [...new Set(ids)])
    .refine((ids) => ids.length <= pickedAtMost)
    .optional()
    .catch(undefined),
  /** opens the form for a new project */
  new: z.literal(true).optional().catch(undefined),
});
export type ProjectSearch = z.infer<typeof ProjectSearch>;

type Query = NonNullable<ListProjectsData['query']>;

/** The query without its page; “select all” selects its results. */
export const toFilters = (search: ProjectSearch, organizationId: string): Query => ({
  organization: organizationId,
  state: search.state,
  workspace: search.workspace,
  tag: search.tag,
  verdict: search.verdict,
  search: search.search,
});

export const chooseOrdering = (search: ProjectSearch): NonNullable<Query['ordering']> =>
  (search.ordering ?? '-createdAt') as NonNullable<Query['ordering']>;

/** Query parameters of `GET /api/v2/projects`. */
export const toQuery = (search: ProjectSearch, organizationId: string): Query => ({
  ...toFilters(search, organizationId),
  ordering: chooseOrdering(search),
  ...pageQuery(search),
});

/** Whether any filter is set. */
export const isFiltered = (search: ProjectSearch): boolean =>
  [search.state, search.workspace, search.tag, search.verdict, search.search].some(
    (value) => value !== undefined,
  );

/** Whether the selection is small enough for the address. */
export const fitsAddress = (selection: Selection<unknown>): boolean =>
  (selection.kind === 'items' ? selection.items : selection.without).size <= pickedAtMost;

/**
 * Search parameters of a selection. One that does not fit is omitted as a whole: a link that selects more or fewer
 * projects than chosen would do harm.
 */
export function writeSelection(selection: Selection<unknown>): Pick<ProjectSearch, 'selected' | 'picked'> {
  if (!fitsAddress(selection)) return { selected: undefined, picked: undefined };
  const ids = [...(selection.kind === 'items' ? selection.items.keys() : selection.without)];
  return {
    selected: selection.kind === 'query' ? 'all' : undefined,
    picked: ids.length === 0 ? undefined : ids,
  };
}

/** Whether two addresses find the same projects, in any order and on any page. */
export const isSameQuestion = (a: ProjectSearch, b: ProjectSearch): boolean =>
  JSON.stringify(toFilters(a, '')) === JSON.stringify(toFilters(b, ''));

/** Changing filters or order returns to page 1 and drops a selection of the previous query. */
export const narrowed = (search: ProjectSearch, change: Partial<ProjectSearch>): ProjectSearch => ({
  ...search,
  page: undefined,
  selected: undefined,
  ...change,
});

export const withoutFilters = (search: ProjectSearch): ProjectSearch => ({
  size: search.size,
  ordering: search.ordering,
});
