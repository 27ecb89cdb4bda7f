/** From a click in a row or in the bar to the question that it asks and the work that it starts. */

import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import type { Project } from '#contract/shapes/project.ts';
import { explain } from '../../api/errors.ts';
import { formatCount } from '../../ui/quantity.ts';
import type { DestinationQuestion } from './destination-dialog.tsx';
import type { ProjectSearch } from './list-search.ts';
import {
  addTags,
  archive,
  copyTo,
  moveTo,
  type ProjectAction,
  remove,
  removeTags,
  restore,
  rightTo,
} from './project-actions.ts';
import type { RowAction } from './project-row-menu.tsx';
import { collectProjects } from './queries.ts';
import { type Selection, selectedCount } from './selection.ts';
import type { BulkAction } from './selection-bar.tsx';
import type { TagsQuestion } from './tags-dialog.tsx';
import { useRunAction } from './use-run-action.tsx';

interface ProjectDialogsInput {
  organizationId: string;
  search: ProjectSearch;
  selection: Selection<Project>;
  shown: readonly Project[];
  total: number;
  /** what was selected is taken care of */
  onDone: () => void;
}

/** What an answer will be for: one project of a row, or what is selected. */
type Target = { kind: 'one'; project: Project } | { kind: 'selection' };

type Open =
  | { kind: 'form'; project: Project | null }
  | { kind: 'destination'; question: DestinationQuestion; target: Target }
  | { kind: 'tags'; question: TagsQuestion; target: Target };

const direct = { archive, restore, delete: remove } as const;

export function useProjectDialogs(input: ProjectDialogsInput) {
  const { organizationId, search, selection, shown, total, onDone } = input;
  const [open, setOpen] = useState<Open | null>(null);
  const { run, busy } = useRunAction();
  const close = useCallback(() => setOpen(null), []);

  const selected = useMutation({
    mutationFn: async (action: ProjectAction) => {
      const projects =
        selection.kind === 'items'
          ? [...selection.items.values()]
          : await collectProjects(search, organizationId, selection.without);
      onDone();
      await run(action, projects);
    },
    onError: (error) => {
      const { title, detail } = explain(error);
      notifications.show({ color: 'red', title, message: detail, autoClose: false });
    },
  });

  const start = (action: ProjectAction, target: Target) => {
    setOpen(null);
    if (target.kind === 'one') void run(action, [target.project]);
    else selected.mutate(action);
  };

  const count = selectedCount(selection, total);
  const single = selection.kind === 'items' && count === 1 ? [...selection.items.values()][0] : null;
  const subjectOf = (project: Project | null) =>
    project === null ? `${formatCount(count)} projects` : `“${project.name}”`;

  const askDestination = (what: 'copy' | 'move', project: Project | null, target: Target) =>
    setOpen({
      kind: 'destination',
      target,
      question: {
        what,
        subject: subjectOf(project),
        name: what === 'copy' ? (project?.name ?? null) : null,
        from: project?.workspaceId ?? null,
      },
    });
  const askTags = (what: 'add' | 'remove', project: Project | null, target: Target) => {
    const known =
      selection.kind === 'items' && target.kind === 'selection' ? [...selection.items.values()] : shown;
    setOpen({
      kind: 'tags',
      target,
      question: {
        what,
        subject: subjectOf(project),
        suggestions: [...new Set(known.flatMap(({ tags }) => tags))].toSorted(),
      },
    });
  };

  const onRowAction = useCallback(
    (action: RowAction, project: Project) => {
      const target: Target = { kind: 'one', project };
      if (action === 'edit') {
        const { allowed, reason } = rightTo(project, 'edit');
        if (allowed) setOpen({ kind: 'form', project });
        else notifications.show({ color: 'yellow', message: `“${project.name}” can’t be edited: ${reason}` });
      } else if (action === 'tag')
        setOpen({
          kind: 'tags',
          target,
          question: { what: 'add', subject: `“${project.name}”`, suggestions: [] },
        });
      else if (action === 'copy' || action === 'move')
        setOpen({
          kind: 'destination',
          target,
          question: {
            what: action,
            subject: `“${project.name}”`,
            name: action === 'copy' ? project.name : null,
            from: project.workspaceId,
          },
        });
      else void run(direct[action], [project]);
    },
    [run],
  );

  const onBulkAction = (action: BulkAction) => {
    const target: Target = { kind: 'selection' };
    if (action === 'copy' || action === 'move') askDestination(action, single, target);
    else if (action === 'addTags') askTags('add', single, target);
    else if (action === 'removeTags') askTags('remove', single, target);
    else start(direct[action], target);
  };

  return {
    busy,
    form: open?.kind === 'form' ? open : null,
    destination: open?.kind === 'destination' ? open.question : null,
    tags: open?.kind === 'tags' ? open.question : null,
    create: useCallback(() => setOpen({ kind: 'form', project: null }), []),
    close,
    onRowAction,
    onBulkAction,
    onDestination: (workspaceId: string, name: string | undefined) => {
      if (open?.kind !== 'destination') return;
      start(open.question.what === 'copy' ? copyTo(workspaceId, name) : moveTo(workspaceId), open.target);
    },
    onTags: (tags: string[]) => {
      if (open?.kind !== 'tags') return;
      start(open.question.what === 'add' ? addTags(tags) : removeTags(tags), open.target);
    },
  };
}
