import { useMutation, useQuery } from '@tanstack/react-query';
import { isUnfinished } from '#contract/base/primitives.ts';
import {
  cancelDataViewMutation,
  readDataViewStateOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { WorkActions, WorkProgress } from '#web/ui/work.tsx';
import classes from './preview-progress.module.css';
import { previewQuery } from './viewer-sources.ts';

/** How far the preview of a volume is that the service prepares; stopped and retried here. */
export function PreviewProgress({ volumeId, onRetry }: { volumeId: string; onRetry: () => void }) {
  const options = readDataViewStateOptions({ path: { id: volumeId }, query: previewQuery });
  const state = useQuery(options);
  const stop = useMutation({
    ...cancelDataViewMutation(),
    onSettled: (_data, _error, _variables, _result, { client }) =>
      client.invalidateQueries({ queryKey: options.queryKey }),
  });
  const view = state.data?.view;
  if (!view || view.status === 'completed') return null;
  return (
    <section className={classes.bar} aria-label="Preview">
      {isUnfinished(view.status) ? (
        <WorkProgress name="the preview" progress={view.progress} stage="Preparing the preview" />
      ) : (
        <span>{view.status === 'cancelled' ? 'Preview stopped' : 'Preview failed'}</span>
      )}
      <WorkActions
        name="the preview"
        status={view.status}
        isPending={stop.isPending}
        onStop={() => stop.mutate({ path: { id: volumeId }, query: previewQuery })}
        onRetry={onRetry}
      />
      <ProblemAlert error={stop.error} />
    </section>
  );
}
