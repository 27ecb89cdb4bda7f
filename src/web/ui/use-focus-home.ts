import { useEffect } from 'react';

const remembered = 16;
/** Longer than a dialog takes to give the focus back by itself. */
const waitMs = 50;

const modal = '[role=dialog][aria-modal=true]';

const isGone = (element: HTMLElement) =>
  !element.isConnected || !element.checkVisibility({ visibilityProperty: true });

/**
 * The keyboard keeps its place: when what has the focus goes away (a dialog that a menu opened, a row that was removed),
 * what had it before takes it, in an open dialog the first of what has come instead, on a page that was left the content of
 * the new one. A button that is off while its work
 * runs has it again afterwards.
 */
export function useFocusHome(): void {
  useEffect(() => {
    let had: HTMLElement[] = [];
    let pathname = window.location.pathname;
    let timer = 0;
    const remember = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return;
      had = [target, ...had.filter((each) => each !== target)].slice(0, remembered);
      pathname = window.location.pathname;
    };
    const goHome = (from: HTMLElement, wasOff = false) => {
      if (document.activeElement !== document.body) return;
      if (!isGone(from)) {
        if (from.matches(':disabled')) timer = window.setTimeout(goHome, waitMs, from, true);
        else if (wasOff) from.focus({ preventScroll: true });
        // Else the focus was taken away on purpose.
        return;
      }
      // What lies behind an open dialog is out of reach until that is closed.
      const dialog = [...document.querySelectorAll<HTMLElement>(modal)].findLast((each) => !isGone(each));
      const isElsewhere = pathname !== window.location.pathname;
      const isWithin = (each: HTMLElement) =>
        dialog === undefined || (each !== dialog && dialog.contains(each));
      const home = isElsewhere
        ? undefined
        : had.find((each) => !isGone(each) && !each.matches(':disabled') && isWithin(each));
      const first = dialog?.querySelector<HTMLElement>('[data-autofocus]') ?? dialog;
      (home ?? first ?? document.getElementById('content'))?.focus({ preventScroll: true });
    };
    const leave = ({ target, relatedTarget }: FocusEvent) => {
      window.clearTimeout(timer);
      if (relatedTarget === null && target instanceof HTMLElement)
        timer = window.setTimeout(goHome, waitMs, target);
    };
    document.addEventListener('focusin', remember);
    document.addEventListener('focusout', leave);
    return () => {
      window.clearTimeout(timer);
      document.removeEventListener('focusin', remember);
      document.removeEventListener('focusout', leave);
    };
  }, []);
}
