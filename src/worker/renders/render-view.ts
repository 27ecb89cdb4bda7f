/** Draws a view state without a browser. */
import { formatLength } from '#contract/base/format-number.ts';
import { listLabels } from '#contract/shapes/label-words.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { groundFor, raysGround } from '#kernels/color/scene-ground.ts';
import { measureBounds } from '#kernels/color/vertex-areas.ts';
import { findBounds, joinBounds } from '#kernels/grid/bounds.ts';
import { standardView } from '#kernels/grid/camera.ts';
import { dividePanes, type PanePlace, type PixelBox, placePane } from '#kernels/grid/pane-layout.ts';
import {
  centreGridMm,
  fitHeightMm,
  gridMmToWorld,
  middleVoxelGridMm,
  type PlaneView,
  planeAxes,
  planeToPane,
  type SliceName,
  sliceIndex,
  slicePositionMm,
  worldToGridMm,
} from '#kernels/grid/plane-transform.ts';
import { defaultOrientation, listCorners, makePlaneFrame, turnGrid } from '#kernels/grid/turned-grid.ts';
import type { Grid, Vector3 } from '#kernels/grid/volume.ts';
import { isOnDark } from '#kernels/grid/volume-look.ts';
import { obliqueInk, onDark, onLight, paintCrosshair } from '#kernels/overlay/paint.ts';
import { paintChosenRing } from '#kernels/overlay/paint-chosen-place.ts';
import { paintGizmos, shapePlane } from '#kernels/overlay/paint-gizmos.ts';
import { paintSceneLabels, paintSliceLabels } from '#kernels/overlay/paint-labels.ts';
import {
  type LegendModel,
  legendPx,
  paintPictureLegend,
  reserveLegend,
} from '#kernels/overlay/paint-legend.ts';
import {
  type DrawnMeasurement,
  paintMeasurements,
  projectInScene,
  projectOnSlice,
} from '#kernels/overlay/paint-measurements.ts';
import { paintSceneOverlay } from '#kernels/overlay/paint-scene.ts';
import {
  listSliceCorners,
  paintSliceName,
  paintSliceScale,
  sliceInks,
} from '#kernels/overlay/paint-slice-scale.ts';
import { findTrace, paintTrace } from '#kernels/overlay/paint-trace.ts';
import { drawChosen } from '#kernels/picture/draw-chosen.ts';
import { drawMarks } from '#kernels/picture/draw-marks.ts';
import { drawScene } from '#kernels/picture/draw-scene.ts';
import { fillPane, type Pane } from '#kernels/picture/pane.ts';
import type { Picture } from '#kernels/picture/picture.ts';
import { PictureCanvas } from '#kernels/picture/picture-canvas.ts';
import { letters } from '../pictures/letters.ts';
import {
  describeLegend,
  plainLook,
  prepareSurface,
  takeTurns,
  withNormals,
} from '../pictures/surface-picture.ts';
import type { WorkRun } from '../work/work-run.ts';
import { drawCut } from './draw-cut.ts';
import { drawSlice } from './draw-slice.ts';
import { openPicture } from './open-picture.ts';
import { type DrawnSurface, findChosenSurface, keepTriangles } from './place-things.ts';
import {
  type DrawnReference,
  drawReferenceAround,
  drawReferenceCut,
  isReferenceSeen,
} from './reference-things.ts';
import { readVolumeThings, readWindow, type VolumeSource } from './volume-things.ts';

export type RenderRun = Pick<WorkRun, 'signal' | 'report'>;

export interface RenderSources {
  volume: VolumeSource | null;
  surface: DrawnSurface | null;
  reference: DrawnReference | null;
  /** manual measurements */
  measurements: readonly DrawnMeasurement[];
}

const slicesGround = [0x0b, 0x0d, 0x10] as const;

