import type { ViewState } from '#contract/shapes/view-state.ts';
import { aroundZero, autoRange, scalarQuantile } from '#kernels/color/weighted-histogram.ts';
import type { ViewerModel } from '../state/viewer-model.ts';

/** Ways to choose limits from the data; `share` of the area is excluded at each end. */
export const limitWays: Record<string, { title: string; share?: number }> = {
  auto: { title: 'Automatic (rounded)' },
  all: { title: 'All values', share: 0 },
  percent1: { title: '1 % to 99 %', share: 0.01 },
  percent5: { title: '5 % to 95 %', share: 0.05 },
  percent25: { title: '25 % to 75 %', share: 0.25 },
};

type Range = [number, number];

/** Increment of a field for values of this range: a power of ten. */
export const stepIn = ([low, high]: readonly [number, number]): number =>
  10 ** Math.floor(Math.log10((high - low) / 50));

/** Increment of the fields of a brush, which may be much narrower than the limits. @param most that of the limits */
export const brushStep = ([low, high]: readonly [number, number], most: number): number =>
  high > low ? Math.min(most, stepIn([low, high]) * 10) : most;

/** Whether the middle of the colour map stands for zero. */
export const isCentred = (model: ViewerModel): boolean =>
  model.store.get().surface.map === 'coolwarm' && model.scalar()?.signed === true;

/** Changes the colour map, and the limits if the map requires it. */
export function chooseMap(model: ViewerModel, map: ViewState['surface']['map']): void {
  const { tolerance, signed } = model.scalar() ?? {};
  if (map === 'tolerance' && tolerance) model.store.updateSurface({ map, range: [...tolerance] });
  else if (map === 'coolwarm' && signed) model.store.updateSurface({ map, range: aroundZero(model.range()) });
  else model.store.updateSurface({ map });
}

/** Sets limits from the data or the tolerance; or starts a brush over the middle half of the values. */
export function chooseLimits(model: ViewerModel, way: string): void {
  const scalar = model.scalar();
  const weighed = model.weighed();
  const values = scalar && model.shownSurface.drawn()?.scalars[scalar.name];
  if (!scalar || !values || !weighed?.statistics) return;
  const { statistics, weights } = weighed;
  const between = (share: number): Range => [
    scalarQuantile(values, weights, share, statistics),
    scalarQuantile(values, weights, 1 - share, statistics),
  ];
  if (way === 'brush') {
    model.store.updateSurface({ brush: between(0.25) });
    return;
  }
  if (way === 'tolerance') {
    if (scalar.tolerance) setRange(model, [...scalar.tolerance]);
    return;
  }
  const share = limitWays[way]?.share;
  setRange(model, share === undefined ? autoRange(statistics, scalar.signed ?? false) : between(share));
}

/** Sets the limits of the colours, symmetric around zero if zero has to be in the middle. */
export function setRange(model: ViewerModel, range: Range): void {
  const next = isCentred(model) ? aroundZero(range) : range;
  if (next[1] > next[0]) model.store.updateSurface({ range: next });
}
