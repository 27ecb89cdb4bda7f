import type { KeyboardEvent } from 'react';

/** Whether the key leaves the focused element. Escape in a field with an open list only closes the list. */
export const isEscape = ({ key, defaultPrevented, target }: KeyboardEvent): boolean =>
  key === 'Escape' &&
  !defaultPrevented &&
  !(target instanceof Element && target.getAttribute('aria-expanded') === 'true');
