/** The state of the projects page that stands in its address, and the question that it asks the service. */
import { z } from 'zod';
import { Verdict } from '#contract/metadata/verdict.ts';
import { ProjectListQuery, ProjectState } from '#contract/shapes/project.ts';
import type { ListProjectsData } from '../../api/generated/types.gen.ts';
import { listSearch, pageQuery } from '../../ui/list-page.tsx';
import type { Selection } from './selection.ts';

/** Words are read by the address as numbers where they look like numbers; a search for `412` is text again. */
const Text = z.union([z.string(), z.number(), z.boolean()]).transform((value) => String(value).trim());

/** At 44 bytes each the address stays under the 8 KiB that programs between browser and service are sure to take. */
export const pickedAtMost = 150;

export const verdictFilters = [...Verdict.options, 'none'] as const;

export const ProjectSearch = listSearch({
  ordering: ProjectListQuery.shape.ordering.unwrap().optional().catch(undefined),
  search: Text.transform((text) => text.slice(0, 200) || undefined)
    .optional()
    .catch(undefined),
  state: ProjectState.optional().catch(undefined),
  workspace: z.guid().optional().catch(undefined),
  /** may repeat; all must match */
  tag: z
    .union([Text.transform((tag) => [tag]), z.array(Text)])
    .transform((tags) => [...new Set(tags.filter((tag) => tag !== ''))])
    .transform((tags) => (tags.length === 0 ? undefined : tags))
    .optional()
    .catch(undefined),
  verdict: z.enum(verdictFilters).optional().catch(undefined),
  /** `all`: the selection is the question itself, whatever its pages hold */
  selected: z.literal('all').optional().catch(undefined),
  /** the ids of single ones that are selected; with `selected=all` those that are not. May repeat */
  picked: z
    .union([z.guid().transform((id) => [id]), z.array(z.guid())])
    .transform((ids) => [...new Set(ids)])
    .refine((ids) => ids.length <= pickedAtMost)
    .optional()
    .catch(undefined),
  /** opens the form of a new project */
  new: z.literal(true).optional().catch(undefined),
});
export type ProjectSearch = z.infer<typeof ProjectSearch>;

type Query = NonNullable<ListProjectsData['query']>;

/** The question without its page: what “select all” selects. */
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

/** What `GET /api/v2/projects` is asked. */
export const toQuery = (search: ProjectSearch, organizationId: string): Query => ({
  ...toFilters(search, organizationId),
  ordering: chooseOrdering(search),
  ...pageQuery(search),
});

/** Whether something narrows the list. */
export const isFiltered = (search: ProjectSearch): boolean =>
  [search.state, search.workspace, search.tag, search.verdict, search.search].some(
    (value) => value !== undefined,
  );

/** Whether an address can hold the selection. */
export const fitsAddress = (selection: Selection<unknown>): boolean =>
  (selection.kind === 'items' ? selection.items : selection.without).size <= pickedAtMost;

/**
 * A selection as it stands in the address. One that does not fit is left out whole, never in part: a link that
 * selects more or less than was chosen does harm.
 */
export function writeSelection(selection: Selection<unknown>): Pick<ProjectSearch, 'selected' | 'picked'> {
  if (!fitsAddress(selection)) return { selected: undefined, picked: undefined };
  const ids = [...(selection.kind === 'items' ? selection.items.keys() : selection.without)];
  return {
    selected: selection.kind === 'query' ? 'all' : undefined,
    picked: ids.length === 0 ? undefined : ids,
  };
}

/** Whether two addresses find the same projects, in whatever order and on whatever page. */
export const isSameQuestion = (a: ProjectSearch, b: ProjectSearch): boolean =>
  JSON.stringify(toFilters(a, '')) === JSON.stringify(toFilters(b, ''));

/** A change of filters or order begins at page 1 and drops what was selected by the question before. */
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
