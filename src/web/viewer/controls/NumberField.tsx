import { useState } from 'react';
import { decimalsFor, fixed } from '#contract/base/format-number.ts';
import { parsedNumber } from '../overlay/format-number.ts';
import styles from './inputs.module.css';

interface NumberFieldProps {
  label: string;
  value: number;
  /** increment of the arrow keys */
  step: number;
  /** derived from the step by default */
  decimals?: number;
  unit?: string;
  minimum?: number;
  maximum?: number;
  disabled?: boolean;
  /** width of the input in characters */
  characters?: number;
  onChange: (value: number) => void;
}

/** A number applied on Enter or when the field loses focus; arrow keys step, Escape restores the old value. */
export function NumberField({ label, value, step, unit, onChange, ...more }: NumberFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const { minimum = -Infinity, maximum = Infinity, disabled, characters = 8 } = more;
  const shown = fixed(value, more.decimals ?? decimalsFor(step));
  const clamp = (number: number) => Math.min(maximum, Math.max(minimum, number));
  const commit = () => {
    const number = typed === null ? null : parsedNumber(typed);
    if (number !== null && typed !== shown) onChange(clamp(number));
    setTyped(null);
  };
  const invalid = typed !== null && parsedNumber(typed) === null;
  return (
    <span className={styles['field']} data-number>
      <input
        className={styles['input']}
        type="text"
        inputMode="decimal"
        aria-label={unit ? `${label}, ${unit}` : label}
        aria-invalid={invalid || undefined}
        title={invalid ? 'Not a number. Press Escape to restore the previous value.' : label}
        disabled={disabled}
        style={{ width: `${characters}ch` }}
        value={typed ?? shown}
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === 'Enter') commit();
          if (event.key === 'Escape') setTyped(null);
          const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
          if (direction === undefined) return;
          event.preventDefault();
          const base = typed === null ? value : (parsedNumber(typed) ?? value);
          setTyped(null);
          onChange(clamp(base + direction * step * (event.shiftKey ? 10 : 1)));
        }}
      />
      {unit ? <span aria-hidden="true">{unit}</span> : null}
    </span>
  );
}
