/**
 * Holds the commands of a page and handles their keys. A file of its own, because the sign-in page uses buttons without
 * it.
 */
import { notifications } from '@mantine/notifications';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { type Command, CommandContext, type CommandRegistry, type KeyHint } from './commands.ts';
import { isTyping } from './is-typing.ts';
import { KeyHelp } from './key-help.tsx';
import { continuesSequence, pressKey } from './key-sequence.ts';

function createRegistry(openHelp: (hints: KeyHint[]) => void): CommandRegistry {
  const hintSets = new Set<readonly KeyHint[]>();
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
    addHints: (hints) => {
      hintSets.add(hints);
      return () => {
        hintSets.delete(hints);
      };
    },
    openHelp: () => openHelp([...hintSets].flat()),
  };
}

const forgetAfterMs = 1200;

/** A focused button or link handles Enter and Space itself. */
const actsItself = (target: EventTarget | null, key: string): boolean =>
  target instanceof HTMLElement &&
  (key === 'Enter' || key === ' ') &&
  target.closest('button, a, summary, [role=menuitem], [role=option], [role=tab]') !== null;

const layers = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]';

/**
 * Whether a layer covers the page, or did until this key closed it: Escape that closes a dialog must not act on the
 * page. Closed lists and menus may remain in the document, invisible.
 */
const isOverPage = (event: KeyboardEvent): boolean =>
  event.composedPath().some((each) => each instanceof Element && each.matches(layers)) ||
  [...document.querySelectorAll(layers)].some((element) =>
    element.checkVisibility({ visibilityProperty: true }),
  );

const hasKeys = (command: Command): command is Command & { keys: string } => command.keys !== undefined;

/** Runs the command, or shows why it is not available. */
export function runCommand({ reason = null, run }: Command): void {
  if (reason === null) run();
  else notifications.show({ color: 'yellow', message: reason });
}

export function CommandProvider({ children }: { children: ReactNode }) {
  const [help, setHelp] = useState<{ commands: Command[]; hints: KeyHint[] } | null>(null);
  const registry = useMemo(() => {
    const made: CommandRegistry = createRegistry((hints) => setHelp({ commands: made.all(), hints }));
    return made;
  }, []);

  useEffect(() => {
    let pending: string[] = [];
    let forget = 0;
    const listBindings = () => [
      { keys: '?', label: 'Show shortcuts', run: registry.openHelp },
      ...registry.all().filter(hasKeys),
    ];
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || actsItself(event.target, event.key) || isOverPage(event)) return;
      if (event.key === 'Shift') return;
      const match = pressKey(listBindings(), pending, event.key);
      pending = match.pending;
      window.clearTimeout(forget);
      forget = window.setTimeout(() => {
        pending = [];
      }, forgetAfterMs);
      if (match.binding === null) return;
      event.preventDefault();
      runCommand(match.binding);
    };
    // “m d” measures a distance although “d” alone tilts the oblique plane that has the focus.
    const continueSequence = (event: KeyboardEvent) => {
      if (!continuesSequence(listBindings(), pending, event.key)) return;
      onKeyDown(event);
      if (event.defaultPrevented) event.stopPropagation();
    };
    window.addEventListener('keydown', continueSequence, true);
    window.addEventListener('keydown', onKeyDown);
    return () => {
      window.clearTimeout(forget);
      window.removeEventListener('keydown', continueSequence, true);
      window.removeEventListener('keydown', onKeyDown);
    };
  }, [registry]);

  return (
    <CommandContext value={registry}>
      {children}
      <KeyHelp
        commands={help?.commands.filter(hasKeys) ?? null}
        hints={help?.hints ?? []}
        onClose={() => setHelp(null)}
      />
    </CommandContext>
  );
}
