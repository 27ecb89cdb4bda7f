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

describe('The event stream reader', () => {
  test('returns complete messages and keeps the incomplete rest', () => {
    const read = createEventStreamReader();
    expect(read(stream)).toEqual(messages);
    expect(read('\n\n')).toEqual([{ event: 'message', data: 'unfinished' }]);
  });

  test('returns the same messages wherever the text is split', () => {
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
