import { Box, Skeleton, VisuallyHidden } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { findHolder } from '#contract/analyses/choose-pictures.ts';
import type { AnalysisKind } from '#contract/analyses/registry.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import type { Characteristic, DataObject, DataObjectPage, Project } from '../../api/generated/types.gen.ts';
import { AnalysesPanel } from '../../features/analyses/analyses-panel.tsx';
import type { FormPlan } from '../../features/analyses/form-plan.ts';
import { parameterRows } from '../../features/analyses/parameter-words.ts';
import { BookmarkButton } from '../../features/bookmarks/bookmark-button.tsx';
import { BookmarkPanel } from '../../features/bookmarks/bookmark-panel.tsx';
import { Presenting } from '../../features/bookmarks/presenting.tsx';
import { bookmarkOptions } from '../../features/bookmarks/queries.ts';
import { StoryPanel } from '../../features/bookmarks/story-panel.tsx';
import { type StoryModel, useStory } from '../../features/bookmarks/use-story.ts';
import { DataObjectDetails } from '../../features/data-objects/data-object-details.tsx';
import type { RunAgain } from '../../features/data-objects/provenance-panel.tsx';
import { useViewInAddress } from '../../features/data-objects/view-in-address.ts';
import { choosePinned, chooseShown } from '../../features/data-objects/viewer-sources.ts';
import { InspectionSheet } from '../../features/inspection/inspection-sheet.tsx';
import { MeasurementsPanel } from '../../features/measurements/measurements-panel.tsx';
import { useMeasuring } from '../../features/measurements/use-measuring.ts';
import { lacksReference, reasonAgainst } from '../../features/projects/capability.ts';
import { SharedViewBar } from '../../features/sharing/shared-view-bar.tsx';
import { type SharedViewModel, useSharedView } from '../../features/sharing/use-shared-view.ts';
import { FirstUpload, UploadButton } from '../../features/uploads/drop-files.tsx';
import { useCommands } from '../../ui/commands.ts';
import { ProblemPage } from '../../ui/problem-alert.tsx';
import type { KeptView, ScanViewerHandle } from '../../viewer/ScanViewer.tsx';
import { defaultViewState } from '../../viewer/state/view-state.ts';
import classes from './project-page.module.css';
import { noForm, type ProjectPageSearch, type ProjectTab } from './project-search.ts';
import { ShownView } from './shown-view.tsx';
import { usePinnedView } from './use-pinned-view.ts';

export interface OverviewTabProps {
  project: Project;
  data: UseQueryResult<DataObjectPage, unknown>;
  selected: DataObject | null;
  /** the figures of a data object; null where its kind has none */
  result: (dataObject: DataObject, onShowPoint?: (pointMm: Vector3) => void) => ReactNode | null;
  /** of an analysis, in place of the results; null = none is open */
  form: ReactNode | null;
  /** what the slices show of it */
  plan: FormPlan | null;
  search: ProjectPageSearch;
  /** another data object takes the place of what is shown, or something is opened beside it */
  onSearch: (changes: Partial<ProjectPageSearch>) => void;
  /** the next data object is shown as this one is */
  keepLook: () => void;
  again: RunAgain;
  showTab: (tab: ProjectTab) => void;
}

/** What is done with the view as a whole, by key and in the palette. */
function useViewCommands(
  reason: string | null,
  onName: () => void,
  onStory: () => void,
  shared: SharedViewModel,
): void {
  useCommands([
    {
      keys: 'b',
      label: 'Save bookmark',
      group: 'Project',
      reason,
      run: onName,
    },
    {
      keys: 'B',
      label: 'Show bookmarks beside the view',
      group: 'Project',
      run: onStory,
    },
    {
      label: shared.presenterId === null ? 'Share the view live' : 'End or leave the shared view',
      run: shared.presenterId === null ? shared.present : shared.leave,
    },
  ]);
}

function showAt(
  viewer: RefObject<ScanViewerHandle | null>,
  pointMm: Vector3,
  show: (state: ViewState) => void,
): void {
  const state = viewer.current?.stateAt(pointMm);
  if (state) show(state);
}

