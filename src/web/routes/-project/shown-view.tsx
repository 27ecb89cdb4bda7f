import type { RefObject } from 'react';
import { ProjectViewer, type ProjectViewerProps } from '#web/features/data-objects/project-viewer.tsx';
import type { KeptView } from '#web/viewer/ScanViewer.tsx';
import { KeptComparison } from '../-compare/kept-comparison.tsx';

interface ShownViewProps extends ProjectViewerProps {
  comparison: RefObject<KeptView | null>;
  onLeaveComparison: () => void;
}

/** The project's own scan, or the comparison stored in the view. */
export function ShownView({ comparison, onLeaveComparison, ...props }: ShownViewProps) {
  const { viewState, onViewStateChange, actions } = props;
  if (!viewState?.compare) return <ProjectViewer {...props} />;
  return (
    <KeptComparison
      viewState={viewState}
      compare={viewState.compare}
      onViewStateChange={onViewStateChange}
      onLeave={onLeaveComparison}
      actions={actions}
      ref={comparison}
    />
  );
}
