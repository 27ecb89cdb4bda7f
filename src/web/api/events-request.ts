/** The request for the service's events, which the page makes before the rest of it is loaded. */
import { authorization, serviceAddress } from './session-token.ts';

export interface EventsRequest {
  response: Promise<Response>;
  /** whether the service has answered: what is read from now on is heard of when it changes */
  isAnswered(): boolean;
  end(): void;
}

export function requestEvents(): EventsRequest {
  const controller = new AbortController();
  const response = fetch(`${serviceAddress}/api/v2/events`, {
    headers: { Authorization: authorization() ?? '', Accept: 'text/event-stream' },
    signal: controller.signal,
    cache: 'no-store',
  });
  let isAnswered = false;
  // Nobody may wait for it yet.
  response.then(
    () => {
      isAnswered = true;
    },
    () => undefined,
  );
  return { response, isAnswered: () => isAnswered, end: () => controller.abort() };
}

let requested: EventsRequest | undefined;

/** Whoever is heard before anything is read need not ask for it again. */
export function requestEventsAhead(): void {
  if (authorization() !== undefined) requested = requestEvents();
}

/** What was requested ahead, once. */
export function takeRequestedEvents(): EventsRequest | undefined {
  const taken = requested;
  requested = undefined;
  return taken;
}