/** The viewer flies to a place once it shows the result that the place is in. */
function useFlight(
  selected: DataObject | null,
  viewer: RefObject<ScanViewerHandle | null>,
  show: (state: ViewState) => void,
): (flight: Pick<Characteristic, 'dataObjectId' | 'positionMm'>) => void {
  const [flight, setFlight] = useState<Pick<Characteristic, 'dataObjectId' | 'positionMm'> | null>(null);
  useEffect(() => {
    if (flight === null || selected?.id !== flight.dataObjectId) return;
    setFlight(null);
    const state = flight.positionMm && viewer.current?.stateAt(flight.positionMm);
    if (state) show({ ...state, meshId: selected.id });
  }, [flight, selected, viewer, show]);
  return setFlight;
}

/** The view that the address or the bookmark asks for, and what shows it: the viewer, or a comparison. */
function useWantedView(bookmarkId: string | undefined) {
  const viewer = useRef<ScanViewerHandle>(null);
  const comparison = useRef<KeptView>(null);
  const { viewState, keep, show } = useViewInAddress();
  const bookmark = useQuery({ ...bookmarkOptions(bookmarkId ?? ''), enabled: bookmarkId !== undefined });
  const kept = bookmarkId === undefined ? undefined : bookmark.data?.viewState;
  // The address goes before the bookmark: one has moved on from its view since.
  const wanted = (viewState === null ? kept : viewState) ?? null;
  const waits = viewState === undefined || (bookmarkId !== undefined && bookmark.isPending);
  return {
    viewer,
    comparison,
    keptView: wanted?.compare ? comparison : viewer,
    wanted,
    kept,
    waits,
    keep,
    show,
  };
}

/** The viewer large, beside it the state of the analyses and what is selected. */
export function OverviewTab(props: OverviewTabProps) {
  const { project, data, selected, form, plan, search, onSearch } = props;
  const { bookmark: bookmarkId, live: presenterId } = search;
  const hasStory = search.story === 'open';
  const onBookmark = (bookmark: string | undefined) => onSearch({ bookmark });
  const onStory = (isOpen: boolean) => onSearch({ story: isOpen ? 'open' : undefined });
  const onPresenter = (live: string | undefined) => onSearch({ live });
  const { viewer, comparison, keptView, wanted, kept, waits, keep, show } = useWantedView(bookmarkId);
  const [naming, setNaming] = useState(false);
  const wasReady = useRef(false);
  const hadForm = useHadForm(form);
  if (!waits && !data.isPending) wasReady.current = true;
  const editReason = reasonAgainst(project, 'edit');
  const readState = () => keptView.current?.state();
  const shared = useSharedView({ projectId: project.id, presenterId, onPresenter, readState });
  const story = useStory({ projectId: project.id, isOpen: hasStory, bookmarkId, onBookmark, show });
  useViewCommands(
    editReason,
    () => setNaming(keptView.current !== null),
    () => onStory(!hasStory),
    shared,
  );
  const dataObjects = data.data?.results ?? [];
  // Who opens a project sees its best result at once, without having to choose it.
  const pinned = usePinnedView(kept, wanted, selected, dataObjects);
  const best = pinned ? choosePinned(dataObjects, pinned, []) : chooseShown(dataObjects, selected, []);
  const shown =
    (pinned ? findHolder(dataObjects, pinned.alignmentId, null) : selected) ?? best.surface ?? best.volume;
  const measuring = useMeasuring({
    projectId: project.id,
    dataObjectId: (best.volume ?? best.surface)?.id ?? null,
    hasSurface: best.surface !== null,
    viewer,
    shown: wanted?.measurements,
  });
  const picture = useInSight(measuring.draft !== null);
  const setFlight = useFlight(selected, viewer, show);
  const actions = (
    <BookmarkButton
      projectId={project.id}
      viewer={keptView}
      reason={editReason}
      opened={naming}
      onOpen={setNaming}
      onCreated={onBookmark}
      isListed={hasStory}
      onList={onStory}
      onShare={shared.presenterId === null && !wanted?.compare ? shared.present : null}
    />
  );
  const leaveComparison = () => {
    if (!wanted?.compare) return;
    onBookmark(undefined);
    show(defaultViewState(null, null, null));
  };
  const choose = (characteristic: Characteristic) => {
    leaveComparison();
    props.keepLook();
    const dataId = characteristic.dataObjectId ?? undefined;
    onSearch({ characteristic: characteristic.id, data: dataId, bookmark: undefined });
    setFlight(characteristic);
  };

  if (data.error && !data.data) return <ProblemPage query={data} />;
  if (data.isSuccess && dataObjects.length === 0)
    return (
      <EmptyOverview form={form}>
        <FirstUpload projectId={project.id} reason={reasonAgainst(project, 'upload')} />
      </EmptyOverview>
    );
  return (
    <>
      <InspectionSheet {...{ project, editReason }} chosenId={search.characteristic} onChoose={choose} />
      <section
        ref={picture}
        className={classes.viewer}
        aria-labelledby="viewer-title"
        data-presenting={story.isPresenting || undefined}
      >
        <VisuallyHidden component="h2" id="viewer-title">
          Viewer
        </VisuallyHidden>
        <SharedViewBar shared={shared} projectId={project.id} />
        {data.isPending || (waits && !wasReady.current) ? (
          <Skeleton height="100%" radius={0} role="status" aria-label="Loading the viewer" />
        ) : (
          <ShownView
            {...{ comparison, dataObjects, selected, plan, actions }}
            onLeaveComparison={leaveComparison}
            pictureName={project.name}
            viewState={wanted}
            onViewStateChange={keep}
            pinned={pinned}
            measure={measuring.props}
            live={shared.live}
            ref={viewer}
          />
        )}
        {story.isPresenting && <Presenting story={story} />}
      </section>
      {form ? (
        <FormAside>{form}</FormAside>
      ) : (
        <aside className={classes.aside} aria-label="Results and details">
          <KeptViews
            {...{ project, story, bookmarkId, onBookmark, hasStory, onStory }}
            view={keptView}
            show={show}
          />
          <ResultsAside
            {...{ ...props, dataObjects, shown, measuring, leaveComparison }}
            takesFocus={hadForm}
            showPoint={(pointMm) => showAt(viewer, pointMm, show)}
          />
        </aside>
      )}
    </>
  );
}

