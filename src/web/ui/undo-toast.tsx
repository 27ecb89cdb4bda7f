import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { isInText } from './is-typing.ts';

interface Done {
  text: string;
  undo: () => void;
  /** undefined when it can't be repeated */
  redo: (() => void) | undefined;
  /** path of the page where it was done; Ctrl+Z works only there */
  page: string;
  /** id of the object that was changed */
  about: string | undefined;
}

const maxUndoSteps = 50;
let done: Done[] = [];
let undone: Done[] = [];

/**
 * Adds a step that Ctrl+Z undoes, and Ctrl+Shift+Z repeats if there is a `redo`; a new step ends what can be repeated.
 * @returns a function that undoes it, at most once
 */
export function rememberUndo(text: string, undo: () => void, about?: string, redo?: () => void): () => void {
  const entry = { text, undo, redo, page: location.pathname, about };
  done = [...done.slice(1 - maxUndoSteps), entry];
  undone = [];
  return () => {
    if (done.includes(entry)) takeBack(entry);
  };
}

function takeBack(entry: Done): void {
  done = done.filter((each) => each !== entry);
  undone = entry.redo ? [...undone, entry] : [];
  entry.undo();
}

function repeat(entry: Done): void {
  undone = undone.filter((each) => each !== entry);
  done = [...done, entry];
  entry.redo?.();
}

/** Drops the steps of an object that no longer exists. */
export const forgetUndo = (about: string): void => {
  done = done.filter((each) => each.about !== about);
  undone = undone.filter((each) => each.about !== about);
};

/** Shows what was done, with Undo for ten seconds. Ctrl+Z works for as long as the page is open. */
export function notifyWithUndo(text: string, undo: () => void, about?: string, redo?: () => void): void {
  const hide = () => {
    notifications.hide(id);
    undo();
  };
  const undoOnce = rememberUndo(text, hide, about, redo);
  const id = notifications.show({
    autoClose: 10_000,
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm">{text}</Text>
        <Button variant="default" size="compact-sm" flex="none" onClick={undoOnce}>
          Undo
        </Button>
      </Group>
    ),
  });
}

/** Ctrl+Z or ⌘+Z undoes the last step of the page and says which; with Shift, or Ctrl+Y, the last undone is repeated. */
export function useUndoByKeys(): void {
  useEffect(() => {
    const undoOnce = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase();
      if (event.defaultPrevented || event.altKey || !['z', 'y'].includes(key)) return;
      if (!(event.ctrlKey || event.metaKey) || isInText(event.target)) return;
      const isRedo = event.shiftKey || key === 'y';
      const last = (isRedo ? undone : done).findLast(({ page }) => page === location.pathname);
      if (!last) return;
      event.preventDefault();
      if (isRedo) repeat(last);
      else takeBack(last);
      notifications.show({ message: `${isRedo ? 'Repeated' : 'Undone'}: ${last.text}` });
    };
    window.addEventListener('keydown', undoOnce);
    return () => window.removeEventListener('keydown', undoOnce);
  }, []);
}
