import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Project, ProjectState } from '#contract/shapes/project.ts';
import { listProjectsOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { isSameQuestion, type ProjectSearch, pickedAtMost, writeSelection } from './list-search.ts';
import {
  everything,
  isSelected,
  nothing,
  rangeTo,
  refreshed,
  type Selection,
  shownState,
  withItems,
} from './selection.ts';

interface ProjectSelectionInput {
  /** rows of the visible page */
  shown: readonly Project[];
  search: ProjectSearch;
  /** updates the address */
  onSearch: (search: ProjectSearch, options?: { replace?: boolean }) => void;
}

/** Key that identifies the selection in an address. */
const makeKey = (search: Pick<ProjectSearch, 'selected' | 'picked'>): string =>
  [search.selected ?? '', ...(search.picked ?? [])].join(' ');
const nothingKey = makeKey({});

/** The selection of the list, stored in the address: “all” with exceptions, or single projects. */
export function useProjectSelection({ shown, search, onSearch }: ProjectSelectionInput) {
  const [selection, setSelection] = useState<Selection<Project>>(nothing);
  const lastToggled = useRef<string | null>(null);
  const queryClient = useQueryClient();
  const latest = useRef({ selection, search, shown });
  latest.current = { selection, search, shown };
  /** key of the address that the selection already reflects: any other was set from outside */
  const followed = useRef(nothingKey);
  const isReading = useRef(false);

  /** Navigates with the current selection; a selection of all results is dropped when the query changes. */
  const go = useCallback(
    (next: ProjectSearch, options?: { replace?: boolean }) => {
      const { selection: now, search: before } = latest.current;
      if (isReading.current) return onSearch({ ...next, picked: before.picked }, options);
      const kept = now.kind === 'query' && !isSameQuestion(before, next) ? nothing<Project>() : now;
      latest.current.selection = kept;
      setSelection(kept);
      const address = { ...next, ...writeSelection(kept) };
      followed.current = makeKey(address);
      onSearch(address, options);
    },
    [onSearch],
  );

  const inAddress = makeKey(search);
  useEffect(() => {
    if (inAddress === followed.current) return;
    followed.current = inAddress;
    isReading.current = false;
    const { selected, picked = [] } = latest.current.search;
    if (selected === 'all') return setSelection({ kind: 'query', without: new Set(picked) });
    const held = latest.current.selection;
    const known = new Map(latest.current.shown.map((project) => [project.id, project]));
    if (held.kind === 'items') for (const project of held.items.values()) known.set(project.id, project);
    const atOnce = picked.flatMap((id) => known.get(id) ?? []);
    setSelection(withItems(nothing<Project>(), atOnce, true));
    if (atOnce.length === picked.length) return;
    isReading.current = true;
    const unknown = picked.filter((id) => !known.has(id));
    const read = async (state?: ProjectState) => {
      const query = { id: unknown, page_size: pickedAtMost, ...(state !== undefined && { state }) };
      return (await queryClient.fetchQuery(listProjectsOptions({ query }))).results;
    };
    // Requested in parallel; projects in the trash need a request of their own, as in every list.
    const requests = latest.current.search.state === 'deleted' ? [read(), read('deleted')] : [read()];
    void Promise.allSettled(requests).then((answers) => {
      // Projects that could not be read stay in the address and are requested again with it.
      if (followed.current !== inAddress || answers.some(({ status }) => status === 'rejected')) return;
      isReading.current = false;
      // Projects that are deleted, or that the user may not see, are not selected.
      const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      latest.current.selection = withItems(latest.current.selection, found, true);
      go(latest.current.search, { replace: true });
    });
  }, [inAddress, queryClient, go]);
  useEffect(() => setSelection((before) => refreshed(before, shown)), [shown]);

  const become = (next: Selection<Project>, options: { replace: boolean }) => {
    latest.current.selection = next;
    setSelection(next);
    go(latest.current.search, options);
  };
  const toggle = (project: Project, withShift: boolean) => {
    const range = withShift ? rangeTo(shown, lastToggled.current, project.id) : [project];
    lastToggled.current = project.id;
    const before = latest.current.selection;
    become(withItems(before, range, !isSelected(before, project.id)), { replace: true });
  };
  const toggleShown = () => {
    const before = latest.current.selection;
    become(withItems(before, shown, shownState(before, shown) !== 'all'), { replace: true });
  };
  const clear = () => {
    isReading.current = false;
    become(nothing(), { replace: true });
  };
  const selectAll = () => {
    isReading.current = false;
    become(everything(), { replace: false });
  };
  return { selection, toggle, toggleShown, clear, selectAll, go };
}
