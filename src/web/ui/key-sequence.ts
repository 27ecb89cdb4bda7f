/** Which binding a row of key presses means; knows no DOM, so that it can be tested. */

export interface KeyBinding {
  /** keys in order, parted by a blank: `g p`, `/`, `?`, `Enter`, `Escape` */
  keys: string;
  /** what it does, for the list of keys */
  label: string;
  /** heading in the list of keys */
  group?: string;
  run: () => void;
}

export interface KeyMatch {
  /** presses so far that may still become a binding */
  pending: string[];
  binding: KeyBinding | null;
}

/**
 * Adds one press to those that are pending. Later bindings win over earlier ones, so that what lies on top
 * (a dialog, a table with a selection) may take a key from what lies below.
 */
export function pressKey(bindings: readonly KeyBinding[], pending: readonly string[], key: string): KeyMatch {
  const presses = [...pending, key];
  const typed = presses.join(' ');
  const binding = bindings.findLast(({ keys }) => keys === typed) ?? null;
  if (binding !== null) return { pending: [], binding };
  if (bindings.some(({ keys }) => keys.startsWith(`${typed} `))) return { pending: presses, binding: null };
  return pending.length > 0 ? pressKey(bindings, [], key) : { pending: [], binding: null };
}
