import type { RefObject } from 'react';
import { ProjectViewer, type ProjectViewerProps } from '../../features/data-objects/project-viewer.tsx';
import type { KeptView } from '../../viewer/ScanViewer.tsx';
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
