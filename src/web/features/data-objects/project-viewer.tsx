import { Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, type RefObject, Suspense, useEffect, useMemo } from 'react';
import { findHolder } from '#contract/analyses/choose-pictures.ts';
import { readPose } from '#contract/analyses/data-kinds.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { DataObject } from '#web/api/generated/types.gen.ts';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import type { ScanViewerHandle, ScanViewerProps } from '#web/viewer/ScanViewer.tsx';
import type { MeasureProps } from '#web/viewer/state/measuring.ts';
import { makingOptions, resolutionOptions } from './queries.ts';
import {
  choosePinned,
  chooseShown,
  isVolume,
  openPosed,
  openReference,
  openSlices,
  openSurface,
  previewOptions,
  volumeDescription,
} from './viewer-sources.ts';

const ScanViewer = lazy(() => import('#web/viewer/ScanViewer.tsx'));

interface ViewerPlan {
  volumeId: string | null;
  surface: ScanViewerProps['plan'];
  /** scan → reference, 4 × 4 row-major */
  pose: { referenceId: string; matrix: readonly number[] } | null;
}

export interface ProjectViewerProps {
  dataObjects: readonly DataObject[];
  selected: DataObject | null;
  pictureName: string;
  viewState: ViewState | null;
  onViewStateChange: (state: ViewState) => void;
  /** overrides the selection with the data objects of a view; null = the selection determines what is shown */
  pinned: Pick<ViewState, 'volumeId' | 'meshId' | 'alignmentId'> | null;
  /** the planned surface, and the initial pose of the reference */
  plan: ViewerPlan | null;
  measure: MeasureProps;
  /** sends and receives the view while it is shared live */
  live: Pick<ScanViewerProps, 'onMove' | 'followed'>;
  /** the page's own buttons in the viewer's toolbar */
  actions?: ReactNode;
  /** where the viewer's panels and its table of places open */
  panelHolder: HTMLElement | null;
  listHolder: HTMLElement | null;
  ref?: RefObject<ScanViewerHandle | null>;
}

/** The viewer with the project's data: three slices of the volume, and the selected surface. */
export function ProjectViewer({
  dataObjects,
  selected,
  pictureName,
  viewState,
  onViewStateChange,
  pinned,
  plan,
  measure,
  live,
  actions,
  panelHolder,
  listHolder,
  ref,
}: ProjectViewerProps) {
  const choose = (inputIds: readonly string[]) =>
    pinned ? choosePinned(dataObjects, pinned, inputIds) : chooseShown(dataObjects, selected, inputIds);
  const ownAlignmentId = selected && readPose(selected) ? selected.id : null;
  const alignmentId = pinned ? pinned.alignmentId : ownAlignmentId;
  const firstHolder = findHolder(dataObjects, alignmentId, choose([]).surface);
  const madeBy = ((pinned ? null : selected) ?? firstHolder)?.createdByOperation ?? null;
  const making = useQuery({
    ...makingOptions(madeBy ?? ''),
    enabled: madeBy !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { volume: shownVolume, surface, reference } = choose(making.data?.inputDataObjectIds ?? []);
  const ready = dataObjects.filter(({ status }) => status === 'completed');
  const volume = ready.filter(isVolume).find(({ id }) => id === plan?.volumeId) ?? shownVolume;
  const posed = ready.find(({ id }) => id === plan?.pose?.referenceId) ?? null;
  const holder = findHolder(ready, alignmentId, surface);
  const resolution = useQuery({ ...resolutionOptions(volume?.id ?? ''), enabled: volume !== null });
  const description = useMemo(
    () => (volume && resolution.data ? volumeDescription(volume, resolution.data) : null),
    [volume, resolution.data],
  );
  const slices = useMemo(() => (description ? openSlices(description) : null), [description]);
  const queryClient = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id identifies the volume, not the object
  const preview = useMemo(
    () =>
      volume &&
      ((signal: AbortSignal) => {
        const options = previewOptions(volume);
        signal.addEventListener('abort', () => queryClient.cancelQueries(options));
        return queryClient.fetchQuery(options);
      }),
    [volume?.id, queryClient],
  );
  // Loads the preview while the viewer's code is loading.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id identifies the volume, not the object
  useEffect(() => {
    if (volume) void queryClient.prefetchQuery(previewOptions(volume));
  }, [volume?.id, queryClient]);
  const surfaceSource = useMemo(() => (surface ? openSurface(surface) : null), [surface]);
  const shownReference = useMemo(
    () => (holder && reference ? openReference(holder, reference) : null),
    [holder, reference],
  );
  const posedSurface = useMemo(() => (posed ? openPosed(posed) : null), [posed]);
  const pose = plan?.pose ?? null;
  const referenceSource = useMemo(
    () => (posedSurface && pose ? posedSurface(pose.matrix) : shownReference),
    [posedSurface, pose, shownReference],
  );

  if (resolution.error && !resolution.data) return <ProblemAlert query={resolution} />;
  return (
    <Suspense fallback={<Skeleton height="100%" radius={0} role="status" aria-label="Loading the viewer" />}>
      <ScanViewer
        volume={volume ? (description ?? undefined) : null}
        slices={slices}
        preview={preview}
        surface={surfaceSource}
        reference={referenceSource}
        alignmentId={alignmentId}
        plan={plan?.surface ?? null}
        viewState={viewState}
        onViewStateChange={onViewStateChange}
        pictureName={pictureName}
        measure={measure}
        {...live}
        actions={actions}
        panelHolder={panelHolder}
        listHolder={listHolder}
        ref={ref}
      />
    </Suspense>
  );
}
