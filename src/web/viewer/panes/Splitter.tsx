import { type FocusEvent, type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { NumberField } from '../controls/NumberField.tsx';
import styles from '../viewer.module.css';

interface SplitterProps {
  label: string;
  /** `vertical`: a line from top to bottom that is moved to the left and the right */
  orientation: 'vertical' | 'horizontal';
  /** where it stands, as a share of the panes' width or height, and between what */
  value: number;
  least: number;
  most: number;
  /** from which to which share of the other direction it reaches */
  reach: readonly [number, number];
  onMove: (value: number) => void;
  /** to where it stood at first */
  onReset: () => void;
}

const keyStep = 0.02;
const percent = (share: number) => `${100 * share}%`;

/** The line between panes: dragged, moved by the arrow keys or by number, put back by a double click or Enter. */
export function Splitter({ label, orientation, value, least, most, reach, onMove, onReset }: SplitterProps) {
  const line = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLSpanElement>(null);
  /** The number is there while it or the line has the focus: else each line would be two stops of the tabulator. */
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
      {/* biome-ignore lint/a11y/useSemanticElements: a line that can be moved is a separator with a value, no rule of a text */}
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
        // biome-ignore lint/a11y/noStaticElementInteractions: hears where the focus goes, and does nothing by itself
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
