import { ActionIcon, Button, NumberInput, SegmentedControl, Select, Slider, Switch } from '@mantine/core';
import { useMediaQuery, useReducedMotion } from '@mantine/hooks';
import { IconX } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { compareModes, compareViews } from '#contract/shapes/view-state.ts';
import { autoWindow } from '#kernels/grid/grey-window.ts';
import { boundScans } from '#kernels/grid/place-compared.ts';
import { axisNames } from '#kernels/grid/plane-transform.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import type { CompareMode } from '#kernels/overlay/paint-compared-slice.ts';
import { useCommands } from '../../ui/commands.ts';
import type { CompareLook } from '../../viewer/compare/compare-look.ts';
import type { ComparedScan } from '../../viewer/compare/compared-scan.ts';
import classes from './compare-page.module.css';
import type { ScanOfProject } from './use-compared-scans.ts';

const blinkMs = 700;

export interface Blinking {
  isOther: boolean;
  isRunning: boolean;
  setRunning: (isRunning: boolean) => void;
  flip: () => void;
}

/** Shows one and the other in turn until it is held; who wants no motion turns them by hand. */
export function useBlinking(isOn: boolean): Blinking {
  const isCalm = useReducedMotion();
  const [isOther, setOther] = useState(false);
  const [isHeld, setHeld] = useState<boolean | null>(null);
  const isRunning = isOn && !(isHeld ?? isCalm);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setOther((before) => !before), blinkMs);
    return () => clearInterval(timer);
  }, [isRunning]);
  return {
    isOther,
    isRunning,
    setRunning: (next) => setHeld(!next),
    flip: () => {
      setHeld(true);
      setOther(!isOther);
    },
  };
}

interface CompareBarProps {
  look: CompareLook;
  scans: readonly ComparedScan[];
  known: readonly ScanOfProject[];
  blinking: Blinking;
  /** mm that a pane is high while no height is chosen; null before it is laid out */
  fitMm: number | null;
  onLook: (change: Partial<CompareLook>) => void;
  /** at the end of the first line */
  actions?: ReactNode;
}

const viewWords = { xy: 'XY', xz: 'XZ', yz: 'YZ', '3d': '3D' } as const;
const modeWords: Record<CompareMode, string> = {
  side: 'Side by side',
  blend: 'Blend',
  swipe: 'Swipe',
  blink: 'Blink',
};

/** How the scans are seen: everything that the pointer does on the panes has a field here. */
export function CompareBar({ look, scans, known, blinking, fitMm, onLook, actions }: CompareBarProps) {
  const { view = 'xy', mode = 'side', share = 0.5 } = look;
  const isScene = view === '3d';
  const isOver = !isScene && mode !== 'side' && scans.length > 1;
  // On a phone the panes have the room: numbers come when they are asked for.
  const isNarrow = useMediaQuery('(max-width: 600px)', false, { getInitialValueInEffect: false });
  const [hasNumbers, setNumbers] = useState(false);
  const unaligned = known.filter(({ scan }) => scan.pose === null).length;
  useCommands([
    ...compareViews.map((each) => ({
      label: `Show ${viewWords[each]}`,
      run: () => onLook({ view: each }),
    })),
    ...compareModes.map((each) => ({
      label: `Compare: ${modeWords[each].toLowerCase()}`,
      reason: scans.length > 1 ? null : 'Add a second scan first.',
      run: () => onLook({ mode: each, ...(isScene && each !== 'side' ? { view: 'xy' as const } : {}) }),
    })),
  ]);
  return (
    <div className={classes.bar} role="toolbar" aria-label="Comparison">
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
        disabled={isScene || scans.length < 2}
        data={compareModes.map((value) => ({ value, label: modeWords[value] }))}
        value={isScene ? 'side' : mode}
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
      <Switch
        size="xs"
        label={
          look.aligned !== 'no' && unaligned > 0
            ? `Aligned (${known.length - unaligned} of ${known.length})`
            : 'Aligned'
        }
        title={
          unaligned > 0
            ? `${unaligned} of ${known.length} without an alignment: shown as scanned.`
            : 'Each is shown in its aligned position.'
        }
        checked={look.aligned !== 'no'}
        onChange={(event) => onLook({ aligned: event.currentTarget.checked ? undefined : 'no' })}
      />
      {actions && <span className={classes.actions}>{actions}</span>}
      {isOver && mode !== 'blink' && (
        <Slider
          w={110}
          size="sm"
          thumbLabel={mode === 'blend' ? 'Opacity of the second' : 'Width of the second'}
          min={0}
          max={1}
          step={0.01}
          label={(value) => `${Math.round(100 * value)} %`}
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
      {!isScene && isNarrow && (
        <Button
          size="compact-xs"
          variant="default"
          aria-expanded={hasNumbers}
          onClick={() => setNumbers(!hasNumbers)}
        >
          Numbers
        </Button>
      )}
      {!isScene && (hasNumbers || !isNarrow) && <Places {...{ look, scans, fitMm, onLook }} />}
    </div>
  );
}

/** Cursor, height and grey window in numbers. */
function Places({
  look,
  scans,
  fitMm,
  onLook,
}: Pick<CompareBarProps, 'look' | 'scans' | 'fitMm' | 'onLook'>) {
  const bounds = boundScans(scans, look.aligned !== 'no');
  if (bounds === null) return null;
  const centre = bounds.min.map((low, axis) => (low + (bounds.max[axis] ?? 0)) / 2) as Vector3;
  const cursor = look.cursor ?? centre;
  const height = look.height ?? fitMm;
  // Until one is chosen for all, the fields tell the one that the first has by itself.
  const histogram = scans[0]?.volume?.histogram;
  const window = look.window ?? (histogram && autoWindow(histogram));
  const field = (label: string, value: number | '', onChange: (value: number) => void) => (
    <NumberInput
      key={label}
      size="xs"
      w={58}
      classNames={{ input: classes.number }}
      aria-label={label}
      title={label}
      hideControls
      decimalScale={3}
      value={value}
      onChange={(next) => typeof next === 'number' && onChange(next)}
    />
  );
  return (
    <>
      <span className={classes.fields}>
        {axisNames.map((name, axis) =>
          field(`Cursor ${name} in mm`, Number((cursor[axis] ?? 0).toFixed(3)), (value) =>
            onLook({ cursor: cursor.with(axis, value) as Vector3 }),
          ),
        )}
        mm
      </span>
      <span className={classes.fields}>
        Height
        {field('Height of the panes in mm', height === null ? '' : Number(height.toFixed(3)), (value) => {
          if (value > 0) onLook({ height: value });
        })}
      </span>
      <span className={classes.fields}>
        Level
        {field('Level, the same for all', roundGrey(window?.center), (center) => {
          if (window) onLook({ window: { ...window, center } });
        })}
        Width
        {field('Width, the same for all', roundGrey(window?.width), (width) => {
          if (window && width > 0) onLook({ window: { ...window, width } });
        })}
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
    </>
  );
}

const roundGrey = (value: number | undefined) => (value === undefined ? '' : Number(value.toPrecision(5)));
