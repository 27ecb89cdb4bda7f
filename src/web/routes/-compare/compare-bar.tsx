import { ActionIcon, Button, NumberInput, SegmentedControl, Select, Slider } from '@mantine/core';
import { useMediaQuery, useReducedMotion } from '@mantine/hooks';
import { IconListNumbers, IconX } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { withUnit } from '#contract/base/format-number.ts';
import { compareModes, compareViews } from '#contract/shapes/view-state.ts';
import { standardView } from '#kernels/grid/camera.ts';
import { autoWindow } from '#kernels/grid/grey-window.ts';
import { boundScans, fitScans, measureBox } from '#kernels/grid/place-compared.ts';
import { axisNames, planeAxes } from '#kernels/grid/plane-transform.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import type { CompareMode } from '#kernels/overlay/paint-compared-slice.ts';
import { useCommands } from '#web/ui/commands.ts';
import { ReasonedSwitch } from '#web/ui/reasoned-switch.tsx';
import type { CompareLook } from '#web/viewer/compare/compare-look.ts';
import type { ComparedScan } from '#web/viewer/compare/compared-scan.ts';
import { CameraFields } from '#web/viewer/scene3d/CameraFields.tsx';
import classes from './compare-page.module.css';
import type { ScanOfProject } from './use-compared-scans.ts';

const blinkMs = 700;

export interface Blinking {
  isOther: boolean;
  isRunning: boolean;
  setRunning: (isRunning: boolean) => void;
  flip: () => void;
}

