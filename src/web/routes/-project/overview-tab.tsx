import { Box, Skeleton, VisuallyHidden } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import type { AnalysisKind } from '#contract/analyses/registry.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import type { Characteristic, DataObject, DataObjectPage, Project } from '../../api/generated/types.gen.ts';
import { AnalysesPanel } from '../../features/analyses/analyses-panel.tsx';
import type { FormPlan } from '../../features/analyses/form-plan.ts';
import { BookmarkButton } from '../../features/bookmarks/bookmark-button.tsx';
import { BookmarkPanel } from '../../features/bookmarks/bookmark-panel.tsx';
import { Presenting } from '../../features/bookmarks/presenting.tsx';
import { bookmarkOptions } from '../../features/bookmarks/queries.ts';
import { StoryPanel } from '../../features/bookmarks/story-panel.tsx';
import { type StoryModel, useStory } from '../../features/bookmarks/use-story.ts';
import { DataObjectDetails } from '../../features/data-objects/data-object-details.tsx';
import type { ParameterRows, RunAgain } from '../../features/data-objects/provenance-panel.tsx';
import { useViewInAddress } from '../../features/data-objects/view-in-address.ts';
import { choosePictures, pinnedPictures } from '../../features/data-objects/viewer-sources.ts';
import { InspectionSheet } from '../../features/inspection/inspection-sheet.tsx';
import { MeasurementsPanel } from '../../features/measurements/measurements-panel.tsx';
import { useMeasuring } from '../../features/measurements/use-measuring.ts';
import { lacksReference, reasonAgainst } from '../../features/project/capability.ts';
import { SharedViewBar } from '../../features/sharing/shared-view-bar.tsx';
import { type SharedViewModel, useSharedView } from '../../features/sharing/use-shared-view.ts';
import { FirstUpload, UploadButton } from '../../features/uploads/drop-files.tsx';
import { useCommands } from '../../ui/commands.ts';
import { ProblemPage } from '../../ui/problem-alert.tsx';
import type { KeptView, ScanViewerHandle } from '../../viewer/ScanViewer.tsx';
import { defaultViewState } from '../../viewer/state/view-state.ts';
import classes from './project-page.module.css';
import { ShownView } from './shown-view.tsx';

interface OverviewTabProps {
  project: Project;
  data: UseQueryResult<DataObjectPage, unknown>;
  selected: DataObject | null;
  /** the figures of a data object; null where its kind has none */
  result: (dataObject: DataObject, onShowPoint?: (pointMm: Vector3) => void) => ReactNode | null;
  /** the bookmark whose view is shown */
  bookmarkId: string | undefined;
  onBookmark: (bookmarkId: string | undefined) => void;
  /** whether the bookmarks are listed beside the view */
  hasStory: boolean;
  onStory: (isOpen: boolean) => void;
  /** whose view is presented or followed live */
  presenterId: string | undefined;
  onPresenter: (presenterId: string | undefined) => void;
  /** of an analysis, in place of the results; null = none is open */
  form: ReactNode | null;
  /** what the slices show of it */
  plan: FormPlan | null;
  onSelect: (dataObjectId: string) => void;
  /** the row of the inspection sheet that is pointed at */
  characteristicId: string | undefined;
  onCharacteristic: (characteristic: Characteristic) => void;
  onRun: (kind: AnalysisKind) => void;
  again: RunAgain;
  parameterRows: ParameterRows;
  onShowOperations: () => void;
  onShowRuns: () => void;
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

/** The viewer large, beside it the state of the analyses and what is selected. */
export function OverviewTab({
  project,
  data,
  selected,
  result,
  bookmarkId,
  onBookmark,
  hasStory,
  onStory,
  presenterId,
  onPresenter,
  form,
  plan,
  onSelect,
  characteristicId,
  onCharacteristic,
  onRun,
  again,
  parameterRows,
  onShowOperations,
  onShowRuns,
}: OverviewTabProps) {
  const viewer = useRef<ScanViewerHandle>(null);
  const comparison = useRef<KeptView>(null);
  const { viewState, keep, show } = useViewInAddress();
  const [naming, setNaming] = useState(false);
  const bookmark = useQuery({ ...bookmarkOptions(bookmarkId ?? ''), enabled: bookmarkId !== undefined });
  const kept = bookmarkId === undefined ? undefined : bookmark.data?.viewState;
  // The address goes before the bookmark: one has moved on from its view since.
  const wanted = viewState === null ? (kept ?? null) : viewState;
  const keptView = wanted?.compare ? comparison : viewer;
  const waits = viewState === undefined || (bookmarkId !== undefined && bookmark.isPending);
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
  const best = kept ? pinnedPictures(dataObjects, kept, []) : choosePictures(dataObjects, selected, []);
  const shown = (kept ? null : selected) ?? best.surface ?? best.volume;
  const measuring = useMeasuring({
    projectId: project.id,
    dataObjectId: (best.volume ?? best.surface)?.id ?? null,
    hasSurface: best.surface !== null,
    viewer,
    shown: wanted?.measurements,
  });
  const picture = useInSight(measuring.draft !== null);
  const showPoint = (pointMm: Vector3) => showAt(viewer, pointMm, show);
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

  if (data.error && !data.data) return <ProblemPage query={data} />;
  if (data.isSuccess && dataObjects.length === 0)
    return (
      <EmptyOverview form={form}>
        <FirstUpload projectId={project.id} reason={reasonAgainst(project, 'upload')} />
      </EmptyOverview>
    );
  return (
    <>
      <InspectionSheet
        project={project}
        editReason={editReason}
        chosenId={characteristicId}
        onChoose={(characteristic) => {
          leaveComparison();
          onCharacteristic(characteristic);
          setFlight(characteristic);
        }}
      />
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
            viewState={wanted ?? null}
            onViewStateChange={keep}
            pinned={kept ?? null}
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
          <AnalysesPanel
            projectId={project.id}
            dataObjects={dataObjects}
            selectedId={shown?.id ?? null}
            reasonAgainst={(kind: AnalysisKind) => reasonAgainst(project, kind)}
            lacksReference={(kind: AnalysisKind) => lacksReference(project, kind)}
            onSelect={(id) => {
              leaveComparison();
              onSelect(id);
            }}
            onRun={onRun}
            takesFocus={hadForm}
            again={again}
            onShowOperation={onShowOperations}
            onShowRuns={onShowRuns}
            upload={<UploadCad project={project} />}
          />
          <MeasurementsPanel project={project} measuring={measuring} reason={editReason} />
          {shown && (
            <div className={classes.selected}>
              <DataObjectDetails
                key={shown.id}
                project={project}
                editReason={editReason}
                dataObject={shown}
                dataObjects={dataObjects}
                result={result(shown, showPoint)}
                again={again}
                parameterRows={parameterRows}
              />
            </div>
          )}
        </aside>
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
}: Pick<OverviewTabProps, 'project' | 'hasStory' | 'onStory' | 'bookmarkId' | 'onBookmark'> & {
  story: StoryModel;
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
