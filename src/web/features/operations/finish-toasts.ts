import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { findTitle } from '#contract/analyses/registry.ts';
import type { Operation } from '#web/api/generated/types.gen.ts';
import { spellOut } from '#web/ui/quantity.ts';
import { EndWatch } from './end-watch.ts';
import { projectOperationsOptions } from './queries.ts';

/** Shows a toast when an operation of this project has ended; calls `onCompleted` with a completed one. */
export function useFinishToasts(projectId: string, onCompleted: (operation: Operation) => void): void {
  const { data, isStale } = useQuery(projectOperationsOptions(projectId));
  const watch = useRef<EndWatch>(undefined);
  const callback = useRef(onCompleted);
  callback.current = onCompleted;
  useEffect(() => {
    if (!data) return;
    watch.current ??= new EndWatch();
    for (const each of watch.current.look(data.results, !isStale)) {
      const { status, operation, error } = each;
      const title = findTitle(operation) ?? spellOut(operation);
      if (status === 'completed') {
        notifications.show({ message: `${title}: done` });
        callback.current(each);
      }
      if (status === 'failed')
        notifications.show({
          color: 'danger',
          title: `${title} failed`,
          message: error?.detail ?? 'See the list of operations.',
          autoClose: 12_000,
        });
    }
  }, [data, isStale]);
}
