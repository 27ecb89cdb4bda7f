import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { isUnfinished, operationTitle } from './operation-words.ts';
import { projectOperationsOptions } from './queries.ts';

/** Says when something that was seen running in this project has ended. */
export function useFinishToasts(projectId: string): void {
  const { data } = useQuery(projectOperationsOptions(projectId));
  const running = useRef(new Set<string>());
  useEffect(() => {
    for (const { id, status, operation, error } of data?.results ?? []) {
      if (isUnfinished(status)) running.current.add(id);
      else if (running.current.delete(id)) {
        const title = operationTitle(operation);
        if (status === 'completed') notifications.show({ color: 'green', message: `${title}: done` });
        if (status === 'failed')
          notifications.show({
            color: 'red',
            title: `${title} failed`,
            message: error?.detail ?? 'The list of operations says more.',
            autoClose: 12_000,
          });
      }
    }
  }, [data]);
}
