import { useEffect } from 'react';

/**
 * Ctrl or ⌘ and Enter send the form that has the focus; in a dialog the button that says so (`data-sends`), else its form,
 * wherever in it the focus is.
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
