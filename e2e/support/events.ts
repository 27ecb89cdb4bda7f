/** The service's events as another client hears them, each with the moment of its arrival. */
import type { ServiceEvent } from '#contract/shapes/event.ts';
import { createEventStreamReader } from '#web/api/event-stream.ts';
import { apiToken, serviceUrl } from './test.ts';

export interface HeardEvent {
  event: ServiceEvent;
  /** milliseconds since 1970 */
  at: number;
}

/** Listens until closed; `onEvent` is called for each as it comes. */
export async function listenToEvents(onEvent: (heard: HeardEvent) => void): Promise<() => void> {
  const end = new AbortController();
  const response = await fetch(`${serviceUrl()}/api/v2/events`, {
    headers: { Authorization: `Token ${await apiToken()}`, Accept: 'text/event-stream' },
    signal: end.signal,
  });
  if (!response.ok || response.body === null) throw new Error(`events: ${response.status}`);
  const read = createEventStreamReader();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  void (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const at = Date.now();
      for (const { data } of read(value)) onEvent({ event: JSON.parse(data), at });
    }
  })().catch((error: unknown) => {
    if (!end.signal.aborted) throw error;
  });
  return () => end.abort();
}
