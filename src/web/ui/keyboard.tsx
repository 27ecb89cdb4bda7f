/** Keys of the page: every component states its own, one listener runs them, `?` lists them. */
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { KeyHelp } from './key-help.tsx';
import { type KeyBinding, pressKey } from './key-sequence.ts';

interface Registry {
  add: (bindings: KeyBinding[]) => () => void;
  openHelp: () => void;
  /** every key that is bound now, by whom ever */
  all: () => KeyBinding[];
}

const KeyboardContext = createContext<Registry | null>(null);
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

export function KeyboardProvider({ children }: { children: ReactNode }) {
  const sets = useRef<KeyBinding[][]>([]);
  const [help, setHelp] = useState<KeyBinding[] | null>(null);

  const registry = useMemo<Registry>(
    () => ({
      add: (bindings) => {
        sets.current = [...sets.current, bindings];
        return () => {
          sets.current = sets.current.filter((set) => set !== bindings);
        };
      },
      openHelp: () => setHelp(sets.current.flat()),
      all: () => sets.current.flat(),
    }),
    [],
  );

  useEffect(() => {
    let pending: string[] = [];
    let forget = 0;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || actsItself(event.target, event.key) || dialogIsOpen()) return;
      if (event.key === 'Shift') return;
      const help: KeyBinding = { keys: '?', label: 'Show shortcuts', run: registry.openHelp };
      const match = pressKey([help, ...sets.current.flat()], pending, event.key);
      pending = match.pending;
      window.clearTimeout(forget);
      forget = window.setTimeout(() => {
        pending = [];
      }, forgetAfterMs);
      if (match.binding === null) return;
      event.preventDefault();
      match.binding.run();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => {
      window.clearTimeout(forget);
      window.removeEventListener('keydown', onKeyDown);
    };
  }, [registry]);

  return (
    <KeyboardContext value={registry}>
      {children}
      <KeyHelp bindings={help} onClose={() => setHelp(null)} />
    </KeyboardContext>
  );
}

const useRegistry = (): Registry => {
  const registry = useContext(KeyboardContext);
  if (registry === null) throw new Error('useKeys needs a KeyboardProvider above it');
  return registry;
};

/**
 * Binds keys while the component is there. They are still while somebody types and while a dialog or menu is
 * open. The functions may change from one rendering to the next; keys, labels and groups may too.
 */
export function useKeys(bindings: KeyBinding[]): void {
  const registry = useRegistry();
  const latest = useRef(bindings);
  latest.current = bindings;
  const shape = bindings.map(({ keys, label, group }) => `${keys}\t${label}\t${group ?? ''}`).join('\n');
  useEffect(() => {
    const stated = shape === '' ? [] : shape.split('\n').map((line) => line.split('\t'));
    return registry.add(
      stated.map(([keys, label, group], index) => ({
        keys,
        label,
        group: group || undefined,
        run: () => latest.current[index]?.run(),
      })),
    );
  }, [registry, shape]);
}

/** What can be done on this page by a key; for other ways to do it. */
export const useBoundKeys = (): (() => KeyBinding[]) => useRegistry().all;

export const useKeyHelp = (): (() => void) => useRegistry().openHelp;
