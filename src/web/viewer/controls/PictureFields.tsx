import type { ReactNode } from 'react';
import styles from '../viewer.module.css';
import { NumberField } from './NumberField.tsx';

interface PictureFieldsProps {
  label: string;
  heightMm: number;
  onHeight: (heightMm: number) => void;
  /** what is in the middle, along each direction by its name */
  middle: readonly (readonly [name: string, mm: number])[];
  onMiddle: (at: number, mm: number) => void;
  /** what else there is about the view, before them */
  children?: ReactNode;
}

/** How much a picture shows, and what is in its middle: what the wheel and a drag with Shift change. */
export function PictureFields({ label, heightMm, onHeight, middle, onMiddle, children }: PictureFieldsProps) {
  const length = { step: 0.1, decimals: 3, unit: 'mm' };
  return (
    <fieldset className={styles['pictureFields']} aria-label={label}>
      {children}
      <span>
        Height
        <NumberField
          {...length}
          label="Height of the picture"
          value={heightMm}
          minimum={0.001}
          onChange={onHeight}
        />
      </span>
      {middle.map(([name, mm], at) => (
        <span key={name}>
          {name}
          <NumberField
            {...length}
            label={`${name} of the middle of the picture`}
            value={mm}
            onChange={(value) => onMiddle(at, value)}
          />
        </span>
      ))}
    </fieldset>
  );
}
