import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import { type ComponentPropsWithoutRef, type MouseEvent, type ReactNode, useRef } from 'react';
import { useCommands } from './commands.ts';

interface ActionButtonProps extends ButtonProps, Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps> {
  /** why the action is not available; null or undefined = it is */
  reason?: string | null;
  children: ReactNode;
}

/** Events that open the tooltip with the reason: keyboard and touch users can read it, too. */
export const reasonEvents = { hover: true, focus: true, touch: true };

/**
 * A button for a command of its page. While disabled it stays focusable and its tooltip states the reason, so that
 * keyboard and pointer users can read it.
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
