import { Box, Skeleton, VisuallyHidden } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import type { AnalysisKind } from '#contract/analyses/kinds.ts';
import { explain } from '../../api/errors.ts';
import type { DataObject, DataObjectPage, Operation, Project } from '../../api/generated/types.gen.ts';
import { AnalysesPanel } from '../../features/analyses/analyses-panel.tsx';
import { DataObjectDetails } from '../../features/data-objects/data-object-details.tsx';
import { ProjectViewer } from '../../features/data-objects/project-viewer.tsx';
import { useViewInAddress } from '../../features/data-objects/view-in-address.ts';
import { choosePictures } from '../../features/data-objects/viewer-sources.ts';
import { reasonAgainst } from '../../features/project/capability.ts';
import { FirstUpload } from '../../features/uploads/drop-files.tsx';
import { ProblemPage } from '../../ui/problem-alert.tsx';
import type { ScanViewerHandle } from '../../viewer/ScanViewer.tsx';
import classes from './project-page.module.css';
import type { ProjectPageSearch } from './project-search.ts';

interface OverviewTabProps {
  project: Project;
  data: UseQueryResult<DataObjectPage, unknown>;
  selected: DataObject | null;
  /** the figures of a data object; null where its kind has none */
  result: (
    dataObject: DataObject,
    onShowPoint?: (pointMm: [number, number, number]) => void,
  ) => ReactNode | null;
  onSelect: (dataObjectId: string) => void;
  onRun: (kind: NonNullable<ProjectPageSearch['run']>) => void;
  onRunAgain: (operation: Operation) => void;
  onShowOperations: () => void;
}

/** The viewer large, beside it the state of the analyses and what is selected. */
export function OverviewTab({
  project,
  data,
  selected,
  result,
  onSelect,
  onRun,
  onRunAgain,
  onShowOperations,
}: OverviewTabProps) {
  const viewer = useRef<ScanViewerHandle>(null);
  const { viewState, keep, show } = useViewInAddress();
  const dataObjects = data.data?.results ?? [];
  // Who opens a project sees its best result at once, without having to choose it.
  const best = choosePictures(dataObjects, selected, []);
  const shown = selected ?? best.surface ?? best.volume;
  const showPoint = (cursorMm: [number, number, number]) => {
    const state = viewer.current?.state();
    if (state) show({ ...state, cursorMm });
  };

  if (data.error && !data.data)
    return <ProblemPage {...explain(data.error)} onRetry={() => void data.refetch()} />;
  if (data.isSuccess && dataObjects.length === 0)
    return (
      <Box p="md" maw={820} w="100%" mx="auto" style={{ gridColumn: '1 / -1' }}>
        <FirstUpload projectId={project.id} reason={reasonAgainst(project, 'upload')} />
      </Box>
    );
  return (
    <>
      <section className={classes.viewer} aria-labelledby="viewer-title">
        <VisuallyHidden component="h2" id="viewer-title">
          Viewer
        </VisuallyHidden>
        {data.isPending || viewState === undefined ? (
          <Skeleton height="100%" radius={0} aria-label="Loading the viewer" />
        ) : (
          <ProjectViewer
            dataObjects={dataObjects}
            selected={selected}
            pictureName={project.name}
            viewState={viewState}
            onViewStateChange={keep}
            ref={viewer}
          />
        )}
      </section>
      <aside className={classes.aside} aria-label="Results and details">
        <AnalysesPanel
          projectId={project.id}
          dataObjects={dataObjects}
          selectedId={shown?.id ?? null}
          reasonAgainst={(kind: AnalysisKind) => reasonAgainst(project, kind)}
          onSelect={onSelect}
          onRun={onRun}
          onShowOperation={onShowOperations}
        />
        {shown && (
          <div className={classes.selected}>
            <DataObjectDetails
              key={shown.id}
              dataObject={shown}
              dataObjects={dataObjects}
              result={result(shown, showPoint)}
              onRunAgain={onRunAgain}
            />
          </div>
        )}
      </aside>
    </>
  );
}
