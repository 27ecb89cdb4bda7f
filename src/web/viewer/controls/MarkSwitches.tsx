import { Fragment } from 'react';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import styles from './panel.module.css';

const switches = [
  { kind: 'whiskers', title: 'Deviation whiskers on slices' },
  { kind: 'walls', title: 'Wall thickness arrows on slices' },
] as const;

const magnifications = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** Switches for what slices show beside the contour; each is offered only if the surface has the data. */
export function MarkSwitches({ model }: { model: ViewerModel }) {
  const { slices, surface } = useSignal(model.store.signal);
  useSignal(model.revision);
  if (!model.volume) return null;
  const set = (change: Partial<ViewState['slices']>) =>
    model.store.update({ slices: { ...model.store.get().slices, ...change } });
  return switches.map(({ kind, title }) => {
    const scalar = model.scalars().find(({ marks }) => marks === kind);
    if (!scalar) return null;
    const isColoured = scalar.name === surface.scalar;
    const isOn = isColoured && slices[kind];
    return (
      <Fragment key={kind}>
        <label className={styles['panelRow']}>
          <input
            type="checkbox"
            disabled={!isColoured}
            title={isColoured ? undefined : `Needs Colour by: ${scalar.title}`}
            checked={isOn}
            onChange={(event) => set({ [kind]: event.currentTarget.checked })}
          />
          {title}
        </label>
        {kind === 'whiskers' && isOn ? (
          <label className={styles['panelRow']}>
            Magnification
            <select
              value={slices.magnification ?? ''}
              onChange={({ currentTarget: { value } }) =>
                set({ magnification: value === '' ? null : Number(value) })
              }
            >
              <option value="">Automatic</option>
              {listMagnifications(slices.magnification).map((each) => (
                <option key={each} value={each}>
                  × {each}
                </option>
              ))}
            </select>
          </label>
        ) : null}
      </Fragment>
    );
  });
}

/** Includes the magnification set by a link. */
const listMagnifications = (shown: number | null): number[] =>
  [...new Set([...magnifications, ...(shown === null ? [] : [shown])])].sort((a, b) => a - b);
