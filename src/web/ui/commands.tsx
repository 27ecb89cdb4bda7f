/** What can be done now: stated once by whoever can do it, and offered by buttons, keys, the list of keys and the palette. */
import { notifications } from '@mantine/notifications';
import {
  createContext,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { KeyHelp } from './key-help.tsx';
import { pressKey } from './key-sequence.ts';

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

interface Registry {
  add: (commands: Command[]) => () => void;
  all: () => Command[];
  subscribe: (listener: () => void) => () => void;
  openHelp: () => void;
}

function createRegistry(openHelp: () => void): Registry {
  const sets = new Set<Command[]>();
  const listeners = new Set<() => void>();
  let listed: Command[] | null = null;
  const change = () => {
    listed = null;
    for (const listener of listeners) listener();
  };
  return {
    add: (commands) => {
      sets.add(commands);
      change();
      return () => {
        sets.delete(commands);
        change();
      };
    },
    all: () => {
      listed ??= [...sets].flat();
      return listed;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    openHelp,
  };
}

const CommandContext = createContext<Registry | null>(null);
const forgetAfterMs = 1200;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches('input:not([type=checkbox]):not([type=radio]), textarea, select'));

/** A button or link that has the focus does its own thing on Enter and Space. */
const actsItself = (target: EventTarget | null, key: string): boolean =>
  target instanceof HTMLElement &&
  (key === 'Enter' || key === ' ') &&
  target.closest('button, a, summary, [role=menuitem], [role=option], [role=tab]') !== null;

/** Lists and menus that are closed may stay in the document, unseen. */
const dialogIsOpen = (): boolean =>
  [...document.querySelectorAll('[role=dialog], [role=alertdialog], [role=menu], [role=listbox]')].some(
    (element) => element.checkVisibility({ visibilityProperty: true }),
  );

const hasKeys = (command: Command): command is Command & { keys: string } => command.keys !== undefined;

/** Does it, or says why not. */
export function runCommand({ reason = null, run }: Command): void {
  if (reason === null) run();
  else notifications.show({ color: 'yellow', message: reason });
}

export function CommandProvider({ children }: { children: ReactNode }) {
  const [help, setHelp] = useState<Command[] | null>(null);
  const registry = useMemo(() => {
    const made: Registry = createRegistry(() => setHelp(made.all()));
    return made;
  }, []);

  useEffect(() => {
    let pending: string[] = [];
    let forget = 0;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || actsItself(event.target, event.key) || dialogIsOpen()) return;
      if (event.key === 'Shift') return;
      const showHelp = { keys: '?', label: 'Show shortcuts', run: registry.openHelp };
      const match = pressKey([showHelp, ...registry.all().filter(hasKeys)], pending, event.key);
      pending = match.pending;
      window.clearTimeout(forget);
      forget = window.setTimeout(() => {
        pending = [];
      }, forgetAfterMs);
      if (match.binding === null) return;
      event.preventDefault();
      runCommand(match.binding);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => {
      window.clearTimeout(forget);
      window.removeEventListener('keydown', onKeyDown);
    };
  }, [registry]);

  return (
    <CommandContext value={registry}>
      {children}
      <KeyHelp commands={help?.filter(hasKeys) ?? null} onClose={() => setHelp(null)} />
    </CommandContext>
  );
}

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

const never = () => () => undefined;
const nothing: Command[] = [];
const useRegistry = (): Registry => {
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
