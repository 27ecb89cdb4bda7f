import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentProps, MouseEvent } from 'react';

/** An error that shows on leaving a field would move the button away from under the pointer. */
export const keepFocus = (event: MouseEvent): void => event.preventDefault();

/** Sends the form around it. Pressing it leaves the focus in the field. */
export const SubmitButton = (
  props: ButtonProps & Omit<ComponentProps<'button'>, keyof ButtonProps | 'type'>,
) => <Button type="submit" onMouseDown={keepFocus} {...props} />;
