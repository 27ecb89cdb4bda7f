import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { findTitle } from '#contract/analyses/registry.ts';
import { isUnfinished } from '#contract/base/primitives.ts';
import type { Operation } from '#web/api/generated/types.gen.ts';
import { spellOut } from '#web/ui/quantity.ts';
import { projectOperationsOptions } from './queries.ts';

/** Says when something that was seen running in this project has ended, with what came of it to `onCompleted`. */
export function useFinishToasts(projectId: string, onCompleted: (operation: Operation) => void): void {
  const { data } = useQuery(projectOperationsOptions(projectId));
  const running = useRef(new Set<string>());
  const tell = useRef(onCompleted);
  tell.current = onCompleted;
  useEffect(() => {
    for (const each of data?.results ?? []) {
      const { id, status, operation, error } = each;
      if (isUnfinished(status)) running.current.add(id);
      else if (running.current.delete(id)) {
        const title = findTitle(operation) ?? spellOut(operation);
        if (status === 'completed') {
          notifications.show({ message: `${title}: done` });
          tell.current(each);
        }
        if (status === 'failed')
          notifications.show({
            color: 'danger',
            title: `${title} failed`,
            message: error?.detail ?? 'The list of operations says more.',
            autoClose: 12_000,
          });
      }
    }
  }, [data]);
}
