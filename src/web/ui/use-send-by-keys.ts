import { useEffect } from 'react';

/** Of the button of a question that goes on with what cannot be undone. */
export const dangerousGo = { color: 'danger', 'data-sends': true };

/**
 * Ctrl or ⌘ and Enter send the dialog that is open: the button that says so (`data-sends`), else its form. A form that
 * sends itself has stopped the event before.
 */
export function useSendByKeys(): void {
  useEffect(() => {
    const send = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
      const open = [...document.querySelectorAll<HTMLElement>('[role="dialog"]')].at(-1);
      const button = open?.querySelector<HTMLButtonElement>('button[data-sends]');
      const form = open?.querySelector('form');
      if (!button && !form) return;
      event.preventDefault();
      if (button) button.click();
      else form?.requestSubmit();
    };
    document.addEventListener('keydown', send);
    return () => document.removeEventListener('keydown', send);
  }, []);
}
