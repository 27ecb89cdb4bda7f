/** A view state as a picture, made without a browser. */
import type { SurfaceScalar } from '#contract/analyses/declaration.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { VolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import type { Picture } from '#formats/png/picture.ts';
import { colorMap } from '#kernels/color/maps.ts';
import { weighScalar } from '#kernels/color/place-statistics.ts';
import { boundsOf, vertexAreasAndNormals, withoutNaN } from '#kernels/color/vertex-areas.ts';
import { autoRange, missingValue } from '#kernels/color/weighted-histogram.ts';
import { type Bounds, standardView } from '#kernels/grid/camera.ts';
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
import type { ShownSurface } from '../shown-surface.ts';
import type { WorkRun } from '../work/work-run.ts';
import { drawSlice } from './draw-slice.ts';
import { drawSurface, type SurfaceLook } from './draw-surface.ts';
import { fill, type Pane } from './pane.ts';

export interface RenderSources {
  volume: { reader: VolumeReader; histogram: GreyHistogram } | null;
  surface: (ShownSurface & { scalars: readonly SurfaceScalar[] }) | null;
}

const paneOrder = ['xy', '3d', 'xz', 'yz'] as const;
const gapColour = [0x2a, 0x30, 0x36];
const slicesGround = [0x0b, 0x0d, 0x10];
const sceneGround = [0xf3, 0xf5, 0xf7];

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
  const picture: Picture = { width, height, channels: 3, samples: new Uint8Array(width * height * 3) };
  fill({ picture, x: 0, y: 0, width, height }, gapColour);
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
  if (!volume) return fill(pane, slicesGround);
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
  if (!surface || !state.surface.visible) return fill(pane, sceneGround);
  const { mesh, texture, scalars } = surface;
  const scalar = scalars.find(({ name }) => name === state.surface.scalar);
  const { vertexAreasMm2, normals } = vertexAreasAndNormals(mesh);
  const values = state.surface.scalar === null ? undefined : withoutNaN(mesh.scalars)[state.surface.scalar];
  const bounds = mesh.positions.length > 0 ? boundsOf(mesh.positions) : boxOf(volume?.reader.meta);
  const look: SurfaceLook = {
    camera: state.camera ?? standardView('isometric', bounds, pane.width / pane.height),
    colours: values
      ? {
          values,
          texture: texture?.name === state.surface.scalar ? texture : null,
          missing: missingValue,
          range: rangeOf(
            state,
            values,
            vertexAreasMm2,
            texture,
            scalar,
            mesh.scalars?.[scalar?.each?.attribute ?? ''],
          ),
          lut: colorMap(state.surface.map),
        }
      : null,
    opacity: state.surface.opacity,
    shaded: state.surface.shaded,
    clip: state.clip?.enabled ? state.clip : null,
  };
  await drawSurface(pane, { positions: mesh.positions, indices: mesh.indices, normals }, look, signal);
}

function rangeOf(
  { surface }: ViewState,
  values: Float32Array,
  areasMm2: Float32Array,
  texture: ShownSurface['texture'],
  scalar: SurfaceScalar | undefined,
  places: Float32Array | undefined,
): [number, number] {
  if (surface.range && surface.range[1] > surface.range[0]) return surface.range;
  if (texture?.name === surface.scalar) return [texture.low, texture.high];
  const { statistics } = weighScalar(values, areasMm2, places);
  return statistics ? autoRange(statistics, scalar?.center === 'zero') : [0, 1];
}

function boxOf(grid: Grid | undefined): Bounds {
  if (!grid) return { min: [-1, -1, -1], max: [1, 1, 1] };
  const ends = ([0, 1, 2] as const).map((axis) => extentMm(grid, axis));
  const corner = (side: 0 | 1): Vector3 => gridMmToWorld(grid, [ends[0][side], ends[1][side], ends[2][side]]);
  const [a, b] = [corner(0), corner(1)];
  return {
    min: a.map((value, axis) => Math.min(value, b[axis])) as Vector3,
    max: a.map((value, axis) => Math.max(value, b[axis])) as Vector3,
  };
}
