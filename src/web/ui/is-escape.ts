import type { KeyboardEvent } from 'react';

/** Whether a key leaves what it reached: of a field with an open list Escape closes the list alone. */
export const isEscape = ({ key, defaultPrevented, target }: KeyboardEvent): boolean =>
  key === 'Escape' &&
  !defaultPrevented &&
  !(target instanceof Element && target.getAttribute('aria-expanded') === 'true');
