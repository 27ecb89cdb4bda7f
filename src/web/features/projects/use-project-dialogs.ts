/** Connects a click in a row or in the selection bar to its dialog and to the request it sends. */

import { useCallbackRef } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { formatCount } from '#contract/base/format-number.ts';
import type { Project } from '#contract/shapes/project.ts';
import type { BulkQuestion } from './bulk-dialog.tsx';
import type { BulkProposal } from './bulk-preview.tsx';
import { reasonAgainst } from './capability.ts';
import { askPlace, type DestinationQuestion } from './destination-dialog.tsx';
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
} from './project-actions.ts';
import type { RowAction } from './project-row-menu.tsx';
import { projectIdsOptions } from './queries.ts';
import { type Selection, selectedCount } from './selection.ts';
import type { BulkAction } from './selection-bar.tsx';
import type { TagsQuestion } from './tags-dialog.tsx';
import { type BulkOrder, useBulkRequests } from './use-bulk-requests.tsx';
import { useProjectAction } from './use-project-action.ts';

interface ProjectDialogsInput {
  organizationId: string;
  search: ProjectSearch;
  selection: Selection<Project>;
  shown: readonly Project[];
  total: number;
  /** called when the selection has been processed */
  onDone: () => void;
}

/** What a dialog applies to: the project of a row, or the selection. */
type Target = { kind: 'one'; project: Project } | { kind: 'selection' };

type Open =
  | { kind: 'form'; project: Project | null }
  | { kind: 'destination'; question: DestinationQuestion; target: Target }
  | { kind: 'tags'; question: TagsQuestion; target: Target }
  | { kind: 'bulk'; question: BulkQuestion };

const tagsRequest = { add: 'addTags', remove: 'removeTags' } as const;
const direct = { archive, restore, delete: remove } as const;

const nameSubject = (project: Project | null, count: number): string =>
  project === null ? `${formatCount(count)} projects` : `“${project.name}”`;

/** Ids of the selected projects; null while loading. */
function useSelectedIds(
  { organizationId, search, selection }: ProjectDialogsInput,
  isAsking: boolean,
): string[] | null {
  const found = useQuery({
    ...projectIdsOptions(search, organizationId),
    enabled: isAsking && selection.kind === 'query',
  });
  return useMemo(() => {
    if (selection.kind === 'items') return [...selection.items.keys()];
    return found.data?.projectIds.filter((id) => !selection.without.has(id)) ?? null;
  }, [selection, found.data]);
}

export function useProjectDialogs(input: ProjectDialogsInput) {
  const { selection, shown, total, onDone } = input;
  const [open, setOpen] = useState<Open | null>(null);
  const { attempt, run, busy } = useProjectAction();
  const close = useCallback(() => setOpen(null), []);

  const { start: startBulk, busy: bulkBusy } = useBulkRequests();

  const count = selectedCount(selection, total);
  const [only = null] = selection.kind === 'items' ? selection.items.values() : [];
  const single = count === 1 ? only : null;
  const isAsking =
    open?.kind === 'bulk' || (open !== null && 'target' in open && open.target.kind === 'selection');
  const projectIds = useSelectedIds(input, isAsking);

  const order = (what: Omit<BulkOrder, 'projectIds'>) => {
    // The dialogs wait until the selected ids are known, so that no input is dropped.
    if (projectIds === null) return;
    setOpen(null);
    if (projectIds.length === 0) return;
    onDone();
    void startBulk({ ...what, projectIds });
  };
  /** A single project is changed at once; many are changed by a bulk request. */
  const act = (action: ProjectAction, project: Project) => {
    setOpen(null);
    void run(action, project);
    if (single?.id === project.id) onDone();
  };

  const describeSubject = (project: Project | null) => nameSubject(project, count);
  const askDestination = (what: 'copy' | 'move', project: Project | null, target: Target) =>
    setOpen({
      kind: 'destination',
      target,
      question:
        project === null
          ? { what, subject: describeSubject(null), name: null, from: null }
          : askPlace(what, project),
    });
  const askTags = (what: 'add' | 'remove', project: Project | null, target: Target) => {
    const known =
      selection.kind === 'items' && target.kind === 'selection' ? [...selection.items.values()] : shown;
    setOpen({
      kind: 'tags',
      target,
      question: {
        what,
        subject: describeSubject(project),
        suggestions: [...new Set(known.flatMap(({ tags }) => tags))].toSorted(),
      },
    });
  };

  const onRowAction = useCallbackRef((action: RowAction, project: Project) => {
    const target: Target = { kind: 'one', project };
    if (action === 'edit') {
      const reason = reasonAgainst(project, 'edit');
      if (reason === null) setOpen({ kind: 'form', project });
      else notifications.show({ color: 'yellow', message: `“${project.name}” can’t be edited: ${reason}` });
    } else if (action === 'tag') askTags('add', project, target);
    else if (action === 'copy' || action === 'move') askDestination(action, project, target);
    else void run(direct[action], project);
  });

  const onBulkAction = (action: BulkAction) => {
    const target: Target = single === null ? { kind: 'selection' } : { kind: 'one', project: single };
    if (action === 'copy' || action === 'move') askDestination(action, single, target);
    else if (action === 'addTags') askTags('add', single, target);
    else if (action === 'removeTags') askTags('remove', single, target);
    else if (single !== null && (action === 'archive' || action === 'restore' || action === 'delete'))
      act(direct[action], single);
    else setOpen({ kind: 'bulk', question: { operationType: action, count } });
  };

  const proposeBulk = (operationType: BulkProposal['operationType']): BulkProposal | null =>
    open !== null && 'target' in open && open.target.kind === 'selection'
      ? { operationType, projectIds }
      : null;

  return {
    busy: useMemo(() => new Map([...busy, ...bulkBusy]), [busy, bulkBusy]),
    form: open?.kind === 'form' ? open : null,
    destination:
      open?.kind === 'destination' ? { ...open.question, preview: proposeBulk(open.question.what) } : null,
    tags:
      open?.kind === 'tags'
        ? { ...open.question, preview: proposeBulk(tagsRequest[open.question.what]) }
        : null,
    bulk: open?.kind === 'bulk' ? open.question : null,
    projectIds,
    create: useCallback(() => setOpen({ kind: 'form', project: null }), []),
    close,
    onRowAction,
    onBulkAction,
    onBulk: (recipePk: string | undefined) => {
      if (open?.kind !== 'bulk') return;
      order({ operationType: open.question.operationType, ...(recipePk === undefined ? {} : { recipePk }) });
    },
    onDestination: async (destinationWorkspaceId: string, name: string | undefined) => {
      if (open?.kind !== 'destination') return;
      const { question, target } = open;
      if (target.kind === 'selection') {
        order({ operationType: question.what, destinationWorkspaceId });
        return;
      }
      await attempt(
        question.what === 'copy'
          ? copyTo(destinationWorkspaceId, name)
          : moveTo(destinationWorkspaceId, name),
        target.project,
      );
      close();
      if (single?.id === target.project.id) onDone();
    },
    onTags: (tags: string[]) => {
      if (open?.kind !== 'tags') return;
      const { question, target } = open;
      if (target.kind === 'selection') order({ operationType: tagsRequest[question.what], tags });
      else act(question.what === 'add' ? addTags(tags) : removeTags(tags), target.project);
    },
  };
}
