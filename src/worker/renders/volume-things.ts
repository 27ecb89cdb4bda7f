/** What a view shows of a volume in 3D: the volume itself and its section caps. */
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { VolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { chooseCutColour } from '#kernels/color/scene-ground.ts';
import { isAnythingCut, listCuts } from '#kernels/grid/cut-away.ts';
import { autoWindow, type GreyHistogram, type GreyWindow, rebinned } from '#kernels/grid/grey-window.ts';
import { packVolume } from '#kernels/grid/pack-volume.ts';
import { planView, reducedSlabs } from '#kernels/grid/reduce-slabs.ts';
import type { Volume } from '#kernels/grid/volume.ts';
import { findGreyFacts, resolveLook } from '#kernels/grid/volume-look.ts';
import type { SceneContent } from '#kernels/picture/draw-scene.ts';
import { openGreyValues } from '#kernels/picture/voxels.ts';

export interface VolumeSource {
  reader: VolumeReader;
  histogram: GreyHistogram;
  /** grey value half-way between air and material; null when unknown */
  isoValue: number | null;
}

/** Voxels along the longest edge, as many as the viewer uses on a graphics card. */
const maxVoxels = 256;

/** @param surface whether there is one, and whether the view shows it */
export async function readVolumeThings(
  state: ViewState,
  surface: { isThere: boolean; isSeen: boolean },
  volume: VolumeSource | null,
  signal: AbortSignal,
): Promise<Pick<SceneContent, 'section' | 'volume'>> {
  const isClosed = surface.isSeen && state.clips.section !== 'open' && isAnythingCut(listCuts(state.clips));
  if (!volume) return { section: isClosed ? { kind: 'plain' } : null };
  const isGrey = isClosed && state.clips.section === 'grey';
  const isShown = state.volume.visible ?? !surface.isThere;
  const section = isClosed ? ({ kind: 'plain' } as const) : null;
  if (!isGrey && !isShown) return { section };
  const packed = packVolume(await readPreview(volume.reader, signal), maxVoxels);
  const facts = findGreyFacts(rebinned(volume.histogram, 512), volume.isoValue);
  const look = resolveLook(
    state.volume,
    facts,
    readWindow(state, volume.histogram),
    chooseCutColour(state.clips.section),
  );
  const { greyLimits } = look;
  return {
    section: isGrey
      ? { kind: 'grey', valueAt: openGreyValues(packed), level: facts.iso, greyLimits }
      : section,
    volume: isShown ? { packed, look } : null,
  };
}

/** The view's grey window, or the volume's own. */
export const readWindow = ({ window }: ViewState, histogram: GreyHistogram): GreyWindow =>
  window ?? autoWindow(rebinned(histogram, 512));

/** A volume small enough for memory, with unchanged grey values: the preview that the viewer loads. */
export async function readPreview(reader: VolumeReader, signal: AbortSignal): Promise<Volume> {
  const { level, factor } = planView(reader.meta.levels, { maxDimension: maxVoxels });
  const { grid, dataType, readSlab } = reducedSlabs(reader.slabs(level), factor);
  const data = await readSlab(0, grid.dimensions[2], signal);
  return { ...grid, dataType, data };
}
