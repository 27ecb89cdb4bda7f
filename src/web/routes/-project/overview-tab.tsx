import { Box, Skeleton, VisuallyHidden } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { findHolder } from '#contract/analyses/choose-pictures.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import type { Characteristic, DataObject, DataObjectPage } from '#web/api/generated/types.gen.ts';
import type { FormPlan } from '#web/features/analyses/form-plan.ts';
import { BookmarkButton } from '#web/features/bookmarks/bookmark-button.tsx';
import { Presenting } from '#web/features/bookmarks/presenting.tsx';
import { bookmarkOptions } from '#web/features/bookmarks/queries.ts';
import { useStory } from '#web/features/bookmarks/use-story.ts';
import { useViewInAddress } from '#web/features/data-objects/view-in-address.ts';
import { choosePinned, chooseShown } from '#web/features/data-objects/viewer-sources.ts';
import { InspectionSheet } from '#web/features/inspection/inspection-sheet.tsx';
import { MeasureMenu } from '#web/features/measurements/measurements-panel.tsx';
import { useMeasuring } from '#web/features/measurements/use-measuring.ts';
import { reasonAgainst } from '#web/features/projects/capability.ts';
import { SharedViewBar } from '#web/features/sharing/shared-view-bar.tsx';
import { type SharedViewModel, useSharedView } from '#web/features/sharing/use-shared-view.ts';
import { FirstUpload } from '#web/features/uploads/drop-files.tsx';
import { useCommands } from '#web/ui/commands.ts';
import { ProblemPage } from '#web/ui/problem-alert.tsx';
import type { KeptView, ScanViewerHandle } from '#web/viewer/ScanViewer.tsx';
import { defaultViewState } from '#web/viewer/state/view-state.ts';
import { Aside, KeptViews, ResultsAside, type ResultsProps } from './overview-aside.tsx';
import classes from './project-page.module.css';
import type { ProjectPageSearch } from './project-search.ts';
import { ShownView } from './shown-view.tsx';
import { usePinnedView } from './use-pinned-view.ts';

export interface OverviewTabProps extends ResultsProps {
  data: UseQueryResult<DataObjectPage, unknown>;
  selected: DataObject | null;
  /** form of an analysis, shown in place of the results; null = no form is open */
  form: ReactNode | null;
  /** what the slices show of the open form */
  plan: FormPlan | null;
  search: ProjectPageSearch;
}

/** Commands for the view as a whole, with keys and in the palette. */
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

/** Moves the camera to a place once the viewer shows the result that contains it. */
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

/** The view given by the address or the bookmark, and a handle on the component that shows it: viewer or comparison. */
function useWantedView(bookmarkId: string | undefined) {
  const viewer = useRef<ScanViewerHandle>(null);
  const comparison = useRef<KeptView>(null);
  const { viewState, keep, show } = useViewInAddress();
  const bookmark = useQuery({ ...bookmarkOptions(bookmarkId ?? ''), enabled: bookmarkId !== undefined });
  const kept = bookmarkId === undefined ? undefined : bookmark.data?.viewState;
  // The address wins over the bookmark: the user has moved on from the bookmark's view.
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

/** The viewer, large; beside it the states of the analyses and the selected result. */
export function OverviewTab(props: OverviewTabProps) {
  const { project, data, selected, form, plan, search, onSearch } = props;
  const { bookmark: bookmarkId, live: presenterId } = search;
  const hasStory = search.story === 'open';
  const onBookmark = (bookmark: string | undefined) => onSearch({ bookmark });
  const onStory = (isOpen: boolean) => onSearch({ story: isOpen ? 'open' : undefined });
  const onPresenter = (live: string | undefined) => onSearch({ live });
  const { viewer, comparison, keptView, wanted, kept, waits, keep, show } = useWantedView(bookmarkId);
  const [naming, setNaming] = useState(false);
  const [panelHolder, setPanelHolder] = useState<HTMLElement | null>(null);
  const [listHolder, setListHolder] = useState<HTMLElement | null>(null);
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
  // Opening a project shows its best result without a selection.
  const pinned = usePinnedView(kept, wanted, selected, dataObjects);
  const best = pinned ? choosePinned(dataObjects, pinned, []) : chooseShown(dataObjects, selected, []);
  const shown =
    (pinned ? findHolder(dataObjects, pinned.alignmentId, null) : selected) ?? best.surface ?? best.volume;
  const measuring = useMeasuring({
    projectId: project.id,
    dataObjectId: (best.volume ?? best.surface)?.id ?? null,
    surfaceId: best.surface?.id ?? null,
    viewer,
    shown: wanted?.measurements,
  });
  const picture = useInSight(measuring.draft !== null);
  const setFlight = useFlight(selected, viewer, show);
  const actions = (
    <>
      {!wanted?.compare && <MeasureMenu measuring={measuring} reason={editReason} />}
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
    </>
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
            {...{ comparison, dataObjects, selected, plan, actions, panelHolder, listHolder }}
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
      <Aside
        form={form}
        kept={
          <KeptViews
            {...{ project, story, bookmarkId, onBookmark, hasStory, onStory }}
            view={keptView}
            show={show}
          />
        }
        panelHolder={setPanelHolder}
        listHolder={setListHolder}
      >
        <ResultsAside
          {...{ ...props, dataObjects, shown, measuring, leaveComparison }}
          takesFocus={hadForm}
          showPoint={(pointMm) => showAt(viewer, pointMm, show)}
        />
      </Aside>
    </>
  );
}

/** Scrolls the element into view when needed: on a phone the results, where measuring starts, are below the viewer. */
function useInSight(isNeeded: boolean): RefObject<HTMLElement | null> {
  const target = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isNeeded) target.current?.scrollIntoView({ block: 'nearest' });
  }, [isNeeded]);
  return target;
}

/** Whether a form was open before; after sending or closing it the focus returns to where it was opened. */
function useHadForm(form: ReactNode | null): boolean {
  const had = useRef(false);
  useEffect(() => {
    if (form) had.current = true;
  }, [form]);
  return had.current;
}

/** A project without data: the first step, and a form beside it if one is open anyway. */
const EmptyOverview = ({ form, children }: { form: ReactNode | null; children: ReactNode }) => (
  <>
    <Box p="md" maw={820} w="100%" mx="auto" style={{ gridColumn: form ? 1 : '1 / -1', gridRow: '1 / -1' }}>
      {children}
    </Box>
    {form && <Aside form={form} />}
  </>
);
