import { useLocation, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { useStillHere } from '#web/ui/use-still-here.ts';
import { decodeViewState, encodeViewState } from '#web/viewer/state/url-codec.ts';

/** What stands before the view in the part of the address after #. */
const prefix = 'view=';

interface ViewInAddress {
  /** undefined until the address has been read; null when it carries no view */
  viewState: ViewState | null | undefined;
  /** puts a settled view into the address, in place of the one before */
  keep: (state: ViewState) => void;
  /** hands the viewer another view, such as one at a place that was chosen in a list */
  show: (state: ViewState) => void;
}

/** The view after # in the address: a link opens the same picture, and going back changes no camera by itself. */
export function useViewInAddress(): ViewInAddress {
  const navigate = useNavigate();
  const hash = useLocation({ select: (location) => location.hash });
  const [viewState, setViewState] = useState<ViewState | null | undefined>(undefined);
  const read = useRef<string | null>(null);
  const written = useRef<string | null>(null);
  const isStillHere = useStillHere();

  useEffect(() => {
    if (hash === written.current) return;
    let current = true;
    const reading = hash.startsWith(prefix)
      ? decodeViewState(hash.slice(prefix.length))
      : Promise.resolve(null);
    void reading.then((state) => {
      if (!current) return;
      read.current = hash;
      setViewState(state);
    });
    return () => {
      current = false;
    };
  }, [hash]);

  const keep = useCallback(
    (state: ViewState) => {
      void encodeViewState(state).then((text) => {
        // Another page may be open by now; its address is not ours.
        if (!isStillHere()) return;
        // A link that was followed a moment ago is about to be shown in place of this.
        const inAddress = window.location.hash.slice(1);
        if (inAddress !== read.current && inAddress !== written.current) return;
        written.current = `${prefix}${text}`;
        void navigate({
          to: '.',
          search: true,
          hash: written.current,
          replace: true,
          resetScroll: false,
          hashScrollIntoView: false,
        });
      });
    },
    [navigate, isStillHere],
  );
  const show = useCallback(
    (state: ViewState) => {
      setViewState(state);
      // The viewer does not report back what it was handed.
      keep(state);
    },
    [keep],
  );
  return { viewState, keep, show };
}