/**
 * Draws what the viewer shows for the state, with the viewer's painters: panes, planes, camera, grey window, colours,
 * clipping, contours of surface and reference on slices with whiskers, arrows and numbers, edges, background, legend,
 * scale bars, axes and crosshair, measurements and pinned labels, section caps, and the volume in 3D. Of defects it
 * shows those that pass the filter, the selected one in front of everything, and the part around them.
 *
 * @param size size of the picture in pixels
 */
export async function renderView(
  state: ViewState,
  sources: RenderSources,
  size: { width: number; height: number },
  run: RenderRun,
): Promise<Picture> {
  const { width, height } = size;
  const picture = openPicture(width, height);
  const places = dividePanes(state.layout, undefined, true, state.oblique !== null);
  const scale = Math.max(1, height / 900);
  const gap = 2 * Math.round(scale);
  const openSheet = (box: PixelBox): Sheet => {
    const pane = { picture, ...box };
    return { pane, canvas: new PictureCanvas(pane, scale, letters), scale };
  };
  const legend = describeSliceLegend(state, sources.surface, places);
  const legendWidth = Math.round(reserveLegend(legend, width / scale) * scale);
  if (legend && legendWidth > 0) {
    const { pane, canvas } = openSheet({ x: width - legendWidth, y: 0, width: legendWidth, height });
    fillPane(pane, slicesGround);
    paintPictureLegend(canvas, legend, [legendPx, height / scale], onDark);
  }
  for (const [i, place] of places.entries()) {
    const { name } = place;
    const sheet = openSheet(placePane(place, width - legendWidth, height, gap));
    run.report((i + 0.5) / (places.length + 0.5), 'Drawing');
    if (name === '3d') await renderScene(sheet, state, sources, run.signal);
    else await renderSlice(sheet, name, state, sources, run.signal);
  }
  return picture;
}

/** The legend of contours on slices, as on screen: only where 3D, which has its own, is not shown. */
const describeSliceLegend = (
  { surface: look, slices }: ViewState,
  surface: DrawnSurface | null,
  places: readonly PanePlace[],
): LegendModel | null =>
  surface && slices.surface && !places.some(({ name }) => name === '3d')
    ? describeLegend(surface, look)
    : null;

/** A pane with a canvas over it; one canvas unit is `scale` pixels. */
interface Sheet {
  pane: Pane;
  canvas: PictureCanvas;
  scale: number;
}

async function renderSlice(
  sheet: Sheet,
  name: SliceName,
  state: ViewState,
  { volume, surface, reference, measurements }: RenderSources,
  signal: AbortSignal,
): Promise<void> {
  const { pane, canvas, scale } = sheet;
  if (!volume) return fillPane(pane, slicesGround);
  const { meta } = volume.reader;
  const grid: Grid = name === 'oblique' ? turnGrid(meta, state.oblique ?? defaultOrientation) : meta;
  const { normal } = planeAxes[name];
  const cursorMm = worldToGridMm(grid, readCursor(state, meta));
  const at = cursorMm[normal];
  const drawing = {
    name,
    grid,
    view: describePlaneView(state, name, grid, pane),
    // As in the viewer: the nearest slice along an axis, otherwise the plane through the cursor itself.
    positionMm: name === 'oblique' ? at : slicePositionMm(grid, normal, sliceIndex(grid, normal, at)),
    window: readWindow(state, volume.histogram),
    smooth: state.smooth,
  };
  await drawSlice(pane, volume.reader, drawing, signal);
  const [widthPx, heightPx] = [pane.width / scale, pane.height / scale];
  const view = { ...drawing.view, widthPx, heightPx };
  if (reference && state.slices.reference) drawReferenceCut(canvas, reference, drawing, view);
  const numbers = surface ? drawCut(canvas, surface, { ...drawing, view }, state) : [];
  const { u, v } = planeAxes[name];
  paintCrosshair(
    canvas,
    planeToPane(view, cursorMm[u], cursorMm[v]),
    [widthPx, heightPx],
    ...sliceInks(name),
  );
  const trace = findTrace(state.oblique, meta, drawing, worldToGridMm(meta, readCursor(state, meta)));
  if (trace) paintTrace(canvas, trace, view);
  const onSlice = projectOnSlice(grid, drawing, view);
  const texts = paintMeasurements(canvas, measurements, [widthPx, heightPx], onDark, onSlice, [
    ...numbers,
    ...listSliceCorners(view),
  ]);
  paintSliceScale(canvas, name, view, formatLength);
  paintSliceLabels(canvas, listLabels(state.labels), grid, drawing, view, [...numbers, ...texts]);
  paintSliceName(canvas, name, drawing.positionMm);
}

