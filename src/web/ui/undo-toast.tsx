import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { isInText } from './is-typing.ts';

interface Done {
  text: string;
  undo: () => void;
  /** path of the page where it was done; Ctrl+Z works only there */
  page: string;
  /** id of the object that was changed */
  about: string | undefined;
}

const maxUndoSteps = 50;
let done: Done[] = [];

/** Adds a step that Ctrl+Z undoes. @returns a function that undoes it, at most once */
export function rememberUndo(text: string, undo: () => void, about?: string): () => void {
  const entry = { text, undo, page: location.pathname, about };
  done = [...done.slice(1 - maxUndoSteps), entry];
  return () => {
    if (!done.includes(entry)) return;
    done = done.filter((each) => each !== entry);
    undo();
  };
}

/** Drops the steps of an object that was deleted. */
export const forgetUndo = (about: string): void => {
  done = done.filter((each) => each.about !== about);
};

/** Shows what was done, with Undo for ten seconds. Ctrl+Z works for as long as the page is open. */
export function notifyWithUndo(text: string, undo: () => void, about?: string): void {
  const hide = () => {
    notifications.hide(id);
    undo();
  };
  const undoOnce = rememberUndo(text, hide, about);
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

/** Ctrl+Z or ⌘+Z undoes the last step of the page and says which. */
export function useUndoByKeys(): void {
  useEffect(() => {
    const undoOnce = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'z') return;
      if (!(event.ctrlKey || event.metaKey) || isInText(event.target)) return;
      const last = done.findLast(({ page }) => page === location.pathname);
      if (!last) return;
      event.preventDefault();
      done = done.filter((each) => each !== last);
      last.undo();
      notifications.show({ message: `Undone: ${last.text}` });
    };
    window.addEventListener('keydown', undoOnce);
    return () => window.removeEventListener('keydown', undoOnce);
  }, []);
}
