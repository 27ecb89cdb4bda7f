import { useEffect, useRef, useState } from 'react';
import type { Project } from '#contract/shapes/project.ts';
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
  /** rows of the page that is shown */
  shown: readonly Project[];
  /** the address says that the question is the selection */
  isQuery: boolean;
  /** changes when another question is asked: a selection of single ones stays, one of the question goes */
  onQuery: (isQuery: boolean) => void;
}

/** The selection of the list. “All” stands in the address; single ones live as long as the page does. */
export function useProjectSelection({ shown, isQuery, onQuery }: ProjectSelectionInput) {
  const [selection, setSelection] = useState<Selection<Project>>(isQuery ? everything : nothing);
  const lastToggled = useRef<string | null>(null);

  useEffect(() => {
    setSelection((before) => {
      if (isQuery) return before.kind === 'query' ? before : everything();
      return before.kind === 'query' ? nothing() : before;
    });
  }, [isQuery]);
  useEffect(() => setSelection((before) => refreshed(before, shown)), [shown]);

  const toggle = (project: Project, withShift: boolean) => {
    const range = withShift ? rangeTo(shown, lastToggled.current, project.id) : [project];
    lastToggled.current = project.id;
    setSelection((before) => withItems(before, range, !isSelected(before, project.id)));
  };
  const toggleShown = () =>
    setSelection((before) => withItems(before, shown, shownState(before, shown) !== 'all'));
  const clear = () => {
    setSelection(nothing());
    if (isQuery) onQuery(false);
  };
  const selectAll = () => {
    setSelection(everything());
    onQuery(true);
  };
  return { selection, toggle, toggleShown, clear, selectAll };
}
