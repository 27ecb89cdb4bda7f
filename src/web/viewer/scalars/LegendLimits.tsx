import { scalarMaps, type ViewState } from '#contract/shapes/view-state.ts';
import type { LegendModel } from '#kernels/overlay/paint-legend.ts';
import inputStyles from '../controls/inputs.module.css';
import { NumberField } from '../controls/NumberField.tsx';
import type { ViewerModel } from '../state/viewer-model.ts';
import { brushStep, chooseLimits, chooseMap, limitWays } from './choose-limits.ts';
import legendStyles from './legend.module.css';

const mapTitles: Record<(typeof scalarMaps)[number], string> = {
  viridis: 'Viridis',
  cividis: 'Cividis',
  coolwarm: 'Cool–warm',
  batlow: 'Batlow',
  gray: 'Grey',
  tolerance: 'Tolerance bands',
};

interface LegendLimitsProps {
  model: ViewerModel;
  legend: LegendModel;
  step: number;
}

/** The colour map, ways to choose limits, and the brushed range. */
export function LegendLimits({ model, legend, step }: LegendLimitsProps) {
  const { factor } = legend.shown;
  const { brush } = legend;
  const fine = brush ? brushStep(brush, step) * factor : 0;
  const { tolerance, words } = model.scalar() ?? {};
  const setBrush = (low: number, high: number) =>
    model.store.updateSurface({ brush: [Math.min(low, high), Math.max(low, high)] });
  return (
    <>
      {brush ? (
        <fieldset className={legendStyles['brush']} aria-label="Only these values are coloured">
          <NumberField
            label="Coloured from"
            value={brush[0] * factor}
            step={fine}
            characters={6}
            onChange={(low) => setBrush(low / factor, brush[1])}
          />
          <NumberField
            label="Coloured to"
            value={brush[1] * factor}
            step={fine}
            characters={6}
            onChange={(high) => setBrush(brush[0], high / factor)}
          />
          <button
            type="button"
            className={inputStyles['iconButton']}
            title="Colour all values again"
            aria-label="Colour all values again"
            onClick={() => model.store.updateSurface({ brush: null })}
          >
            ×
          </button>
        </fieldset>
      ) : null}
      <div className={legendStyles['legendActions']}>
        <select
          aria-label="Colour map"
          value={legend.map}
          onChange={(event) => chooseMap(model, event.currentTarget.value as ViewState['surface']['map'])}
        >
          {scalarMaps.map((map) => (
            <option key={map} value={map}>
              {mapTitles[map]}
            </option>
          ))}
        </select>
        {words ? null : (
          <select
            aria-label="Limits of the colours"
            value=""
            disabled={!model.statistics()}
            onChange={(event) => chooseLimits(model, event.currentTarget.value)}
          >
            <option value="" disabled>
              Limits
            </option>
            {Object.entries(limitWays).map(([way, { title }]) => (
              <option key={way} value={way}>
                {title}
              </option>
            ))}
            {tolerance ? <option value="tolerance">Tolerance</option> : null}
            <option value="brush" disabled={brush !== null}>
              Colour only some values…
            </option>
          </select>
        )}
      </div>
    </>
  );
}
