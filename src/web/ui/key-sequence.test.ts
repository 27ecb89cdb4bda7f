import { describe, expect, test } from 'vitest';
import { continuesSequence, pressKey } from './key-sequence.ts';

const binding = (keys: string) => ({ keys, label: keys, run: () => {} });
const bindings = [binding('g p'), binding('g e'), binding('/'), binding('j')];

describe('Keys', () => {
  test('in a sequence wait for the next key', () => {
    const first = pressKey(bindings, [], 'g');
    expect(first).toEqual({ pending: ['g'], binding: null });
    expect(pressKey(bindings, first.pending, 'e').binding?.keys).toBe('g e');
  });

  test('that continue a sequence belong to it before anything else', () => {
    expect(continuesSequence(bindings, ['g'], 'e')).toBe(true);
    expect(continuesSequence(bindings, ['g'], 'j')).toBe(false);
    expect(continuesSequence(bindings, [], 'j')).toBe(false);
  });

  test('after an unknown sequence count on their own', () => {
    expect(pressKey(bindings, ['g'], 'j').binding?.keys).toBe('j');
    expect(pressKey(bindings, ['g'], 'g').pending).toEqual(['g']);
    expect(pressKey(bindings, [], 'z')).toEqual({ pending: [], binding: null });
  });

  test('belong to the binding added last', () => {
    const onTop = binding('j');
    expect(pressKey([...bindings, onTop], [], 'j').binding).toBe(onTop);
  });
});
