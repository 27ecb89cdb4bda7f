import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import type { ComponentPropsWithoutRef, MouseEvent, ReactNode } from 'react';

interface ActionButtonProps extends ButtonProps, Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps> {
  /** why it can't be done now; null or undefined = it can */
  reason?: string | null;
  children: ReactNode;
}

/** A reason is also read by who has come to the button with a key or a finger. */
export const reasonEvents = { hover: true, focus: true, touch: true };

/**
 * A button that says why it can't be pressed. It keeps the focus and its tooltip while it is off, so that the
 * reason can be read with keyboard and pointer alike.
 */
export function ActionButton({ reason, onClick, children, ...rest }: ActionButtonProps) {
  const off = reason !== null && reason !== undefined;
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (off) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <Tooltip label={reason} disabled={!off} multiline maw={320} openDelay={0} events={reasonEvents}>
      <Button
        {...rest}
        data-disabled={off || undefined}
        aria-disabled={off || undefined}
        aria-description={reason ?? undefined}
        onClick={press}
      >
        {children}
      </Button>
    </Tooltip>
  );
}
