import { chooseUnit, decimalsFor, fixed } from '#contract/base/format-number.ts';
import { type WeightedHistogram, weightedHistogram } from '#kernels/color/weighted-histogram.ts';
import { type LegendModel, legendDomain } from '#kernels/overlay/paint-legend.ts';
import { readWord } from '#kernels/places/place-scalars.ts';
import type { ViewerModel } from '../state/viewer-model.ts';

const bins = 128;

/** Caches the last histogram, because limits change far more often than the data. */
export class LegendSource {
  readonly #model: ViewerModel;
  #key: unknown[] = [];
  #histogram: WeightedHistogram | null = null;

  constructor(model: ViewerModel) {
    this.#model = model;
  }

  /** The legend of the current scalar; null without one. */
  get(): LegendModel | null {
    const scalar = this.#model.scalar();
    const surface = this.#model.shownSurface.drawn();
    const values = scalar && surface?.scalars[scalar.name];
    const weights = this.#model.weighed()?.weights;
    if (!scalar || !values || !weights) return null;
    const range = this.#model.range();
    const domain = legendDomain(range, this.#model.statistics());
    const key = [values, ...domain];
    if (key.some((part, i) => part !== this.#key[i])) {
      this.#key = key;
      this.#histogram = weightedHistogram(values, weights, domain[0], domain[1], bins);
    }
    const probe = this.#model.probe.get();
    return {
      title: scalar.title,
      shown: chooseUnit(domain, scalar.unit),
      formatTick: (value, step) =>
        scalar.words ? readWord(scalar.words, value) : fixed(value, decimalsFor(step)),
      map: this.#model.store.get().surface.map,
      range,
      domain,
      brush: this.#model.store.get().surface.brush,
      histogram: this.#histogram,
      marked: probe?.pane === '3d' ? probe.value : null,
    };
  }
}
