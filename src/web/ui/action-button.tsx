import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import { type ComponentPropsWithoutRef, type MouseEvent, type ReactNode, useRef } from 'react';
import { useCommands } from './commands.ts';

interface ActionButtonProps extends ButtonProps, Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps> {
  /** why it can't be done now; null or undefined = it can */
  reason?: string | null;
  children: ReactNode;
}

/** A reason is also read by who has come to the button with a key or a finger. */
export const reasonEvents = { hover: true, focus: true, touch: true };

/**
 * A button that is a command of its page, and says why it can't be pressed. It keeps the focus and its tooltip while it is off, so that the
 * reason can be read with keyboard and pointer alike.
 */
export function ActionButton({ reason, onClick, children, ...rest }: ActionButtonProps) {
  const off = reason !== null && reason !== undefined;
  const button = useRef<HTMLButtonElement>(null);
  const label = rest['aria-label'] ?? (typeof children === 'string' ? children : undefined);
  useCommands(
    label === undefined || rest.disabled
      ? []
      : [{ label, reason, button, run: () => button.current?.click() }],
  );
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (off) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <Tooltip label={reason} disabled={!off} multiline maw={320} openDelay={0} events={reasonEvents}>
      <Button
        {...rest}
        ref={button}
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
