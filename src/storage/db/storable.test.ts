import { expect, it } from 'vitest';
import { makeStorable } from './storable.ts';

it('replaces characters that PostgreSQL refuses by U+FFFD, at any depth and in property names', () => {
  const when = new Date();
  const value = { 'a\0': ['b\0\0', { c: '\ud800d\udc00', e: 'ok 😀\n' }], n: 1, nothing: null, when };
  expect(makeStorable(value)).toEqual({
    'a\u{fffd}': ['b\u{fffd}\u{fffd}', { c: '\u{fffd}d\u{fffd}', e: 'ok 😀\n' }],
    n: 1,
    nothing: null,
    when,
  });
});
