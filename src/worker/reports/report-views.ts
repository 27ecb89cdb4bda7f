/** The bookmarks of a project for its report: pictures of their views with notes. */
import { count, eq } from 'drizzle-orm';
import { ViewState } from '#contract/shapes/view-state.ts';
import { writePng } from '#formats/png/write-png.ts';
import { bookmarks } from '#storage/db/schema-collaboration.ts';
import { storyOrder } from '#storage/db/story-order.ts';
import { drawView } from '../renders/run-render.ts';
import { WorkFailure } from '../work/describe-failure.ts';
import type { Work } from '../work/work.ts';

export interface ReportView {
  name: string;
  note: string;
  /** null with the reason why there is none */
  png: Uint8Array | null;
  problem: string | null;
}

export interface ReportViews {
  /** in the order of presentation */
  shown: ReportView[];
  /** number of all bookmarks of the project */
  count: number;
}

/** Beyond this number a report becomes a slide show. */
const maxViews = 12;
/** Two of them fit on a page, with text as large as captions. */
export const viewSize = { width: 960, height: 560 };

/** Draws them like any bookmark; if its data are gone, the reason is stated instead. */
export async function drawViews({
  row,
  project,
  context,
  run,
}: Pick<Work<'export'>, 'row' | 'project' | 'context' | 'run'>): Promise<ReportViews> {
  const ofProject = eq(bookmarks.projectId, project.id);
  const kept = await context.db
    .select()
    .from(bookmarks)
    .where(ofProject)
    .orderBy(...storyOrder)
    .limit(maxViews);
  const [all] = await context.db.select({ count: count() }).from(bookmarks).where(ofProject);
  const shown: ReportView[] = [];
  for (const [i, { name, description: note, viewState }] of kept.entries()) {
    run.report((0.9 * i) / kept.length, 'Drawing the bookmarks');
    const view = { projectId: project.id, asker: row.createdBy, state: ViewState.parse(viewState) };
    const quiet = { signal: run.signal, report: () => undefined };
    try {
      const picture = await drawView(context, view, viewSize, quiet);
      shown.push({ name, note, png: await writePng(picture), problem: null });
    } catch (error) {
      if (!(error instanceof WorkFailure)) throw error;
      shown.push({ name, note, png: null, problem: error.message });
    }
  }
  return { shown, count: all?.count ?? kept.length };
}
