import type { ComponentProps } from 'react';
import { ActionButton } from './action-button.tsx';

/**
 * Sends the form around it. Pressing it leaves the focus in the field: an error that shows on leaving the field
 * would move the button away from under the pointer between pressing and letting go.
 */
export const SubmitButton = (props: Omit<ComponentProps<typeof ActionButton>, 'type'>) => (
  <ActionButton type="submit" onMouseDown={(event) => event.preventDefault()} {...props} />
);
