import { useLocation, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { useStillHere } from '#web/ui/use-still-here.ts';
import { decodeViewState, encodeViewState } from '#web/viewer/state/url-codec.ts';

/** Prefix of the view in the fragment (#) of the address. */
const prefix = 'view=';

interface ViewInAddress {
  /** undefined until the address has been read; null if it contains no view */
  viewState: ViewState | null | undefined;
  /** replaces the view in the address once the view has settled */
  keep: (state: ViewState) => void;
  /** passes another view to the viewer, such as that of a location chosen in a list */
  show: (state: ViewState) => void;
}

/** The view stored after # in the address: a link opens the same picture. Going back does not move the camera. */
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
        // Another page may be open by now; its address must not change.
        if (!isStillHere()) return;
        // A link followed a moment ago is about to replace this view.
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
      // The viewer does not report a view that was passed to it.
      keep(state);
    },
    [keep],
  );
  return { viewState, keep, show };
}
