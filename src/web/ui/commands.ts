/**
 * Commands available now: declared once by the component that implements them, offered by buttons, keys, the shortcut
 * list and the palette.
 */
import { createContext, type RefObject, useContext, useEffect, useRef, useSyncExternalStore } from 'react';

export interface Command {
  /** what it does, for the palette and the shortcut list */
  label: string;
  /** keys in order, separated by a space: `g p`, `/`, `?`, `Enter` */
  keys?: string;
  /** heading in the shortcut list; without it the keys belong to every page */
  group?: string;
  /** why the command is not available; null = it is */
  reason?: string | null;
  run: () => void;
  /** the button that runs it; while the button is not visible the command is not offered */
  button?: RefObject<HTMLElement | null>;
}

/** Keys and gestures that a component handles itself, listed only in the shortcuts. */
export interface KeyHint {
  /** as text: `Drag, arrows` */
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
 * Offers commands while the component is mounted. Their keys are ignored while the user types and while a dialog or
 * menu is open. The commands may change with every render.
 */
export function useCommands(commands: Command[]): void {
  const registry = useContext(CommandContext);
  const latest = useRef(commands);
  latest.current = commands;
  const shape = JSON.stringify(commands, ['label', 'keys', 'group', 'reason']);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape holds all that is shown of them
  useEffect(
    () =>
      registry?.add(
        latest.current.map((command, index) => ({ ...command, run: () => latest.current[index]?.run() })),
      ),
    [registry, shape],
  );
}

/**
 * Adds hints to the shortcut list while the component is mounted.
 * @param hints must be the same array at every render
 */
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

/** All commands available now, kept up to date while `isOpen`. */
export function useAllCommands(isOpen: boolean): Command[] {
  const { subscribe, all } = useRegistry();
  return useSyncExternalStore(isOpen ? subscribe : never, isOpen ? all : () => nothing);
}

export const useKeyHelp = (): (() => void) => useRegistry().openHelp;
