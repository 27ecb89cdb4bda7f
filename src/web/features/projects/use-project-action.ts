/** Performs an action on one project: its row is marked as busy, and a toast offers Undo. */
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import type { Project } from '#contract/shapes/project.ts';
import { explain } from '#web/api/errors.ts';
import { refresh } from '#web/api/refresh.ts';
import { notifyWithUndo } from '#web/ui/undo-toast.tsx';
import type { ProjectAction } from './project-actions.ts';

const stale = [
  'listProjects',
  'readProject',
  'readProjectStatus',
  'listWorkspaces',
  'readOrganization',
] as const;

export function useProjectAction() {
  const queryClient = useQueryClient();
  const [busy, setBusy] = useState<ReadonlyMap<string, string>>(new Map());

  /** @throws if the action fails */
  const attempt = useCallback(
    async ({ doing, done, run: act }: ProjectAction, project: Project): Promise<void> => {
      const during = async <Result>(what: string, work: () => Promise<Result>) => {
        setBusy((before) => new Map(before).set(project.id, what));
        try {
          return await work();
        } finally {
          await refresh(queryClient, ...stale);
          setBusy((before) => new Map([...before].filter(([id]) => id !== project.id)));
        }
      };
      const undo = await during(doing, () => act(project));
      const text = `“${project.name}” ${done}`;
      if (undo === null) notifications.show({ message: text });
      else
        notifyWithUndo(
          text,
          () => void during('Undoing', undo).catch(notifyRefusal(project, 'could not be undone')),
        );
    },
    [queryClient],
  );
  /** Shows a failure in a toast. */
  const run = useCallback(
    (action: ProjectAction, project: Project) =>
      attempt(action, project).catch(notifyRefusal(project, `not ${action.done}`)),
    [attempt],
  );

  return { attempt, run, busy };
}

const notifyRefusal = (project: Project, what: string) => (error: unknown) =>
  notifications.show({
    color: 'danger',
    autoClose: false,
    message: `“${project.name}” ${what}: ${explain(error).detail}`,
  });
