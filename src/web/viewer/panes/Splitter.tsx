import { type FocusEvent, type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { NumberField } from '../controls/NumberField.tsx';
import styles from './panes.module.css';

interface SplitterProps {
  label: string;
  /** `vertical`: a vertical line that is moved left and right */
  orientation: 'vertical' | 'horizontal';
  /** position as a share of the panes' width or height, with its limits */
  value: number;
  least: number;
  most: number;
  /** start and end along the line, as shares of the other direction */
  reach: readonly [number, number];
  onMove: (value: number) => void;
  /** resets the default position */
  onReset: () => void;
}

const keyStep = 0.02;
const percent = (share: number) => `${100 * share}%`;

/** The line between panes: moved by dragging, arrow keys or a number; reset by double click or Enter. */
export function Splitter({ label, orientation, value, least, most, reach, onMove, onReset }: SplitterProps) {
  const line = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLSpanElement>(null);
  /** The number field exists only while it or the line has the focus; otherwise each line would be two tab stops. */
  const [isHeld, setHeld] = useState(false);
  const leave = ({ relatedTarget }: FocusEvent) =>
    setHeld(relatedTarget === line.current || (field.current?.contains(relatedTarget) ?? false));
  const isVertical = orientation === 'vertical';
  const move = (to: number) => onMove(Math.min(most, Math.max(least, to)));
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    const box = line.current?.parentElement?.getBoundingClientRect();
    if (!box || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    move(isVertical ? (event.clientX - box.left) / box.width : (event.clientY - box.top) / box.height);
  };
  const keys = (event: KeyboardEvent) => {
    const [back, on] = isVertical ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
    if (event.key === back) move(value - keyStep);
    else if (event.key === on) move(value + keyStep);
    else if (event.key === 'Home') move(least);
    else if (event.key === 'End') move(most);
    else if (event.key === 'Enter') onReset();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const from = percent(reach[0]);
  const length = percent(reach[1] - reach[0]);
  const middle = percent((reach[0] + reach[1]) / 2);
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a movable separator has a value, unlike <hr> */}
      <div
        ref={line}
        role="separator"
        tabIndex={0}
        className={styles['splitter']}
        aria-label={label}
        aria-orientation={orientation}
        aria-valuemin={Math.round(100 * least)}
        aria-valuemax={Math.round(100 * most)}
        aria-valuenow={Math.round(100 * value)}
        title={`${label}: drag it or use the arrow keys; double-click resets it`}
        style={
          isVertical
            ? { left: percent(value), top: from, height: length }
            : { top: percent(value), left: from, width: length }
        }
        onPointerDown={(event) => {
          if (event.button === 0) event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={drag}
        onDoubleClick={onReset}
        onKeyDown={keys}
        onFocus={() => setHeld(true)}
        onBlur={leave}
      />
      {isHeld ? (
        // biome-ignore lint/a11y/noStaticElementInteractions: only observes where the focus goes
        <span
          ref={field}
          className={styles['splitterField']}
          style={isVertical ? { left: percent(value), top: middle } : { top: percent(value), left: middle }}
          onBlur={leave}
        >
          <NumberField
            label={label}
            value={100 * value}
            step={1}
            decimals={1}
            unit="%"
            characters={5}
            onChange={(share) => move(share / 100)}
          />
        </span>
      ) : null}
    </>
  );
}
