import { z } from 'zod';
import { analysisKinds } from '#contract/analyses/registry.ts';
import { BookmarkSearch } from '../../features/bookmarks/queries.ts';

export const projectTabs = ['overview', 'data', 'operations', 'recipes', 'exports', 'bookmarks'] as const;
export type ProjectTab = (typeof projectTabs)[number];

/** What of a project is shown; the view of the viewer stands behind # in the address. */
export const ProjectPageSearch = z.object({
  tab: z.enum(projectTabs).optional().catch(undefined),
  /** the data object that is selected */
  data: z.guid().optional().catch(undefined),
  /** the row of the inspection sheet that is pointed at */
  characteristic: z.string().max(200).optional().catch(undefined),
  /** the operation that is pointed at: its result is selected, or its row marked */
  operation: z.guid().optional().catch(undefined),
  /** the export whose row is marked */
  export: z.guid().optional().catch(undefined),
  /** the analysis whose form is open */
  run: z.enum(analysisKinds).optional().catch(undefined),
  /** whether the dialog that runs a recipe is open */
  recipe: z.literal('run').optional().catch(undefined),
  /** the bookmark whose view is shown, beside its comments */
  bookmark: z.guid().optional().catch(undefined),
  /** whether the bookmarks are listed beside the view */
  story: z.literal('open').optional().catch(undefined),
  /** whose view is followed live; one’s own is presented in the tab that began it */
  live: z.guid().optional().catch(undefined),
  /** the operation whose parameters the form starts from */
  from: z.guid().optional().catch(undefined),
  /** what its form starts from instead: the data to work on, and what to hold it against */
  source: z.guid().optional().catch(undefined),
  reference: z.guid().optional().catch(undefined),
  /** Page of the list in the tab that is open, and what is searched in it. */
  ...BookmarkSearch.shape,
});
/** No form is open, and none starts from anything. */
export const noForm = { run: undefined, from: undefined, source: undefined, reference: undefined };
export type ProjectPageSearch = z.infer<typeof ProjectPageSearch>;