/** Alternates between the two scans until one is held; with reduced motion the user switches by hand. */
export function useBlinking(
  { mode, held }: CompareLook,
  onLook: (change: Pick<CompareLook, 'held'>) => void,
): Blinking {
  const isCalm = useReducedMotion();
  const [isBegun, setBegun] = useState(false);
  const [isTurned, setTurned] = useState(false);
  const isRunning = mode === 'blink' && held === undefined && (isBegun || !isCalm);
  const isOther = held === undefined ? isTurned : held === 'other';
  const hold = (other: boolean) => onLook({ held: other ? 'other' : 'first' });
  useEffect(() => {
    if (!isRunning) return;
    let timer: number | undefined;
    // The time starts once a scan is drawn, so that a slow renderer still answers input in between.
    const frame = requestAnimationFrame(() => {
      timer = window.setTimeout(() => setTurned(!isTurned), blinkMs);
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [isRunning, isTurned]);
  return {
    isOther,
    isRunning,
    setRunning: (next) => {
      setBegun(next);
      if (next) onLook({ held: undefined });
      else hold(isOther);
    },
    flip: () => hold(!isOther),
  };
}

interface CompareBarProps {
  look: CompareLook;
  scans: readonly ComparedScan[];
  known: readonly ScanOfProject[];
  blinking: Blinking;
  /** aspect ratio of a pane (width / height); null before layout */
  aspect: number | null;
  onLook: (change: Partial<CompareLook>) => void;
  /** at the end of the first row */
  actions?: ReactNode;
}

const viewWords = { xy: 'XY', xz: 'XZ', yz: 'YZ', '3d': '3D' } as const;
const modeWords: Record<CompareMode, string> = {
  side: 'Side by side',
  blend: 'Blend',
  swipe: 'Swipe',
  blink: 'Blink',
};

/** How the scans are shown: everything the pointer can do on the panes also has a field here. */
export function CompareBar({ look, scans, known, blinking, aspect, onLook, actions }: CompareBarProps) {
  const { view = 'xy', mode = 'side', share = 0.5 } = look;
  const isScene = view === '3d';
  const isOver = mode !== 'side' && scans.length > 1;
  // The panes need the space: what has no room in one line is shown on request.
  const isNarrow = useMediaQuery('(max-width: 600px)', false, { getInitialValueInEffect: false });
  const [hasNumbers, setNumbers] = useState(false);
  useCommands([
    ...compareViews.map((each) => ({
      label: `Show ${viewWords[each]}`,
      run: () => onLook({ view: each }),
    })),
    ...compareModes.map((each) => ({
      label: `Compare: ${modeWords[each].toLowerCase()}`,
      reason: scans.length > 1 ? null : 'Add a second scan first.',
      run: () => onLook({ mode: each }),
    })),
  ]);
  return (
    <div className={classes.bar} role="toolbar" aria-label="Comparison">
      <div className={classes.tools}>
        <SegmentedControl
          size="xs"
          aria-label="View"
          data={compareViews.map((value) => ({ value, label: viewWords[value] }))}
          value={view}
          onChange={(value) => onLook({ view: value as typeof view })}
        />
        <SegmentedControl
          size="xs"
          aria-label="Arrangement"
          disabled={scans.length < 2}
          data={compareModes.map((value) => ({ value, label: modeWords[value] }))}
          value={mode}
          onChange={(value) => onLook({ mode: value as CompareMode })}
        />
        {isOver && scans.length > 2 && (
          <Select
            size="xs"
            w={170}
            aria-label="Over the first"
            allowDeselect={false}
            data={scans.slice(1).map(({ title }, index) => ({ value: String(index + 1), label: title }))}
            value={String(Math.min(scans.length - 1, look.over ?? 1))}
            onChange={(value) => onLook({ over: Number(value) })}
          />
        )}
        <AlignedSwitch {...{ look, known, onLook }} />
        {actions && <span className={classes.actions}>{actions}</span>}
        {isOver && mode !== 'blink' && (
          <Slider
            w={110}
            size="sm"
            title={shareWords[mode]}
            thumbLabel={shareWords[mode]}
            min={0}
            max={1}
            step={0.01}
            label={(value) => withUnit(`${Math.round(100 * value)}`, '%')}
            value={share}
            onChange={(value) => onLook({ share: value })}
          />
        )}
        {isOver && mode === 'blink' && (
          <>
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => blinking.setRunning(!blinking.isRunning)}
            >
              {blinking.isRunning ? 'Pause' : 'Blink'}
            </Button>
            <Button size="compact-xs" variant="default" onClick={blinking.flip}>
              Show the other
            </Button>
          </>
        )}
        <ActionIcon
          aria-label="Numbers"
          title="Number fields for everything that can be dragged"
          aria-expanded={hasNumbers}
          variant={hasNumbers ? 'light' : 'default'}
          onClick={() => setNumbers(!hasNumbers)}
        >
          <IconListNumbers size={15} aria-hidden />
        </ActionIcon>
        {!isScene && (hasNumbers || !isNarrow) && <GreyFields {...{ look, scans, aspect, onLook }} />}
        {hasNumbers && isScene && <CameraNumbers {...{ look, scans, aspect, onLook }} />}
        {!isScene && (hasNumbers || !(isNarrow || isOver)) && <Places {...{ look, scans, aspect, onLook }} />}
        {hasNumbers && !isScene && <Middle {...{ look, scans, aspect, onLook }} />}
        {hasNumbers && isOver && mode !== 'blink' && (
          <span className={classes.fields}>
            {shareWords[mode]}
            <BarNumber
              label={`${shareWords[mode]} in %`}
              value={Math.round(100 * share)}
              onChange={(percent) => onLook({ share: Math.min(100, Math.max(0, percent)) / 100 })}
            />
            %
          </span>
        )}
      </div>
    </div>
  );
}

/** Switches to the aligned positions, if at least one scan has one. */
function AlignedSwitch({ look, known, onLook }: Pick<CompareBarProps, 'look' | 'known' | 'onLook'>) {
  const aligned = known.filter(({ scan }) => scan.pose !== null).length;
  const isNone = aligned === 0;
  const isOn = look.aligned !== 'no' && !isNone;
  const isPartly = aligned < known.length;
  return (
    <ReasonedSwitch
      size="xs"
      label={isOn && isPartly ? `Aligned (${aligned} of ${known.length})` : 'Aligned'}
      title={
        isNone
          ? undefined
          : isPartly
            ? `${known.length - aligned} of ${known.length} without an alignment: shown as scanned.`
            : 'Each is shown in its aligned position.'
      }
      reason={isNone ? 'No scan has been aligned yet: all are shown as scanned.' : null}
      checked={isOn}
      onChange={(isAligned) => onLook({ aligned: isAligned ? undefined : 'no' })}
    />
  );
}

const shareWords = { blend: 'Opacity of the second', swipe: 'Width of the second' } as const;

type NumbersProps = Pick<CompareBarProps, 'look' | 'scans' | 'aspect' | 'onLook'>;

/** Number fields for the camera shared by all scenes. */
function CameraNumbers({ look, scans, aspect, onLook }: NumbersProps) {
  const bounds = boundScans(scans, look.aligned !== 'no', true);
  if (bounds === null || aspect === null) return null;
  return (
    <CameraFields
      camera={look.camera ?? standardView('isometric', bounds, aspect)}
      onChange={(camera) => onLook({ camera })}
    />
  );
}

interface BarNumberProps {
  label: string;
  /** in the field, before the value */
  mark?: string;
  value: number | '';
  onChange: (value: number) => void;
}

const BarNumber = ({ label, mark, value, onChange }: BarNumberProps) => (
  <NumberInput
    size="xs"
    w={mark ? 66 : 58}
    leftSection={mark}
    leftSectionWidth={16}
    classNames={{ input: classes.number, section: classes.mark }}
    aria-label={label}
    title={label}
    hideControls
    decimalScale={3}
    value={value}
    onChange={(next) => typeof next === 'number' && onChange(next)}
  />
);

/** Number fields for cursor and pane height. */
function Places({ look, scans, aspect, onLook }: NumbersProps) {
  const bounds = boundScans(scans, look.aligned !== 'no', false);
  if (bounds === null) return null;
  const { centre, sizeMm } = measureBox(bounds);
  const cursor = look.cursor ?? centre;
  const height = look.height ?? (aspect === null ? null : fitScans(sizeMm, aspect));
  return (
    <>
      <span className={classes.fields}>
        {axisNames.map((name, axis) => (
          <BarNumber
            key={name}
            label={`Cursor ${name} in mm`}
            mark={name}
            value={roundMm(cursor[axis] ?? 0)}
            onChange={(value) => onLook({ cursor: cursor.with(axis, value) as Vector3 })}
          />
        ))}
        mm
      </span>
      <span className={classes.fields}>
        Height
        <BarNumber
          label="Height of the panes in mm"
          value={height === null ? '' : roundMm(height)}
          onChange={(value) => value > 0 && onLook({ height: value })}
        />
      </span>
    </>
  );
}

/** Number fields for the point at the centre of the panes. */
function Middle({ look, scans, onLook }: NumbersProps) {
  const bounds = boundScans(scans, look.aligned !== 'no', false);
  if (bounds === null || look.view === '3d') return null;
  const middle = look.middle ?? measureBox(bounds).centre;
  const { u, v } = planeAxes[look.view ?? 'xy'];
  return (
    <span className={classes.fields}>
      Middle
      {[u, v].map((axis) => (
        <BarNumber
          key={axis}
          label={`${axisNames[axis]} of the middle in mm`}
          value={roundMm(middle[axis])}
          onChange={(value) => onLook({ middle: middle.with(axis, value) as Vector3 })}
        />
      ))}
      mm
    </span>
  );
}

/** Number fields for the grey window of all scans; until one is set they show the automatic window of the first. */
function GreyFields({ look, scans, onLook }: NumbersProps) {
  const histogram = scans[0]?.volume?.histogram;
  const window = look.window ?? (histogram && autoWindow(histogram));
  return (
    <span className={classes.fields}>
      Level
      <BarNumber
        label="Level, the same for all"
        value={roundGrey(window?.center)}
        onChange={(center) => window && onLook({ window: { ...window, center } })}
      />
      Width
      <BarNumber
        label="Width, the same for all"
        value={roundGrey(window?.width)}
        onChange={(width) => window && width > 0 && onLook({ window: { ...window, width } })}
      />
      {look.window && (
        <ActionIcon
          size="sm"
          aria-label="Own level and width for each scan"
          title="Own level and width for each scan"
          onClick={() => onLook({ window: undefined })}
        >
          <IconX size={14} aria-hidden />
        </ActionIcon>
      )}
    </span>
  );
}

const roundMm = (mm: number) => Number(mm.toFixed(3));
const roundGrey = (value: number | undefined) => (value === undefined ? '' : Number(value.toPrecision(5)));
