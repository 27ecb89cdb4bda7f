import { type CurvePoint, type GreyFacts, styleCurve } from '#kernels/color/transfer-curve.ts';
import { isAnythingCut, listCuts } from '#kernels/grid/cut-away.ts';
import {
  type GreyHistogram,
  type GreyWindow,
  histogramQuantile,
  windowLimits,
} from '#kernels/grid/grey-window.ts';
import type { VolumeDescription } from '../data/slice-source.ts';
import type { SectionLook, VolumeLook } from '../engine/layer.ts';
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

/** What the section of a cut surface shows; null where it stays open: no cut, or no surface that it would close. */
export function readSection(model: VolumeView): SectionLook | null {
  const { clips, surface, referenceVisible } = model.store.get();
  if (clips.section === 'open' || !isAnythingCut(listCuts(clips))) return null;
  const isSeen = model.surface !== null && surface.visible;
  if (!isSeen && (model.reference === null || !referenceVisible)) return null;
  const level = clips.section === 'grey' ? readGreyFacts(model)?.iso : undefined;
  return level === undefined ? { kind: 'plain' } : { kind: 'grey', level };
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
