import { chooseCutColour } from '#kernels/color/scene-ground.ts';
import { isAnythingCut, listCuts } from '#kernels/grid/cut-away.ts';
import { type GreyHistogram, type GreyWindow, windowLimits } from '#kernels/grid/grey-window.ts';
import type { CurvePoint, GreyFacts } from '#kernels/grid/transfer-curve.ts';
import { findGreyFacts, isOnDark, resolveLook } from '#kernels/grid/volume-look.ts';
import type { VolumeDescription } from '../data/slice-source.ts';
import type { SectionLook, VolumeView } from '../engine/layer.ts';
import type { Signal } from './signal.ts';
import type { ViewStore } from './view-store.ts';

/** The part of the viewer model that determines how its volume is shown. */
interface VolumeModel {
  readonly store: ViewStore;
  readonly histogram: Signal<GreyHistogram | null>;
  readonly volume: VolumeDescription | null;
  readonly surface: object | null;
  readonly reference: object | null;
  window(): GreyWindow;
}

/** Whether 3D shows the volume: as the state says; by default only if there is no surface. */
export function isVolumeShown(model: VolumeModel): boolean {
  if (!model.volume) return false;
  return model.store.get().volume.visible ?? (model.surface === null && model.reference === null);
}

/** Content of the sections of a clipped surface; null if they stay open: no clips, or no surface to close. */
export function readSection(model: VolumeModel): SectionLook | null {
  const { clips, surface, referenceVisible } = model.store.get();
  if (clips.section === 'open' || !isAnythingCut(listCuts(clips))) return null;
  const isSeen = model.surface !== null && surface.visible;
  if (!isSeen && (model.reference === null || !referenceVisible)) return null;
  const level = clips.section === 'grey' ? readGreyFacts(model)?.iso : undefined;
  return level === undefined ? { kind: 'plain' } : { kind: 'grey', level };
}

/** Grey values from which the curves of the styles are derived; null while unknown. */
export function readGreyFacts(model: VolumeModel): GreyFacts | null {
  const histogram = model.histogram.get();
  return histogram && model.volume ? findGreyFacts(histogram, model.volume.isoValue) : null;
}

/** The curve of the state, or that of its style. */
export const readCurve = (model: VolumeModel): readonly CurvePoint[] => readVolumeLook(model).curve;

export function readVolumeLook(model: VolumeModel): VolumeView {
  const { volume: look, clips } = model.store.get();
  const facts = readGreyFacts(model);
  const window = model.window();
  const cutColour = chooseCutColour(clips.section);
  if (!facts) {
    const { style, curve } = look;
    const greyLimits = windowLimits(window);
    return { visible: false, style, curve: curve ?? [], greyLimits, cutColour, contrast: 1, isOnDark: false };
  }
  const visible = isVolumeShown(model);
  return {
    ...resolveLook(look, facts, window, cutColour),
    visible,
    isOnDark: visible && isOnDark(look.style),
  };
}
