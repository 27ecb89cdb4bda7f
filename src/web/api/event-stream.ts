/** Parses `text/event-stream` as it arrives (https://html.spec.whatwg.org/multipage/server-sent-events.html). */

export interface StreamMessage {
  /** name of the event; `message` when the stream names none */
  event: string;
  data: string;
}

/**
 * Returns a function that takes text in pieces of any size and returns the messages completed so far. Comments (`: …`)
 * are dropped.
 */
export function createEventStreamReader(): (text: string) => StreamMessage[] {
  let rest = '';
  let event = '';
  let data: string[] = [];
  return (text) => {
    const messages: StreamMessage[] = [];
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) messages.push({ event: event || 'message', data: data.join('\n') });
        event = '';
        data = [];
        continue;
      }
      const colon = line.indexOf(':');
      if (colon === 0) continue;
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (name === 'data') data.push(value);
      if (name === 'event') event = value;
    }
    return messages;
  };
}
