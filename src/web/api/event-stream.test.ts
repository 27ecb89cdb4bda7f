import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEventStreamReader } from './event-stream.ts';

const stream =
  ': hello\n\nevent: change\ndata: {"a":1}\n\ndata: one\r\ndata: two\r\n\r\nid: 7\ndata: last\n\ndata: unfinished';
const messages = [
  { event: 'change', data: '{"a":1}' },
  { event: 'message', data: 'one\ntwo' },
  { event: 'message', data: 'last' },
];

describe('The reader of the event stream', () => {
  test('gives complete messages and keeps what is not complete', () => {
    const read = createEventStreamReader();
    expect(read(stream)).toEqual(messages);
    expect(read('\n\n')).toEqual([{ event: 'message', data: 'unfinished' }]);
  });

  test('gives the same however the text is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length), { maxLength: 12 }), (cuts) => {
        const read = createEventStreamReader();
        const places = [0, ...cuts.toSorted((a, b) => a - b), stream.length];
        const pieces = places.slice(1).map((end, index) => stream.slice(places[index], end));
        expect(pieces.flatMap((piece) => read(piece))).toEqual(messages);
      }),
    );
  });
});
