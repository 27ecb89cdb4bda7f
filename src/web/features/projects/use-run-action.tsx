/** Runs an action on many projects: rows are marked, a toast tells how far it is, and undoes it. */
import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { formatCount } from '#contract/base/format-number.ts';
import type { Project } from '#contract/shapes/project.ts';
import { explain } from '../../api/errors.ts';
import { keyMatches } from '../../api/live-event-queries.ts';
import { FailedProjects } from './failed-projects.tsx';
import type { ProjectAction, Undo } from './project-actions.ts';
import { type Outcome, runOnEach } from './run-on-each.ts';

const atOnce = 4;
/** From this many on, the toast shows how far it is. */
const showsProgressFrom = 5;
const undoMs = 12_000;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const sayCount = (count: number, only: Project | undefined): string =>
  count === 1 && only !== undefined ? `“${only.name}”` : `${formatCount(count)} projects`;

interface RunningToast {
  text: string;
  fraction: number;
  onStop: () => void;
}

const RunningToastBody = ({ text, fraction, onStop }: RunningToast) => (
  <Stack gap={6}>
    <Group justify="space-between" wrap="nowrap">
      <Text size="md">{text}</Text>
      <Button variant="subtle" size="compact-xs" onClick={onStop}>
        Stop
      </Button>
    </Group>
    <Progress value={fraction * 100} size="sm" aria-label={text} />
  </Stack>
);

interface DoneToast {
  text: string;
  onUndo: (() => void) | null;
  onShowFailed: (() => void) | null;
}

const DoneToastBody = ({ text, onUndo, onShowFailed }: DoneToast) => (
  <Group justify="space-between" wrap="nowrap" gap="sm">
    <Text size="md">{text}</Text>
    <Group gap={4} wrap="nowrap">
      {onShowFailed !== null && (
        <Button variant="subtle" color="danger" size="compact-xs" onClick={onShowFailed}>
          Show
        </Button>
      )}
      {onUndo !== null && (
        <Button variant="light" size="compact-xs" onClick={onUndo}>
          Undo
        </Button>
      )}
    </Group>
  </Group>
);

export interface RunAction {
  run: (action: ProjectAction, projects: readonly Project[]) => Promise<void>;
  /** what is under way, by project: `Archiving` */
  busy: ReadonlyMap<string, string>;
}

export function useRunAction(): RunAction {
  const queryClient = useQueryClient();
  const [busy, setBusy] = useState<ReadonlyMap<string, string>>(new Map());

  const refresh = useCallback(
    () =>
      queryClient.invalidateQueries({
        predicate: ({ queryKey }) =>
          (
            [
              'listProjects',
              'readProject',
              'readProjectStatus',
              'listWorkspaces',
              'readOrganization',
            ] as const
          ).some((operation) => keyMatches(queryKey, { operation })),
      }),
    [queryClient],
  );

  const mark = useCallback((projects: readonly Project[], doing: string | null) => {
    setBusy((before) => {
      const next = new Map(before);
      for (const { id } of projects) {
        if (doing === null) next.delete(id);
        else next.set(id, doing);
      }
      return next;
    });
  }, []);

  const withToast = useCallback(
    async <Result,>(
      doing: string,
      projects: readonly Project[],
      work: (project: Project) => Promise<Result>,
    ) => {
      const toast = `projects-${crypto.randomUUID()}`;
      const stop = new AbortController();
      const total = projects.length;
      const body = (finished: number) => ({
        id: toast,
        autoClose: false as const,
        withCloseButton: false,
        message: (
          <RunningToastBody
            text={`${doing} ${formatCount(finished)} of ${formatCount(total)}`}
            fraction={finished / total}
            onStop={() => stop.abort()}
          />
        ),
      });
      const showsProgress = total >= showsProgressFrom;
      if (showsProgress) notifications.show(body(0));
      mark(projects, doing);
      const outcomes = await runOnEach(projects, work, {
        limit: atOnce,
        signal: stop.signal,
        onOutcome: (finished) => showsProgress && notifications.update(body(finished)),
        wait: pause,
      });
      if (showsProgress) notifications.hide(toast);
      await refresh();
      mark(projects, null);
      return outcomes;
    },
    [mark, refresh],
  );

  const run = useCallback(
    async (action: ProjectAction, projects: readonly Project[]): Promise<void> => {
      const outcomes = await withToast(action.doing, projects, action.run);
      const failed = outcomes.filter(({ status }) => status === 'failed');
      const stopped = outcomes.filter(({ status }) => status === 'stopped').length;
      const done = outcomes.filter(({ status }) => status === 'done');
      const undos = done.flatMap(({ item, result }): { item: Project; undo: Undo }[] =>
        result ? [{ item, undo: result }] : [],
      );
      const toast = `projects-${crypto.randomUUID()}`;
      const undo = async () => {
        notifications.hide(toast);
        const byId = new Map(undos.map(({ item, undo: each }) => [item.id, each]));
        const undone = await withToast(
          'Undoing',
          undos.map(({ item }) => item),
          (project) => byId.get(project.id)?.() ?? Promise.resolve(),
        );
        const notUndone = undone.filter(({ status }) => status === 'failed');
        if (notUndone.length > 0) showFailed('could not be undone', notUndone);
      };
      const [first] = outcomes;
      const words = [
        done.length > 0 ? `${sayCount(done.length, done[0].item)} ${action.done}` : null,
        failed.length === 1 && outcomes.length === 1
          ? `“${first.item.name}” not ${action.done}: ${explain(first.error).detail}`
          : failed.length > 0
            ? `${formatCount(failed.length)} failed`
            : null,
        stopped > 0 ? `${formatCount(stopped)} not begun` : null,
      ];
      notifications.show({
        id: toast,
        color: failed.length > 0 ? 'danger' : undefined,
        autoClose: failed.length > 0 ? false : undoMs,
        closeButtonProps: { 'aria-label': 'Close' },
        message: (
          <DoneToastBody
            text={words.filter((word) => word !== null).join(', ')}
            onUndo={undos.length > 0 ? undo : null}
            onShowFailed={
              failed.length > 0 && outcomes.length > 1
                ? () =>
                    showFailed(`not ${action.done}`, failed, () => {
                      notifications.hide(toast);
                      void run(
                        action,
                        failed.map(({ item }) => item),
                      );
                    })
                : null
            }
          />
        ),
      });
    },
    [withToast],
  );

  return { run, busy };
}

function showFailed(what: string, failed: Outcome<Project, unknown>[], onRetry?: () => void): void {
  const id = modals.open({
    title: `${sayCount(failed.length, failed[0]?.item)} ${what}`,
    size: 'lg',
    closeButtonProps: { 'aria-label': 'Close' },
    children: (
      <FailedProjects
        failed={failed}
        onRetry={
          onRetry &&
          (() => {
            modals.close(id);
            onRetry();
          })
        }
      />
    ),
  });
}
