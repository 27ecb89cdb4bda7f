import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentProps, MouseEvent } from 'react';

/** Keeps the focus in the field: an error shown on blur would move the button away from under the pointer. */
export const keepFocus = (event: MouseEvent): void => event.preventDefault();

/** Submits the surrounding form; pressing it leaves the focus in the field. */
export const SubmitButton = (
  props: ButtonProps & Omit<ComponentProps<'button'>, keyof ButtonProps | 'type'>,
) => <Button type="submit" onMouseDown={keepFocus} {...props} />;
