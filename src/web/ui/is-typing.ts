/** Whether the focus is in a field that takes text. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches('input:not([type=checkbox]):not([type=radio]), textarea, select'));

/** Whether the focus is in a field whose text the browser can undo. */
export const isInText = (target: EventTarget | null): boolean =>
  isTyping(target) && !(target as HTMLElement).matches('select, [type=range], [type=color], [type=file]');
