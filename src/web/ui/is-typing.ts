/** Whether the focus is in a field that takes text. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches('input:not([type=checkbox]):not([type=radio]), textarea, select'));
