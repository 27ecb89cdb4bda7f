import type { ReactNode } from 'react';
import { useRef } from 'react';
import { useCommands } from '#web/ui/commands.ts';
import styles from './inputs.module.css';

interface IconButtonProps {
  label: string;
  /** the keyboard shortcut */
  keys?: string;
  pressed?: boolean;
  disabled?: boolean;
  onClick: () => void;
  children: ReactNode;
}

/** A small button with its label in a tooltip; with `pressed` it is a toggle. */
export function IconButton({ label, keys, pressed, disabled, onClick, children }: IconButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useCommands(disabled ? [] : [{ label, button, run: () => button.current?.click() }]);
  return (
    <button
      ref={button}
      type="button"
      className={styles['iconButton']}
      aria-label={label}
      aria-pressed={pressed}
      aria-keyshortcuts={keys}
      title={keys ? `${label} (${keys})` : label}
      disabled={disabled}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
