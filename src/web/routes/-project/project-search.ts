import { z } from 'zod';
import { analysisKinds } from '#contract/analyses/registry.ts';
import { BookmarkSearch } from '#web/features/bookmarks/queries.ts';

export const projectTabs = ['overview', 'data', 'operations', 'recipes', 'exports', 'bookmarks'] as const;
export type ProjectTab = (typeof projectTabs)[number];

/** What the project page shows. The viewer's own state is stored behind # in the address. */
export const ProjectPageSearch = z.object({
  tab: z.enum(projectTabs).optional().catch(undefined),
  /** the selected data object */
  data: z.guid().optional().catch(undefined),
  /** the highlighted row of the inspection sheet */
  characteristic: z.string().max(200).optional().catch(undefined),
  /** the referenced operation: its result is selected, or its row is highlighted */
  operation: z.guid().optional().catch(undefined),
  /** the export whose row is highlighted */
  export: z.guid().optional().catch(undefined),
  /** the analysis whose form is open */
  run: z.enum(analysisKinds).optional().catch(undefined),
  /** whether the dialog that runs a recipe is open */
  recipe: z.literal('run').optional().catch(undefined),
  /** the bookmark whose view is shown, together with its comments */
  bookmark: z.guid().optional().catch(undefined),
  /** whether the list of bookmarks is open */
  story: z.literal('open').optional().catch(undefined),
  /** the user whose view is followed live; one's own view is presented only in the tab that started it */
  live: z.guid().optional().catch(undefined),
  /** the operation whose parameters prefill the form */
  from: z.guid().optional().catch(undefined),
  /** prefill the form instead: the input data, and the reference to compare it with */
  source: z.guid().optional().catch(undefined),
  reference: z.guid().optional().catch(undefined),
  /** Page and search text of the list in the open tab. */
  ...BookmarkSearch.shape,
});
/** Closes the form and clears what it was prefilled from. */
export const noForm = { run: undefined, from: undefined, source: undefined, reference: undefined };
export type ProjectPageSearch = z.infer<typeof ProjectPageSearch>;
