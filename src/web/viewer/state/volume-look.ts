import { type CurvePoint, type GreyFacts, styleCurve } from '#kernels/color/transfer-curve.ts';
import {
  type GreyHistogram,
  type GreyWindow,
  histogramQuantile,
  windowLimits,
} from '#kernels/grid/grey-window.ts';
import type { VolumeDescription } from '../data/slice-source.ts';
import type { VolumeLook } from '../engine/layer.ts';
import type { Signal } from './signal.ts';
import type { ViewStore } from './view-store.ts';

/** What the model of a viewer knows that decides how its volume is shown. */
interface VolumeView {
  readonly store: ViewStore;
  readonly histogram: Signal<GreyHistogram | null>;
  readonly volume: VolumeDescription | null;
  readonly surface: object | null;
  readonly reference: object | null;
  window(): GreyWindow;
}

/** Whether 3D shows the volume: as the state says, or where there is no surface to look at. */
export function isVolumeShown(model: VolumeView): boolean {
  if (!model.volume) return false;
  return model.store.get().volume.visible ?? (model.surface === null && model.reference === null);
}

/**
 * Grey value from which the section of a cut surface is material; null where none is to be filled: no cut, no scan to fill
 * it with, or no surface that it would close.
 */
export function readCapLevel(model: VolumeView): number | null {
  const { clip, surface, referenceVisible } = model.store.get();
  const isCut = clip?.enabled && clip.filled;
  const isSeen =
    (model.surface !== null && surface.visible) || (model.reference !== null && referenceVisible);
  return isCut && isSeen ? (readGreyFacts(model)?.iso ?? null) : null;
}

/** What the curves of the styles are made from; null while no grey value is known. */
export function readGreyFacts(model: VolumeView): GreyFacts | null {
  const histogram = model.histogram.get();
  if (!histogram || !model.volume) return null;
  const { minimum: low, maximum: high } = histogram;
  const air = histogramQuantile(histogram, 0.005);
  const upper = histogramQuantile(histogram, 0.995);
  const iso = model.volume.isoValue ?? (air + upper) / 2;
  // A small part in much air is beyond the quantile: as far above the surface as air is below it.
  return { low, high, iso, material: upper > iso ? upper : Math.min(high, 2 * iso - air) };
}

/** The state's curve, or the one of its style. */
export function readCurve(model: VolumeView): CurvePoint[] {
  const { style, curve } = model.store.get().volume;
  const facts = readGreyFacts(model);
  return curve ?? (facts ? styleCurve(style, facts) : []);
}

export function readVolumeLook(model: VolumeView): VolumeLook {
  const { style } = model.store.get().volume;
  const facts = readGreyFacts(model);
  const visible = facts !== null && isVolumeShown(model);
  return {
    visible,
    style,
    curve: readCurve(model),
    greyLimits: windowLimits(model.window()),
    contrast: facts ? 2 * (facts.material - facts.iso) : 1,
    isOnDark: visible && (style === 'xray' || style === 'maximum'),
  };
}
