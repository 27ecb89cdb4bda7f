/** The request for the service's event stream. The page sends it before the rest of the page is loaded. */
import { authorization, serviceAddress } from './session-token.ts';

export interface EventsRequest {
  response: Promise<Response>;
  /** whether the response has arrived: changes to data read after that are reported as events */
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
  // Avoids an unhandled rejection while nobody awaits the response.
  response.then(
    () => {
      isAnswered = true;
    },
    () => undefined,
  );
  return { response, isAnswered: () => isAnswered, end: () => controller.abort() };
}

let requested: EventsRequest | undefined;

/** Opens the event stream before anything is read, so that nothing has to be refetched once it is open. */
export function requestEventsAhead(): void {
  if (authorization() !== undefined) requested = requestEvents();
}

/** Returns the request that was sent ahead; the second call returns undefined. */
export function takeRequestedEvents(): EventsRequest | undefined {
  const taken = requested;
  requested = undefined;
  return taken;
}
