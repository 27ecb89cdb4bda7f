import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentProps } from 'react';

/**
 * Sends the form around it. Pressing it leaves the focus in the field: an error that shows on leaving the field
 * would move the button away from under the pointer between pressing and letting go.
 */
export function SubmitButton(
  props: ButtonProps & Omit<ComponentProps<'button'>, keyof ButtonProps | 'type'>,
) {
  return <Button type="submit" onMouseDown={(event) => event.preventDefault()} {...props} />;
}
