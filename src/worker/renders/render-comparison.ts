/** Draws a comparison of scans without a browser. */
import { formatLength } from '#contract/base/format-number.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { VolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { movedPoints } from '#kernels/alignment/pose.ts';
import { plainGround } from '#kernels/color/scene-ground.ts';
import { type Bounds, standardView } from '#kernels/grid/camera.ts';
import { nothingCut } from '#kernels/grid/cut-away.ts';
import type { PlanePicture, Pose } from '#kernels/grid/draw-scan.ts';
import { autoWindow, type GreyHistogram } from '#kernels/grid/grey-window.ts';
import {
  boundScans,
  fitScans,
  groupScans,
  measureBox,
  placeCompared,
  readToScan,
} from '#kernels/grid/place-compared.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { onDark, onLight } from '#kernels/overlay/paint.ts';
import {
  type ComparedLayer,
  type ComparedSlice,
  type DrawnScan,
  drawCompared,
  listLayers,
  paintComparedMarks,
  paintComparedTitle,
  paintSwipe,
} from '#kernels/overlay/paint-compared-slice.ts';
import { paintSceneOverlay } from '#kernels/overlay/paint-scene.ts';
import { drawScene } from '#kernels/picture/draw-scene.ts';
import { fillPane, type Pane } from '#kernels/picture/pane.ts';
import type { Picture } from '#kernels/picture/picture.ts';
import { PictureCanvas } from '#kernels/picture/picture-canvas.ts';
import { letters } from '../pictures/letters.ts';
import { takeTurns, withNormals } from '../pictures/surface-picture.ts';
import { openPicture } from './open-picture.ts';
import type { RenderRun } from './render-view.ts';
import { readPreview } from './volume-things.ts';

export interface ComparedSource {
  title: string;
  reader: VolumeReader;
  histogram: GreyHistogram;
  surfaceBounds: Bounds | null;
  /** pose on the object it was aligned to; null = not aligned */
  pose: Pose | null;
  /** null when it has no surface */
  readSurface: (() => Promise<TriangleMesh>) | null;
}

export type Comparison = NonNullable<ViewState['compare']>;

/** What a comparison shows, and the poses of its scans. */
interface Comparing {
  state: ViewState;
  compare: Comparison;
  bounds: Bounds;
  signal: AbortSignal;
}

/**
 * Draws a comparison like the viewer, with the viewer's painters: scans side by side or two of them over each other,
 * each in its alignment, with a common cursor, grey window and camera.
 *
 * @param size size of the picture in pixels
 */
export async function renderComparison(
  state: ViewState,
  compare: Comparison,
  sources: readonly ComparedSource[],
  { width, height }: { width: number; height: number },
  run: RenderRun,
): Promise<Picture> {
  const scale = Math.max(1, height / 900);
  const { view, mode, over, aligned } = compare;
  const picture = openPicture(width, height);
  const placed = sources.map((source) => ({ ...source, volume: source.reader.meta }));
  const bounds = boundScans(placed, aligned, view === '3d') ?? { min: [-1, -1, -1], max: [1, 1, 1] };
  const comparing = { state, compare, bounds, signal: run.signal };
  const groups = groupScans(sources.length, over, mode === 'side').map((members) =>
    sources.filter((_, index) => members.includes(index)),
  );
  const places = placeCompared(groups.length, width, height, 2 * Math.round(scale));
  for (const [i, place] of places.entries()) {
    run.report((i + 0.5) / (places.length + 0.5), 'Drawing');
    const shown = groups[i] ?? [];
    const pane: Pane = { picture, ...place };
    const canvas = new PictureCanvas(pane, scale, letters);
    if (view === '3d') await renderSurfaces({ pane, canvas, scale }, shown, comparing);
    else await renderSlice({ pane, canvas, scale }, shown, comparing);
    const named = mode === 'blink' ? shown.filter((_, n) => n === (isOther(compare) ? 1 : 0)) : shown;
    const title = named.map((source) => source.title).join(' · ');
    paintComparedTitle(canvas, title, view === '3d' ? onLight : onDark);
  }
  return picture;
}

interface DrawnPane {
  pane: Pane;
  canvas: PictureCanvas;
  scale: number;
}

/** In blink mode the first scan is shown unless the other is held. */
const isOther = ({ held }: Comparison): boolean => held === 'other';