const readCursor = (state: ViewState, grid: Grid): Vector3 =>
  state.cursorMm ?? gridMmToWorld(grid, middleVoxelGridMm(grid));

function describePlaneView(
  state: ViewState,
  name: SliceName,
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

async function renderScene(
  { pane, canvas, scale }: Sheet,
  state: ViewState,
  { surface, reference, volume, measurements }: RenderSources,
  signal: AbortSignal,
): Promise<void> {
  fillPane(pane, groundFor(state));
  const [widthPx, heightPx] = [pane.width / scale, pane.height / scale];
  const legend = surface && describeLegend(surface, state.surface);
  const sceneWidthPx = widthPx - reserveLegend(legend, widthPx);
  const scene = { ...pane, width: Math.round(sceneWidthPx * scale) };
  const grid = volume?.reader.meta;
  const shown = [surface, reference?.isPart ? reference : null].flatMap((each) => each?.mesh ?? []);
  const box = grid ? [findBounds(listCorners(grid)) ?? []].flat() : [];
  const part = shown
    .filter(({ positions }) => positions.length > 0)
    .map((mesh) => measureBounds(mesh.positions));
  const bounds = joinBounds(part.length > 0 ? part : box);
  const camera = state.camera ?? standardView('isometric', bounds, sceneWidthPx / heightPx);
  const isVisible = state.surface.visible && state.surface.opacity > 0;
  const prepared = surface && isVisible ? prepareSurface(surface, state, camera) : null;
  const look = prepared?.look ?? plainLook(state, camera);
  const around = isReferenceSeen(reference, state)
    ? drawReferenceAround(reference, look, prepared === null)
    : null;
  const seen = { isThere: surface !== null, isSeen: prepared !== null || around !== null };
  const things = await readVolumeThings(state, seen, volume, signal);
  const onRays = things.volume && isOnDark(state.volume.style);
  const nearest = await drawScene(
    scene,
    {
      surface: prepared && surface && keepTriangles(prepared.drawn, surface),
      around,
      bounds: joinBounds([...part, ...box]),
      ...things,
    },
    look,
    takeTurns(signal),
    onRays ? raysGround : groundFor(state),
  );
  const chosen = surface && findChosenSurface(withNormals(surface.mesh), surface);
  if (chosen)
    await drawChosen(scene, nearest, chosen, { camera, shaded: state.surface.shaded }, takeTurns(signal));
  if (grid) drawMarks(scene, nearest, camera, grid, worldToGridMm(grid, readCursor(state, grid)));
  const size = [sceneWidthPx, heightPx] as const;
  const inks = onRays ? onDark : onLight;
  paintSceneOverlay(canvas, camera, size, inks, formatLength);
  if (grid && state.oblique) {
    const placed = { middle: readCursor(state, grid), normal: makePlaneFrame(state.oblique).towards };
    paintGizmos([shapePlane(grid, bounds, placed, obliqueInk)], canvas, camera, size, inks);
  }
  const inScene = projectInScene(camera, size);
  const texts = paintMeasurements(canvas, measurements, size, inks, inScene);
  paintChosenRing(canvas, surface?.marks?.chosenBall ?? null, camera, size, inks);
  paintSceneLabels(canvas, listLabels(state.labels), camera, size, inks, texts);
  if (legend && sceneWidthPx < widthPx) paintPictureLegend(canvas, legend, [widthPx, heightPx], onLight);
}
