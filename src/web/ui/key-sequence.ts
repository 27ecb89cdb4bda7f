/** Finds the binding for a sequence of key presses; independent of the DOM, so that it can be tested. */

interface Keyed {
  /** keys in order, separated by spaces */
  keys: string;
}

export interface KeyMatch<Binding> {
  /** presses so far that may still complete a binding */
  pending: string[];
  binding: Binding | null;
}

/** Whether a press continues a sequence that has begun: it then precedes the keys of the element in focus. */
export const continuesSequence = (
  bindings: readonly Keyed[],
  pending: readonly string[],
  key: string,
): boolean =>
  pending.length > 0 && bindings.some(({ keys }) => `${keys} `.startsWith([...pending, key, ''].join(' ')));

/**
 * Adds a press to the pending ones. Later bindings take precedence, so that a layer on top (a dialog, a table with a
 * selection) can take a key from the page below.
 */
export function pressKey<Binding extends Keyed>(
  bindings: readonly Binding[],
  pending: readonly string[],
  key: string,
): KeyMatch<Binding> {
  const presses = [...pending, key];
  const typed = presses.join(' ');
  const binding = bindings.findLast(({ keys }) => keys === typed) ?? null;
  if (binding !== null) return { pending: [], binding };
  if (bindings.some(({ keys }) => keys.startsWith(`${typed} `))) return { pending: presses, binding: null };
  return pending.length > 0 ? pressKey(bindings, [], key) : { pending: [], binding: null };
}
