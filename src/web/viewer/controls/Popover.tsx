import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import styles from '../viewer.module.css';

interface PopoverProps {
  label: string;
  /** what the button shows */
  button: ReactNode;
  children: ReactNode;
  align?: 'start' | 'end';
}

/** A button that opens a panel under it. Escape and a click elsewhere close it, the focus goes back to the button. */
export function Popover({ label, button, children, align = 'start' }: PopoverProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    if (!open) return;
    const elsewhere = (event: PointerEvent) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener('pointerdown', elsewhere, true);
    return () => document.removeEventListener('pointerdown', elsewhere, true);
  }, [open]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only catches the Escape of what is inside
    <div
      ref={root}
      className={styles['popoverRoot']}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return;
        event.stopPropagation();
        setOpen(false);
        root.current?.querySelector('button')?.focus();
      }}
    >
      <button
        type="button"
        className={styles['textButton']}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        title={label}
        onClick={() => setOpen(!open)}
      >
        {button}
      </button>
      {open ? (
        <section id={id} aria-label={label} className={styles['popover']} data-align={align}>
          {children}
        </section>
      ) : null}
    </div>
  );
}
