import type { ReactNode, RefObject } from 'react';
import type { AnalysisKind } from '#contract/analyses/registry.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import type { DataObject, Project } from '#web/api/generated/types.gen.ts';
import { AnalysesPanel } from '#web/features/analyses/analyses-panel.tsx';
import { parameterRows } from '#web/features/analyses/parameter-words.ts';
import { BookmarkPanel } from '#web/features/bookmarks/bookmark-panel.tsx';
import { StoryPanel } from '#web/features/bookmarks/story-panel.tsx';
import type { StoryModel } from '#web/features/bookmarks/use-story.ts';
import { DataObjectDetails } from '#web/features/data-objects/data-object-details.tsx';
import type { RunAgain } from '#web/features/data-objects/provenance-panel.tsx';
import { MeasurementsPanel } from '#web/features/measurements/measurements-panel.tsx';
import type { useMeasuring } from '#web/features/measurements/use-measuring.ts';
import { lacksReference, reasonAgainst } from '#web/features/projects/capability.ts';
import { UploadButton } from '#web/features/uploads/drop-files.tsx';
import type { KeptView } from '#web/viewer/ScanViewer.tsx';
import classes from './project-page.module.css';
import { noForm, type ProjectPageSearch, type ProjectTab } from './project-search.ts';

export interface ResultsProps {
  project: Project;
  /** the result panel of a data object; null if its kind has none */
  result: (dataObject: DataObject, onShowPoint?: (pointMm: Vector3) => void) => ReactNode | null;
  /** shows another data object, or opens something beside the current one */
  onSearch: (changes: Partial<ProjectPageSearch>) => void;
  /** keeps the current kind of view for the next result */
  keepLook: () => void;
  again: RunAgain;
  showTab: (tab: ProjectTab) => void;
}

interface AsideProps {
  /** form of an analysis, shown in place of the results; null = no form is open */
  form: ReactNode | null;
  /** stays above the list */
  kept?: ReactNode;
  panelHolder?: (holder: HTMLElement | null) => void;
  listHolder?: (holder: HTMLElement | null) => void;
  children?: ReactNode;
}

/**
 * The results, or the form in their place, whose effect the viewer beside it shows. The viewer's panels stay
 * above them; its table of places replaces the results while it is open and nothing is being measured.
 */
export const Aside = ({ form, kept, panelHolder, listHolder, children }: AsideProps) => (
  <aside
    className={classes.aside}
    aria-label={form ? 'Analysis to start' : 'Results and details'}
    data-form={form !== null || undefined}
  >
    <div ref={panelHolder} className={classes.viewerPanel} />
    {form ?? kept}
    <div ref={listHolder} className={classes.places} />
    {form === null && children}
  </aside>
);

interface ResultsAsideProps extends ResultsProps {
  dataObjects: readonly DataObject[];
  shown: DataObject | null;
  measuring: ReturnType<typeof useMeasuring>;
  leaveComparison: () => void;
  /** whether a form in this place has just been closed */
  takesFocus: boolean;
  showPoint: (pointMm: Vector3) => void;
}

/** The states of the analyses, manual measurements, and the figures of the data object shown. */
export function ResultsAside({
  project,
  shown,
  dataObjects,
  measuring,
  again,
  onSearch,
  ...props
}: ResultsAsideProps) {
  const editReason = reasonAgainst(project, 'edit');
  const select = (id: string) => {
    props.leaveComparison();
    props.keepLook();
    onSearch({ data: id, bookmark: undefined });
  };
  return (
    <>
      <AnalysesPanel
        projectId={project.id}
        dataObjects={dataObjects}
        selectedId={shown?.id ?? null}
        editReason={editReason}
        reasonAgainst={(kind: AnalysisKind) => reasonAgainst(project, kind)}
        lacksReference={(kind: AnalysisKind) => lacksReference(project, kind)}
        onSelect={select}
        onRun={(kind) => onSearch({ ...noForm, run: kind })}
        takesFocus={props.takesFocus}
        again={again}
        onShowOperation={() => props.showTab('operations')}
        onShowRuns={() => props.showTab('recipes')}
        upload={<UploadCad project={project} />}
      />
      <MeasurementsPanel {...{ project, dataObjects, measuring }} reason={editReason} />
      {shown && (
        <div className={classes.selected}>
          <DataObjectDetails
            key={shown.id}
            {...{ project, editReason, dataObjects, again, parameterRows }}
            dataObject={shown}
            result={props.result(shown, props.showPoint)}
          />
        </div>
      )}
    </>
  );
}

/** The bookmarks in order, and the comments on the one shown. */
export const KeptViews = ({
  project,
  story,
  hasStory,
  onStory,
  bookmarkId,
  onBookmark,
  view,
  show,
}: {
  project: Project;
  story: StoryModel;
  /** whether the list of bookmarks is open */
  hasStory: boolean;
  onStory: (isOpen: boolean) => void;
  /** the bookmark whose view is shown */
  bookmarkId: string | undefined;
  onBookmark: (bookmarkId: string | undefined) => void;
  view: RefObject<KeptView | null>;
  show: (state: ViewState) => void;
}) => (
  <>
    {hasStory && (
      <StoryPanel story={story} reason={reasonAgainst(project, 'edit')} onClose={() => onStory(false)} />
    )}
    {bookmarkId !== undefined && (
      <BookmarkPanel
        key={bookmarkId}
        bookmarkId={bookmarkId}
        viewer={view}
        editReason={reasonAgainst(project, 'edit')}
        commentReason={reasonAgainst(project, 'comment')}
        onRestore={({ viewState }) => show({ ...viewState })}
        onClose={() => onBookmark(undefined)}
      />
    )}
  </>
);

const UploadCad = ({ project }: { project: Project }) => (
  <UploadButton projectId={project.id} reason={reasonAgainst(project, 'upload')} size="compact-xs">
    Upload CAD
  </UploadButton>
);
