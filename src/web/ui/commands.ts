/** What can be done now: stated once by whoever can do it, and offered by buttons, keys, the list of keys and the palette. */
import { createContext, type RefObject, useContext, useEffect, useRef, useSyncExternalStore } from 'react';

export interface Command {
  /** what it does: for the palette and the list of keys */
  label: string;
  /** keys in order, separated by a space: `g p`, `/`, `?`, `Enter` */
  keys?: string;
  /** heading in the list of keys; without it the keys are those of every page */
  group?: string;
  /** why it can't be done now; null = it can */
  reason?: string | null;
  run: () => void;
  /** the button that does it; one that nobody sees offers nothing */
  button?: RefObject<HTMLElement | null>;
}

/** What a part of a page does by keys and gestures of its own, for the list of keys alone. */
export interface KeyHint {
  /** in words: `Drag, arrows` */
  keys: string;
  label: string;
  group: string;
}

export interface CommandRegistry {
  add: (commands: Command[]) => () => void;
  all: () => Command[];
  subscribe: (listener: () => void) => () => void;
  addHints: (hints: readonly KeyHint[]) => () => void;
  openHelp: () => void;
}

export const CommandContext = createContext<CommandRegistry | null>(null);

/**
 * Offers commands while the component is there. Their keys are still while somebody types and while a dialog or menu is
 * open. Everything about them may change from one rendering to the next.
 */
export function useCommands(commands: Command[]): void {
  const registry = useContext(CommandContext);
  const latest = useRef(commands);
  latest.current = commands;
  const shape = JSON.stringify(commands, ['label', 'keys', 'group', 'reason']);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is said of them is the shape
  useEffect(
    () =>
      registry?.add(
        latest.current.map((command, index) => ({ ...command, run: () => latest.current[index]?.run() })),
      ),
    [registry, shape],
  );
}

/** Has the list of keys name these while the component is there. @param hints the same array every time */
export function useKeyHints(hints: readonly KeyHint[]): void {
  const registry = useContext(CommandContext);
  useEffect(() => registry?.addHints(hints), [registry, hints]);
}

const never = () => () => undefined;
const nothing: Command[] = [];
const useRegistry = (): CommandRegistry => {
  const registry = useContext(CommandContext);
  if (registry === null) throw new Error('a CommandProvider is missing above');
  return registry;
};

/** What can be done now, kept up to date while it is looked at. */
export function useAllCommands(isOpen: boolean): Command[] {
  const { subscribe, all } = useRegistry();
  return useSyncExternalStore(isOpen ? subscribe : never, isOpen ? all : () => nothing);
}

export const useKeyHelp = (): (() => void) => useRegistry().openHelp;
