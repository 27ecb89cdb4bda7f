/**
 * Keeps the page up to date: listens to the service's events and invalidates the queries they affect. While the stream
 * is down it polls the active queries at an interval and reconnects by itself.
 */
import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { ServiceEvent } from '#contract/shapes/event.ts';
import { createEventStreamReader } from './event-stream.ts';
import { requestEvents, takeRequestedEvents } from './events-request.ts';
import { findQueries, isLive, keyMatches } from './live-event-queries.ts';
import { refreshProgress } from './live-progress.ts';
import { authorization, sessionToken } from './session-token.ts';

/** `live`: events arrive; `polling`: no stream, queries are polled; `connecting`: not known yet. */
export type LiveState = 'connecting' | 'live' | 'polling';

/** The first event about a query is handled at once, together with those that arrive in the same moment. */
const promptMs = 40;
/** Further events about the same query are batched, so that a list is not refetched at every percent of progress. */
const gatherMs = 400;
const pollMs = 5_000;
const maxWaitMs = 30_000;
/** The service sends something at least this often; longer silence means that the stream is dead. */
const silenceMs = 60_000;

/** Listeners that receive every event, besides the queries it invalidates. */
const eventListeners = new Set<(event: ServiceEvent) => void>();

/** Subscribes to every event; the returned function unsubscribes. */
export function subscribeToEvents(listener: (event: ServiceEvent) => void): () => void {
  eventListeners.add(listener);
  return () => eventListeners.delete(listener);
}

let state: LiveState = 'connecting';
const listeners = new Set<() => void>();
const setState = (next: LiveState) => {
  if (next === state) return;
  state = next;
  for (const listener of listeners) listener();
};

/** How the page currently learns of changes. */
export const useLiveState = (): LiveState =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );

/** Milliseconds before attempt `failures` + 1, randomized so that not all pages reconnect at once. */
export const backOffMs = (failures: number, random: number): number =>
  Math.min(maxWaitMs, 1_000 * 2 ** Math.max(0, failures - 1)) * (0.5 + random / 2);

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });

function parseEvent(data: string): ServiceEvent | null {
  try {
    return ServiceEvent.safeParse(JSON.parse(data)).data ?? null;
  } catch {
    return null;
  }
}

/**
 * Runs one connection. Resolves when the stream ends, throws when it could not be opened or fell silent. `onOpen`
 * receives whether the response had already arrived when this was called.
 */
async function listen(
  signal: AbortSignal,
  onOpen: (wasOpen: boolean) => void,
  onEvent: (event: ServiceEvent) => void,
) {
  const silent = new AbortController();
  let timer = setTimeout(() => silent.abort(), silenceMs);
  try {
    const events = takeRequestedEvents() ?? requestEvents();
    const end = () => events.end();
    AbortSignal.any([signal, silent.signal]).addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    const wasOpen = events.isAnswered();
    const response = await events.response;
    if (response.status === 401) sessionToken.clear('refused');
    if (!response.ok || response.body === null) throw new Error(`events answered ${response.status}`);
    onOpen(wasOpen);
    const read = createEventStreamReader();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), silenceMs);
      for (const { data } of read(value)) {
        const event = parseEvent(data);
        if (event !== null) onEvent(event);
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Starts listening for the signed-in user; the returned function stops it. */
export function startLiveUpdates(queryClient: QueryClient): () => void {
  const end = new AbortController();
  const { signal } = end;
  /** queries being refetched, and whether each has been invalidated again since */
  const stale = new Map<string, boolean>();

  const invalidate = async (matches: (queryKey: readonly unknown[]) => boolean) => {
    const matching = queryClient.getQueryCache().findAll({ predicate: ({ queryKey }) => matches(queryKey) });
    // A first load and a prefetch of an inactive query are not restarted. Their response may predate the change and
    // would count as fresh, so they are invalidated once more when they arrive.
    const pending = matching.filter(
      (query) =>
        query.state.fetchStatus === 'fetching' && (query.state.data === undefined || !query.isActive()),
    );
    const mark = (queries: typeof matching) =>
      queryClient.invalidateQueries({ predicate: (query) => queries.includes(query) });
    await Promise.all([mark(matching), ...pending.map(({ promise }) => promise?.catch(() => undefined))]);
    await mark(pending);
  };

  // Each key has its own loop, so that a change to one query does not wait for one that changes all the time. The loop
  // is sequential: a refetch slower than the batching interval is never restarted by the next burst.
  const refetchWhileStale = async (key: string, refetch: () => Promise<void>) => {
    for (let waitMs = promptMs; stale.get(key) === true && !signal.aborted; waitMs = gatherMs) {
      await wait(waitMs, signal);
      stale.set(key, false);
      await refetch().catch(() => undefined);
    }
    stale.delete(key);
  };
  const markStale = (key: string, refetch: () => Promise<void>) => {
    const isRefetching = stale.has(key);
    stale.set(key, true);
    if (!isRefetching) void refetchWhileStale(key, refetch);
  };
  const onEvent = (event: ServiceEvent) => {
    for (const notify of [...eventListeners]) notify(event);
    const { type, resource, id } = event;
    if (type === 'progressed' && resource === 'operation')
      markStale(`progress of ${id}`, () => refreshProgress(queryClient, id));
    for (const match of findQueries(event))
      markStale(JSON.stringify(match), () => invalidate((queryKey) => keyMatches(queryKey, match)));
  };
  const refreshAll = () => void queryClient.invalidateQueries().catch(() => undefined);

  const poll = setInterval(() => {
    if (state === 'polling' && document.visibilityState === 'visible') refreshAll();
  }, pollMs);

  const run = async () => {
    let failures = 0;
    let missed = false;
    setState('connecting');
    while (!signal.aborted && authorization() !== undefined) {
      await listen(
        signal,
        (wasOpen) => {
          failures = 0;
          setState('live');
          if (missed) refreshAll();
          // Changes between the first reads and the opening of the stream are reported by no event.
          else if (!wasOpen) void invalidate(isLive).catch(() => undefined);
        },
        onEvent,
      ).catch(() => undefined);
      if (signal.aborted) return;
      failures++;
      missed = true;
      // A stream that reconnects at the first attempt is not reported to the user.
      if (failures > 1) setState('polling');
      await wait(backOffMs(failures, Math.random()), signal);
    }
  };
  void run();
  return () => {
    end.abort();
    clearInterval(poll);
  };
}
