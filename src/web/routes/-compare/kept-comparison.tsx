import { ActionIcon } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { type ReactNode, type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { CompareViewHandle } from '#web/viewer/compare/CompareView.tsx';
import { type CompareLook, readLook, roundLook, writeLook } from '#web/viewer/compare/compare-look.ts';
import type { KeptView } from '#web/viewer/ScanViewer.tsx';
import { settleMs } from '#web/viewer/state/view-store.ts';
import { CompareBar, useBlinking } from './compare-bar.tsx';
import classes from './compare-page.module.css';
import { formatCompared } from './compare-search.ts';
import { CompareStage } from './compare-stage.tsx';
import { useComparedScans } from './use-compared-scans.ts';

interface KeptComparisonProps {
  /** applied whenever the object identity changes */
  viewState: ViewState;
  compare: NonNullable<ViewState['compare']>;
  /** called with the state once nothing has moved for a quarter of a second */
  onViewStateChange: (state: ViewState) => void;
  /** returns to the project's own scan */
  onLeave: () => void;
  /** the page's own buttons */
  actions: ReactNode;
  ref: RefObject<KeptView | null>;
}

/** A saved comparison (from a bookmark or a link), shown in place of the project's viewer. */
export function KeptComparison(props: KeptComparisonProps) {
  const { viewState, compare, onViewStateChange, onLeave, actions, ref } = props;
  const scans = useComparedScans(
    compare.scans.map(({ projectId, volumeId }) =>
      formatCompared({ projectId, volumeId: volumeId ?? undefined }),
    ),
  );
  const [given, setGiven] = useState(viewState);
  const [look, setLook] = useState(() => readLook(viewState, compare));
  if (given !== viewState) {
    setGiven(viewState);
    setLook(readLook(viewState, compare));
  }
  const changed = useRef<CompareLook | null>(null);
  const latest = useRef(onViewStateChange);
  latest.current = onViewStateChange;
  useEffect(() => {
    if (look !== changed.current) return;
    const timer = setTimeout(() => latest.current(writeLook(look, compare.scans)), settleMs);
    return () => clearTimeout(timer);
  }, [look, compare.scans]);
  const change = (part: Partial<CompareLook>) => {
    changed.current = roundLook({ ...look, ...part });
    setLook(changed.current);
  };
  const blinking = useBlinking(look, change);
  const view = useRef<CompareViewHandle>(null);
  const [aspect, setAspect] = useState<number | null>(null);
  useImperativeHandle(ref, () => ({
    state: () => writeLook(look, compare.scans),
    capture: async (size) => {
      if (!view.current) throw new Error('The scans are not loaded yet.');
      return view.current.capture(size);
    },
  }));
  const shown = scans.map(({ scan }) => scan);
  return (
    <div className={classes.page}>
      <CompareBar
        look={look}
        scans={shown}
        known={scans.flatMap(({ known }) => known ?? [])}
        blinking={blinking}
        aspect={aspect}
        onLook={change}
        actions={
          <>
            {actions}
            <ActionIcon aria-label="Close comparison" title="Close comparison" onClick={onLeave}>
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </>
        }
      />
      <CompareStage
        scans={shown}
        look={look}
        onLook={change}
        isOther={blinking.isOther}
        onAspect={setAspect}
        ref={view}
      />
    </div>
  );
}