async function renderSlice(
  { pane, canvas, scale }: DrawnPane,
  shown: readonly ComparedSource[],
  { state, compare, bounds, signal }: Comparing,
): Promise<void> {
  const { view, mode, share, aligned, middleMm, heightMm } = compare;
  const laid = { mode, share, isOther: isOther(compare) };
  if (view === '3d') return;
  const { centre, sizeMm } = measureBox(bounds);
  const scans: DrawnScan[] = [];
  for (const { reader, histogram, pose } of shown) {
    const window = state.window ?? autoWindow(histogram);
    scans.push({ window, volume: await readPreview(reader, signal), toScan: readToScan(pose, aligned) });
  }
  const { width, height } = pane;
  const slice: ComparedSlice = {
    ...{ ...laid, scans },
    cursor: state.cursorMm ?? centre,
    view: {
      plane: view,
      centre: middleMm ?? centre,
      heightMm: heightMm ?? fitScans(sizeMm, width / height),
    },
  };
  const open = (): PlanePicture => ({
    widthPx: width,
    heightPx: height,
    pixels: new Uint32Array(width * height),
  });
  const drawn = open();
  drawCompared(slice, drawn, open());
  copyInto(pane, drawn);
  paintComparedMarks(canvas, slice, { widthPx: width / scale, heightPx: height / scale }, formatLength);
}

function copyInto({ picture, x, y, width, height }: Pane, { pixels }: PlanePicture): void {
  const { channels, samples } = picture;
  for (let row = 0; row < height; row++) {
    let to = ((y + row) * picture.width + x) * channels;
    for (let at = row * width; at < (row + 1) * width; at++, to += channels)
      for (let k = 0; k < 3; k++) samples[to + k] = ((pixels[at] ?? 0) >> (8 * k)) & 0xff;
  }
}

async function renderSurfaces(
  { pane, canvas, scale }: DrawnPane,
  scans: readonly ComparedSource[],
  comparing: Comparing,
): Promise<void> {
  fillPane(pane, plainGround);
  const { width, height } = pane;
  const { mode, share } = comparing.compare;
  for (const layer of listLayers({ scans, mode, share, isOther: isOther(comparing.compare) }, width)) {
    if (!layer.scan || layer.from >= layer.to) continue;
    layOver(pane, await drawSurface(layer.scan, pane, comparing), layer);
  }
  const size = { widthPx: width / scale, heightPx: height / scale };
  paintSwipe(canvas, { scans, mode, share }, size, onLight);
  const camera = placeCamera(pane, comparing);
  paintSceneOverlay(canvas, camera, [size.widthPx, size.heightPx], onLight, formatLength);
}

const placeCamera = ({ width, height }: Pane, { state, bounds }: Comparing) =>
  state.camera ?? standardView('isometric', bounds, width / height);

/** A surface on a transparent background, at the size of its pane. */
async function drawSurface(source: ComparedSource, pane: Pane, comparing: Comparing): Promise<Uint8Array> {
  const { width, height } = pane;
  const { compare, bounds, signal } = comparing;
  const samples = new Uint8Array(4 * width * height);
  const mesh = await source.readSurface?.();
  if (!mesh) return samples;
  const pose = compare.aligned ? source.pose : null;
  const laid = pose ? { ...mesh, positions: Float32Array.from(movedPoints(pose, mesh.positions)) } : mesh;
  const camera = placeCamera(pane, comparing);
  const look = { camera, colours: null, opacity: 1, shaded: true, edges: false, cuts: nothingCut };
  const things = { surface: withNormals(laid), bounds };
  const picture = { width, channels: 4 as const, samples };
  await drawScene({ picture, x: 0, y: 0, width, height }, things, look, takeTurns(signal), plainGround);
  return samples;
}

/** Composites columns of an RGBA picture over those of a pane. */
function layOver(
  { picture, x, y, width, height }: Pane,
  over: Uint8Array,
  { from, to, opacity }: Pick<ComparedLayer<unknown>, 'from' | 'to' | 'opacity'>,
): void {
  const { channels, samples } = picture;
  for (let row = 0; row < height; row++)
    for (let column = from; column < to; column++) {
      const at = 4 * (row * width + column);
      const under = ((y + row) * picture.width + x + column) * channels;
      const share = (opacity * (over[at + 3] ?? 0)) / 255;
      for (let k = 0; k < 3; k++) {
        const below = samples[under + k] ?? 0;
        samples[under + k] = Math.round(below + ((over[at + k] ?? 0) - below) * share);
      }
    }
}
