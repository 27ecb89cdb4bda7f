/** A view state as a picture, made without a browser. */
import type { SurfaceScalar } from '#contract/analyses/declaration.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { VolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import type { Picture } from '#formats/png/picture.ts';
import type { Bounds } from '#kernels/grid/camera.ts';
import { autoWindow, type GreyHistogram, rebinned } from '#kernels/grid/grey-window.ts';
import {
  centreGridMm,
  extentMm,
  fitHeightMm,
  gridMmToWorld,
  middleVoxelGridMm,
  type PlaneName,
  type PlaneView,
  planeAxes,
  sliceIndex,
  worldToGridMm,
} from '#kernels/grid/plane-transform.ts';
import type { Grid, Vector3 } from '#kernels/grid/volume.ts';
import { fillPane, type Pane } from '#kernels/picture/pane.ts';
import { paintSurface } from '../pictures/surface-picture.ts';
import type { ShownSurface } from '../shown-surface.ts';
import type { WorkRun } from '../work/work-run.ts';
import { drawSlice } from './draw-slice.ts';

export interface RenderSources {
  volume: { reader: VolumeReader; histogram: GreyHistogram } | null;
  surface: (ShownSurface & { scalars: readonly SurfaceScalar[] }) | null;
}

const paneOrder = ['xy', '3d', 'xz', 'yz'] as const;
const gapColour = [0x2a, 0x30, 0x36] as const;
const slicesGround = [0x0b, 0x0d, 0x10] as const;
const sceneGround = [0xf3, 0xf5, 0xf7] as const;

/**
 * Draws what the viewer shows for the state: the same panes, planes, camera, grey window, colours and clip. Legend,
 * scale bars and crosshair are the viewer's own and not part of it.
 *
 * @param size pixels of the picture
 */
export async function renderView(
  state: ViewState,
  sources: RenderSources,
  size: { width: number; height: number },
  run: Pick<WorkRun, 'signal' | 'report'>,
): Promise<Picture> {
  const { width, height } = size;
  const picture = { width, height, channels: 3 as const, samples: new Uint8Array(width * height * 3) };
  fillPane({ picture, x: 0, y: 0, width, height }, gapColour);
  const names = state.layout === 'grid' ? paneOrder : ([state.layout] as const);
  const columns = names.length > 1 ? 2 : 1;
  const gap = columns > 1 ? 2 * Math.round(Math.max(1, height / 900)) : 0;
  const paneWidth = Math.floor((width - gap * (columns - 1)) / columns);
  const paneHeight = Math.floor((height - gap * (columns - 1)) / columns);
  for (const [i, name] of names.entries()) {
    const pane: Pane = {
      picture,
      x: i % columns === 0 ? 0 : width - paneWidth,
      y: i < columns ? 0 : height - paneHeight,
      width: paneWidth,
      height: paneHeight,
    };
    run.report((i + 0.5) / (names.length + 0.5), 'Drawing');
    if (name === '3d') await renderSurface(pane, state, sources, run.signal);
    else await renderSlice(pane, name, state, sources, run.signal);
  }
  return picture;
}

async function renderSlice(
  pane: Pane,
  name: PlaneName,
  state: ViewState,
  { volume }: RenderSources,
  signal: AbortSignal,
): Promise<void> {
  if (!volume) return fillPane(pane, slicesGround);
  const grid: Grid = volume.reader.meta;
  const { normal } = planeAxes[name];
  const cursor = state.cursorMm ? worldToGridMm(grid, state.cursorMm) : middleVoxelGridMm(grid);
  const drawing = {
    name,
    view: describePlaneView(state, name, grid, pane),
    index: sliceIndex(grid, normal, cursor[normal]),
    window: state.window ?? autoWindow(rebinned(volume.histogram, 512)),
    smooth: state.smooth,
  };
  await drawSlice(pane, volume.reader, drawing, signal);
}

function describePlaneView(
  state: ViewState,
  name: PlaneName,
  grid: Grid,
  { width, height }: Pane,
): PlaneView {
  const stored = state.planes?.[name];
  const axes = planeAxes[name];
  const centre = stored ? worldToGridMm(grid, stored.centerMm) : centreGridMm(grid);
  return {
    centreU: centre[axes.u],
    centreV: centre[axes.v],
    heightMm: stored?.heightMm ?? fitHeightMm(grid, axes, width, height),
    widthPx: width,
    heightPx: height,
  };
}

async function renderSurface(
  pane: Pane,
  state: ViewState,
  { surface, volume }: RenderSources,
  signal: AbortSignal,
): Promise<void> {
  if (!surface || !state.surface.visible) return fillPane(pane, sceneGround);
  await paintSurface(pane, surface, state, signal, { around: boxOf(volume?.reader.meta) });
}

function boxOf(grid: Grid | undefined): Bounds {
  if (!grid) return { min: [-1, -1, -1], max: [1, 1, 1] };
  const ends = ([0, 1, 2] as const).map((axis) => extentMm(grid, axis));
  const corner = (side: 0 | 1): Vector3 => gridMmToWorld(grid, [ends[0][side], ends[1][side], ends[2][side]]);
  const [a, b] = [corner(0), corner(1)];
  return {
    min: [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.min(a[2], b[2])],
    max: [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.max(a[2], b[2])],
  };
}
