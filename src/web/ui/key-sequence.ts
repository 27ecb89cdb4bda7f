/** Which binding a row of key presses means; knows no DOM, so that it can be tested. */

interface Keyed {
  /** keys in order, separated by a space */
  keys: string;
}

export interface KeyMatch<Binding> {
  /** presses so far that may still become a binding */
  pending: string[];
  binding: Binding | null;
}

/**
 * Adds one press to those that are pending. Later bindings win over earlier ones, so that what lies on top
 * (a dialog, a table with a selection) may take a key from what lies below.
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