interface ResultsAsideProps extends OverviewTabProps {
  dataObjects: readonly DataObject[];
  shown: DataObject | null;
  measuring: ReturnType<typeof useMeasuring>;
  leaveComparison: () => void;
  /** whether a form that was here has just been left */
  takesFocus: boolean;
  showPoint: (pointMm: Vector3) => void;
}

/** The state of the analyses, what was measured by hand, and the figures of what is shown. */
function ResultsAside({
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
      <MeasurementsPanel project={project} measuring={measuring} reason={editReason} />
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

/** The bookmarks in their order, and what is said of the one that is shown. */
const KeptViews = ({
  project,
  story,
  hasStory,
  onStory,
  bookmarkId,
  onBookmark,
  view,
  show,
}: Pick<OverviewTabProps, 'project'> & {
  story: StoryModel;
  /** whether the bookmarks are listed beside the view */
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

/** What is brought into sight once something is done there: on a phone the results, where that is begun, are below it. */
function useInSight(isNeeded: boolean): RefObject<HTMLElement | null> {
  const target = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isNeeded) target.current?.scrollIntoView({ block: 'nearest' });
  }, [isNeeded]);
  return target;
}

/** Whether a form was here before, so that who sent or left it goes on from where it was opened. */
function useHadForm(form: ReactNode | null): boolean {
  const had = useRef(false);
  useEffect(() => {
    if (form) had.current = true;
  }, [form]);
  return had.current;
}

/** In place of the results: what is shown beside it is what it changes. */
const FormAside = ({ children }: { children: ReactNode }) => (
  <aside className={classes.aside} aria-label="Analysis to start" data-form>
    {children}
  </aside>
);

/** Of a project without data: the first step, and beside it a form that somebody has opened all the same. */
const EmptyOverview = ({ form, children }: { form: ReactNode | null; children: ReactNode }) => (
  <>
    <Box p="md" maw={820} w="100%" mx="auto" style={{ gridColumn: form ? 1 : '1 / -1', gridRow: '1 / -1' }}>
      {children}
    </Box>
    {form && <FormAside>{form}</FormAside>}
  </>
);
