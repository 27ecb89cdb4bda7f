import type { CSSProperties } from 'react';
import {
  defaultShares,
  dividePanes,
  type PaneLayout,
  type PaneName,
  type PanePlace,
  type PaneShares,
} from '#kernels/grid/pane-layout.ts';
import { Legend } from '../scalars/Legend.tsx';
import { ScenePane } from '../scene3d/ScenePane.tsx';
import { SlicePane } from '../slices/SlicePane.tsx';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import styles from './panes.module.css';
import { Splitter } from './Splitter.tsx';

/** Minimum share of a pane in the whole. */
const least = 0.12;
const order: readonly PaneName[] = ['3d', 'xy', 'xz', 'yz', 'oblique'];

interface PanesProps {
  model: ViewerModel;
  /** the visible layout: on a small screen a single pane, whatever the view state says */
  layout: PaneLayout;
  hasScene: boolean;
  shares: PaneShares;
  onShares: (shares: PaneShares) => void;
  /** null if there is space for only one pane */
  onMaximise: ((name: PaneName) => void) | null;
}

/** The four panes in their layout, with splitters between them. A hidden pane stays mounted but draws nothing. */
export function Panes({ model, layout, hasScene, shares, onShares, onMaximise }: PanesProps) {
  const { oblique, slices } = useSignal(model.store.signal);
  const hasOblique = oblique !== null;
  const places = dividePanes(layout, shares, hasScene, hasOblique);
  // Otherwise 3D has it; on a small screen the picture needs the space.
  const needsLegend = slices.surface && onMaximise !== null && !places.some(({ name }) => name === '3d');
  const panes = (
    <div className={styles['panes']} data-layout={layout}>
      {order.map((name) => {
        const place = places.find((each) => each.name === name);
        const pane = {
          model,
          maximised: places.length === 1,
          onMaximise: onMaximise && (() => onMaximise(name)),
        };
        return (
          <div
            key={name}
            data-pane={name}
            className={styles['cell']}
            hidden={!place}
            style={place && chooseStyle(place)}
          >
            {name === '3d' ? <ScenePane {...pane} /> : <SlicePane {...pane} name={name} />}
          </div>
        );
      })}
      {places.length > 1 ? (
        <Splitters places={places} layout={layout} shares={shares} onShares={onShares} />
      ) : null}
    </div>
  );
  return (
    <div className={styles['row']}>
      {panes}
      {needsLegend ? <Legend model={model} /> : null}
    </div>
  );
}

const chooseStyle = ({ left, top, right, bottom }: PanePlace): CSSProperties => ({
  left: `${100 * left}%`,
  top: `${100 * top}%`,
  right: `${100 * (1 - right)}%`,
  bottom: `${100 * (1 - bottom)}%`,
});

interface SplittersProps {
  places: readonly PanePlace[];
  layout: PaneLayout;
  shares: PaneShares;
  onShares: (shares: PaneShares) => void;
}

function Splitters({ places, layout, shares, onShares }: SplittersProps) {
  const { large, strip, grid } = shares;
  if (layout === 'grid' && places[1]?.name === '3d') {
    const ends = { least, most: 1 - least, reach: [0, 1] as const };
    return (
      <>
        <Splitter
          {...ends}
          label="Line between left and right"
          orientation="vertical"
          reach={[0, places.length === 4 ? 1 : grid[1]]}
          value={grid[0]}
          onMove={(x) => onShares({ ...shares, grid: [x, grid[1]] })}
          onReset={() => onShares({ ...shares, grid: [defaultShares.grid[0], grid[1]] })}
        />
        <Splitter
          {...ends}
          label="Line between top and bottom"
          orientation="horizontal"
          value={grid[1]}
          onMove={(y) => onShares({ ...shares, grid: [grid[0], y] })}
          onReset={() => onShares({ ...shares, grid: [grid[0], defaultShares.grid[1]] })}
        />
      </>
    );
  }
  const [upper, lower] = strip;
  const lines = [
    { value: upper, least, most: lower - least, put: (y: number) => [y, lower] as const },
    { value: lower, least: upper + least, most: 1 - least, put: (y: number) => [upper, y] as const },
  ];
  const names = places.slice(1).map(({ name }) => name.toUpperCase());
  return (
    <>
      <Splitter
        label="Line before the strip of slices"
        orientation="vertical"
        value={large}
        least={least}
        most={1 - least}
        reach={[0, 1]}
        onMove={(x) => onShares({ ...shares, large: x })}
        onReset={() => onShares({ ...shares, large: defaultShares.large })}
      />
      {names.length === 3
        ? lines.map(({ put, ...line }, i) => (
            <Splitter
              key={names[i]}
              {...line}
              label={`Line between ${names[i]} and ${names[i + 1]}`}
              orientation="horizontal"
              reach={[large, 1]}
              onMove={(y) => onShares({ ...shares, strip: put(y) })}
              onReset={() => onShares({ ...shares, strip: defaultShares.strip })}
            />
          ))
        : null}
    </>
  );
}
