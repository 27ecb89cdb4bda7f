import { useEffect } from 'react';

/**
 * Ctrl/⌘ + Enter submits the focused form; in a dialog it presses the button marked `data-sends`, else it submits the
 * dialog's form, wherever the focus is.
 */
export function useSendByKeys(): void {
  useEffect(() => {
    const send = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      const open = [...document.querySelectorAll<HTMLElement>('[role="dialog"]')].at(-1);
      const button = open?.querySelector<HTMLButtonElement>('button[data-sends]');
      const own = event.target instanceof Element ? event.target.closest('form') : null;
      const form = own ?? open?.querySelector('form');
      if (!button && !form) return;
      event.preventDefault();
      if (button) button.click();
      else form?.requestSubmit();
    };
    document.addEventListener('keydown', send);
    return () => document.removeEventListener('keydown', send);
  }, []);
}
