/**
 * What can be done on the page that is open, for other ways to do it than the pointer: the palette offers it by name.
 * Every button of the page is one; what stands in menus, whose entries are not there until they open, is stated.
 */
import { useEffect, useRef } from 'react';

export interface PageAction {
  label: string;
  /** why it can't be done now; null = it can */
  reason: string | null;
  run: () => void;
}

let stated: (() => PageAction[])[] = [];

/** States what the menus of a component do while it is there; labels, reasons and functions may change. */
export function usePageActions(actions: PageAction[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const read = () => latest.current;
    stated = [...stated, read];
    return () => {
      stated = stated.filter((each) => each !== read);
    };
  }, []);
}

const nameOf = (element: HTMLElement): string =>
  (element.getAttribute('aria-label') ?? element.innerText).replaceAll(/\s+/g, ' ').trim();

/** The buttons and tabs that are seen, but for those of table rows, which the keys of the rows reach. */
function buttonsOf(root: ParentNode): PageAction[] {
  const elements = [...root.querySelectorAll<HTMLElement>('main button, main a[role="button"]')];
  return elements
    .filter((element) => element.closest('tbody') === null && element.checkVisibility())
    .filter((element) => !(element as HTMLButtonElement).disabled && nameOf(element) !== '')
    .map((element) => ({
      label: nameOf(element),
      reason:
        element.getAttribute('aria-disabled') === 'true'
          ? (element.getAttribute('aria-description') ?? 'It is off now')
          : null,
      run: () => {
        element.focus();
        element.click();
      },
    }));
}

/** What menus state first, then the buttons, each name once. */
export function actionsOfPage(): PageAction[] {
  const all = [...stated.flatMap((read) => read()), ...buttonsOf(document)];
  const byName = new Map<string, PageAction>();
  for (const action of all) {
    const name = action.label.toLowerCase();
    if (!byName.has(name)) byName.set(name, action);
  }
  return [...byName.values()];
}
