import { Skeleton } from '@mantine/core';
import { type ComponentProps, lazy, Suspense } from 'react';
import classes from './compare-page.module.css';

const CompareView = lazy(() => import('#web/viewer/compare/CompareView.tsx'));

/** The panes of a comparison; the viewer's code is loaded with the first pane. */
export function CompareStage(props: ComponentProps<typeof CompareView>) {
  return (
    <div className={classes.stage}>
      <Suspense fallback={<Skeleton height="100%" radius={0} role="status" aria-label="Loading the scans" />}>
        <CompareView {...props} />
      </Suspense>
    </div>
  );
}
