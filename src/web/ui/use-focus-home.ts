import { useEffect } from 'react';

const remembered = 16;
/** Longer than a dialog needs to return the focus itself. */
const waitMs = 50;

const modal = '[role=dialog][aria-modal=true]';

const isGone = (element: HTMLElement) =>
  !element.isConnected || !element.checkVisibility({ visibilityProperty: true });

/**
 * Restores the keyboard focus when the focused element disappears (a dialog opened from a menu, a removed row). It
 * moves to the element focused before; inside an open dialog, else to the dialog's first target; after navigation, to
 * the content of the new page. A button disabled while its work runs gets the focus back afterwards.
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
        // Otherwise the focus was removed on purpose.
        return;
      }
      // Elements behind an open dialog can't be reached until it closes.
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
