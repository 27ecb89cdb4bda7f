import { useSuspenseQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { SharedPlace } from '#contract/shapes/shared-view.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { readMeOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { shareView } from '#web/api/generated/sdk.gen.ts';
import { subscribeToEvents } from '#web/api/live-updates.ts';
import { applyMessage, beatMs, dropSilent, minIntervalMs, noSession, type Session } from './sharing.ts';

const readPlace = ({ camera, cursorMm, planes }: ViewState): SharedPlace => ({ camera, cursorMm, planes });

/** The project that this tab presents; survives a reload. */
const presentedKey = 'presented-project';

export interface SharedViewModel {
  session: Session;
  /** the presenter; null = no session */
  presenterId: string | null;
  isPresenting: boolean;
  present: () => void;
  /** stops presenting or following */
  leave: () => void;
  live: { onMove?: (state: ViewState) => void; followed: SharedPlace | null };
}

interface SharedViewOptions {
  projectId: string;
  /**
   * the user whose view is followed. The user's own id presents in the tab that started it, and follows on their other
   * screens
   */
  presenterId: string | undefined;
  onPresenter: (presenterId: string | undefined) => void;
  readState: () => ViewState | undefined;
}

/** A shared view that the user presents or follows: sends messages while it lasts, and receives those of the others. */
export function useSharedView(options: SharedViewOptions): SharedViewModel {
  const { projectId, presenterId, onPresenter } = options;
  const { user: me } = useSuspenseQuery(readMeOptions()).data;
  const [session, setSession] = useState<Session>(noSession);
  const latest = useRef(options);
  latest.current = options;
  const [presented, setPresented] = useState(() => sessionStorage.getItem(presentedKey));
  const isOwn = presenterId === me.id;
  const isPresenting = isOwn && presented === projectId;
  const sent = useRef<{ at: number; timer: ReturnType<typeof setTimeout> | null }>({ at: 0, timer: null });

  const send = useCallback(
    (isLeaving = false) => {
      if (presenterId === undefined) return;
      const state = isPresenting && !isLeaving ? latest.current.readState() : undefined;
      // Among messages of the presenter's account, those without a place come from a screen that follows, and the one
      // that leaves ends the session.
      if (isPresenting ? !state && !isLeaving : isOwn && isLeaving) return;
      sent.current.at = Date.now();
      const body = { presenterId, place: state ? readPlace(state) : null, isLeaving };
      // A lost message is followed by the next; a missing permission is reported where the project is read.
      void shareView({ path: { id: projectId }, body, keepalive: isLeaving }).catch(() => undefined);
    },
    [projectId, presenterId, isOwn, isPresenting],
  );
  const move = useCallback(() => {
    sent.current.timer ??= setTimeout(
      () => {
        sent.current.timer = null;
        send();
      },
      Math.max(0, sent.current.at + minIntervalMs - Date.now()),
    );
  }, [send]);

  useEffect(() => {
    if (presenterId === undefined) return;
    setSession(noSession);
    const stop = subscribeToEvents(({ sharedView, projectId: of }) => {
      if (!sharedView || of !== projectId) return;
      setSession((before) => applyMessage(before, presenterId, sharedView, Date.now()));
      // Newcomers are sent the current place at once.
      if (isPresenting && sharedView.presenterId === presenterId && sharedView.place === null) move();
    });
    send();
    const beat = setInterval(() => {
      send();
      setSession((before) => dropSilent(before, Date.now()));
    }, beatMs);
    const leave = () => send(true);
    window.addEventListener('pagehide', leave);
    return () => {
      stop();
      clearInterval(beat);
      if (sent.current.timer !== null) clearTimeout(sent.current.timer);
      sent.current.timer = null;
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, [projectId, presenterId, isPresenting, send, move]);

  return {
    session,
    presenterId: presenterId ?? null,
    isPresenting,
    present: () => {
      sessionStorage.setItem(presentedKey, projectId);
      setPresented(projectId);
      onPresenter(me.id);
    },
    leave: () => {
      sessionStorage.removeItem(presentedKey);
      onPresenter(undefined);
    },
    live: {
      ...(isPresenting ? { onMove: move } : {}),
      followed: presenterId === undefined || isPresenting || session.hasEnded ? null : session.place,
    },
  };
}
