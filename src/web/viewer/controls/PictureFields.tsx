import type { ReactNode } from 'react';
import { NumberField } from './NumberField.tsx';
import styles from './panel.module.css';

interface PictureFieldsProps {
  label: string;
  heightMm: number;
  onHeight: (heightMm: number) => void;
  /** coordinates of the centre, with the name of each direction */
  middle: readonly (readonly [name: string, mm: number])[];
  onMiddle: (at: number, mm: number) => void;
  /** further fields of the view, shown first */
  children?: ReactNode;
}

/** Height and centre of a picture, which wheel and Shift + drag also change. */
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
