import { allDefects } from '#contract/shapes/migrate-view-state.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { Weighed } from '#kernels/color/place-statistics.ts';
import { aroundZero, autoRange } from '#kernels/color/weighted-histogram.ts';
import { findBounds, joinBounds } from '#kernels/grid/bounds.ts';
import { type Bounds, type Camera, standardView } from '#kernels/grid/camera.ts';
import {
  autoWindow,
  type GreyHistogram,
  type GreyWindow,
  greyHistogram,
  rebinned,
  toGreyWindow,
} from '#kernels/grid/grey-window.ts';
import type { PaneName } from '#kernels/grid/pane-layout.ts';
import {
  centreGridMm,
  extentMm,
  fitHeightMm,
  gridMmToWorld,
  middleVoxelGridMm,
  type PlaneName,
  type PlaneView,
  planeAxes,
  planeNames,
  type SliceName,
  sliceIndex,
  slicePositionMm,
  worldToGridMm,
} from '#kernels/grid/plane-transform.ts';
import { listCorners, turnGrid } from '#kernels/grid/turned-grid.ts';
import { type Grid, mapVector, type Vector3, type Volume } from '#kernels/grid/volume.ts';
import { cutOblique } from '../data/cut-oblique.ts';
import { cutAxis } from '../data/extract-plane.ts';
import { FrameScheduler } from '../data/frame-scheduler.ts';
import { PlaneLoader } from '../data/plane-loader.ts';
import { readMessage } from '../data/read-message.ts';
import type { SliceSource, VolumeDescription } from '../data/slice-source.ts';
import { TileCache } from '../data/tile-cache.ts';
import { PlaneCard } from '../engine/plane-card.ts';
import { ClipHistory } from './clip-history.ts';
import { LoadedSurface } from './loaded-surface.ts';
import type { Loading } from './loading.ts';
import { Measuring } from './measuring.ts';
import { putInside, readOrientation } from './oblique.ts';
import type { PanePainter, Probe, Tool } from './panes.ts';
import { Places } from './places.ts';
import { Signal } from './signal.ts';
import { SurfaceCuts } from './surface-cuts.ts';
import { PlannedSurface, type SurfacePlan } from './surface-plan.ts';
import {
  mapFor,
  type ReferenceSource,
  type ScalarDescription,
  type SurfaceSource,
} from './surface-source.ts';
import { defaultViewState } from './view-state.ts';
import { ViewStore } from './view-store.ts';
import { WeighedScalars } from './weighed-scalars.ts';

/**
 * State shared by all panes: the view state, the volume's preview, the surface, the value under the pointer. Plain
 * TypeScript; React components and drawing code watch its signals.
 */
export class ViewerModel {
  readonly store: ViewStore;
  readonly scheduler = new FrameScheduler();
  readonly volumeLoading = new Signal<Loading>({ status: 'none' });
  /** in 3D: `none` until it is requested */
  readonly volumeDrawn = new Signal<Loading>({ status: 'none' });
  /** the whole volume, coarse enough to fit in memory */
  readonly previewData = new Signal<Volume | null>(null);
  readonly #changed = (): void => this.revision.set(this.revision.get() + 1);
  readonly shownSurface = new LoadedSurface(this.scheduler, this.#changed);
  readonly shownReference = new LoadedSurface(this.scheduler, this.#changed);
  readonly surfaceLoading = this.shownSurface.loading;
  /** the original with every triangle: slices, measurements and values are based on it */
  readonly surfaceData = this.shownSurface.whole;
  readonly referenceLoading = this.shownReference.loading;
  readonly referenceData = this.shownReference.whole;
  readonly histogram = new Signal<GreyHistogram | null>(null);
  readonly probe = new Signal<Probe | null>(null);
  readonly measuring = new Measuring();
  readonly tool = new Signal<Tool>('cursor');
  /** incremented whenever data arrived that panes must draw */
  readonly revision = new Signal(0);
  /** incremented whenever a tile of a slice arrived: only slices change */
  readonly tiles = new Signal(0);
  /** incremented when the page changes between light and dark */
  readonly scheme = new Signal(0);
  readonly webgl = new Signal<'unknown' | 'yes' | 'no'>('unknown');
  /** default of ambient occlusion */
  readonly canOcclude = new Signal(false);
  /** draws slices if there is a graphics card */
  readonly planeCard = new PlaneCard(this.#changed);
  readonly cuts = new SurfaceCuts(this);
  readonly plan = new Signal<SurfacePlan | null>(null);
  readonly planned = new PlannedSurface();
  readonly clipHistory = new ClipHistory();
  readonly places: Places;
  readonly painters = new Map<PaneName, PanePainter>();
  readonly paneSizes = new Map<PaneName, { widthPx: number; heightPx: number }>();
  volume: VolumeDescription | null = null;
  surface: SurfaceSource | null = null;
  reference: ReferenceSource | null = null;
  loaders: Partial<Record<SliceName, PlaneLoader>> = {};
  readonly #weighed = new WeighedScalars();
  #volumeLoad: AbortController | null = null;

  constructor(initial: ViewState | null, onSettled: (state: ViewState) => void) {
    this.store = new ViewStore(initial ?? defaultViewState(null, null, null), onSettled);
    this.places = new Places(this.store, this.scheduler, this.#changed);
  }

  setVolume(
    volume: VolumeDescription | null | undefined,
    slices: SliceSource | null,
    preview: ((signal: AbortSignal) => Promise<Volume>) | null,
  ): void {
    this.#volumeLoad?.abort();
    for (const loader of Object.values(this.loaders)) loader.dispose();
    this.loaders = {};
    this.planeCard.dispose();
    this.histogram.set(volume?.histogram ? rebinned(volume.histogram, 512) : null);
    this.volume = volume ?? null;
    this.previewData.set(null);
    this.volumeDrawn.set({ status: 'none' });
    this.probe.set(null);
    this.#changed();
    if (!volume) {
      this.volumeLoading.set(
        volume === null ? { status: 'none' } : { status: 'loading', stage: 'Loading the volume' },
      );
      return;
    }
    const state = this.store.get();
    if (state.volumeId !== null && state.volumeId !== volume.id) {
      // Grey values and positions of another volume are meaningless here.
      this.store.update({ volumeId: volume.id, window: null, planes: null, cursorMm: null });
      this.store.updateVolume({ curve: null });
    } else if (state.volumeId === null) this.store.update({ volumeId: volume.id });
    const cache = new TileCache();
    const onTile = () => this.tiles.set(this.tiles.get() + 1);
    for (const name of [...planeNames, 'oblique'] as const) {
      const cutter =
        name === 'oblique' ? cutOblique(() => this.grid(name)) : cutAxis(planeAxes[name].sliceAxis);
      this.loaders[name] = new PlaneLoader(volume, { slices, cutter, cache }, this.scheduler, onTile);
    }
    if (preview) void this.#loadPreview(volume, preview);
    else this.volumeLoading.set({ status: slices ? 'ready' : 'none' });
  }

  setSurface(surface: SurfaceSource | null): void {
    this.surface = surface;
    this.shownSurface.clear();
    this.probe.set(null);
    this.#changed();
    this.places.set(surface?.places ?? null);
    if (!surface) return;
    const state = this.store.get();
    if (state.meshId !== null && state.meshId !== surface.id)
      this.store.update({ selectedDefectId: null, defects: allDefects });
    const known = surface.scalars.some(({ name }) => name === state.surface.scalar);
    const first = surface.scalars.find(({ onDemand }) => !onDemand);
    if (state.meshId !== surface.id) {
      const shown = known ? state.surface.scalar : (first?.name ?? null);
      const scalar = surface.scalars.find(({ name }) => name === shown);
      this.store.update({
        meshId: surface.id,
        surface: {
          ...state.surface,
          scalar: shown,
          map: known ? state.surface.map : mapFor(scalar),
          range: state.meshId === null && known ? state.surface.range : null,
          brush: state.meshId === null && known ? state.surface.brush : null,
        },
      });
    }
    this.shownSurface.load(surface);
  }

  setReference(reference: ReferenceSource | null): void {
    // The switch does not apply to another reference; the first one keeps the setting of the link or bookmark.
    const isOther = reference !== null && this.reference !== null && reference.id !== this.reference.id;
    if (isOther) this.store.update({ referenceVisible: true });
    this.reference = reference;
    this.shownReference.clear();
    this.#changed();
    if (reference) this.shownReference.load(reference);
  }

  dispose(): void {
    this.clipHistory.dispose();
    this.setVolume(null, null, null);
    this.setSurface(null);
    this.setReference(null);
    this.cuts.forget();
    this.store.dispose();
    this.scheduler.dispose();
  }

  // Resolved state, with all defaults filled in:

  cursorWorld(): Vector3 {
    const { cursorMm } = this.store.get();
    if (cursorMm) return cursorMm;
    if (this.volume) return gridMmToWorld(this.volume, middleVoxelGridMm(this.volume));
    const { min, max } = this.bounds();
    return mapVector(min, (mm, axis) => (mm + max[axis]) / 2);
  }

  /** Cursor in grid mm, clamped to the grid. */
  cursorGridMm(): Vector3 {
    const cursor = this.cursorWorld();
    return this.volume ? worldToGridMm(this.volume, cursor) : cursor;
  }

  setCursorGridMm(point: Vector3): void {
    if (!this.volume) return;
    const { volume } = this;
    const inside = mapVector(point, (value, axis) => {
      const [low, high] = extentMm(volume, axis);
      return Math.min(high, Math.max(low, value));
    });
    this.store.update({ cursorMm: gridMmToWorld(volume, inside) });
  }

  setCursorWorld(point: Vector3): void {
    if (this.volume) this.setCursorGridMm(worldToGridMm(this.volume, point));
    else this.store.update({ cursorMm: point });
  }

  /** The grid whose slices a pane shows: the volume's own, or one rotated to the oblique plane. */
  grid(name: SliceName): Grid | null {
    if (!this.volume || name !== 'oblique') return this.volume;
    return turnGrid(this.volume, readOrientation(this.store.get()));
  }

  /** Cursor in the mm of a pane's grid. */
  cursorIn(name: SliceName): Vector3 {
    const grid = this.grid(name);
    return grid ? worldToGridMm(grid, this.cursorWorld()) : this.cursorWorld();
  }

  setCursorIn(name: SliceName, point: Vector3): void {
    const grid = this.grid(name);
    if (name !== 'oblique' || !this.volume || !grid) this.setCursorGridMm(point);
    else this.setCursorWorld(putInside(this.volume, grid, point));
  }

  /** Index and position (grid mm) of the slice that a pane shows; an oblique plane passes through the cursor itself. */
  slice(name: SliceName): { index: number; count: number; positionMm: number } | null {
    const grid = this.grid(name);
    if (!grid) return null;
    const axis = planeAxes[name].normal;
    const at = this.cursorIn(name)[axis];
    const index = sliceIndex(grid, axis, at);
    const positionMm = name === 'oblique' ? at : slicePositionMm(grid, axis, index);
    return { index, count: grid.dimensions[axis], positionMm };
  }

  setSliceIndex(name: SliceName, index: number): void {
    const grid = this.grid(name);
    if (!grid) return;
    const axis = planeAxes[name].normal;
    const cursor = this.cursorIn(name);
    const clamped = Math.min(grid.dimensions[axis] - 1, Math.max(0, Math.round(index)));
    cursor[axis] = slicePositionMm(grid, axis, clamped);
    this.setCursorIn(name, cursor);
  }

  planeView(name: SliceName, widthPx: number, heightPx: number): PlaneView {
    const volume = this.grid(name);
    const stored = this.store.get().planes?.[name];
    const axes = planeAxes[name];
    if (!volume) return { centreU: 0, centreV: 0, heightMm: 1, widthPx, heightPx };
    const centre = stored ? worldToGridMm(volume, stored.centerMm) : centreGridMm(volume);
    return {
      centreU: centre[axes.u],
      centreV: centre[axes.v],
      heightMm: stored?.heightMm ?? fitHeightMm(volume, axes, widthPx, heightPx),
      widthPx,
      heightPx,
    };
  }

  setPlaneView(name: SliceName, view: PlaneView): void {
    const { planes: current, oblique } = this.store.get();
    const plane = (other: SliceName) => {
      const grid = this.grid(other) as Grid;
      const size = this.paneSizes.get(other) ?? { widthPx: view.widthPx, heightPx: view.heightPx };
      const { centreU, centreV, heightMm } =
        other === name ? view : this.planeView(other, size.widthPx, size.heightPx);
      const axes = planeAxes[other];
      const centre = centreGridMm(grid);
      centre[axes.u] = centreU;
      centre[axes.v] = centreV;
      return { centerMm: gridMmToWorld(grid, centre), heightMm };
    };
    if (!this.volume) return;
    const kept = (other: PlaneName) => (other !== name && current ? current[other] : plane(other));
    const own = name === 'oblique' ? plane(name) : (current?.oblique ?? null);
    this.store.update({
      planes: { xy: kept('xy'), xz: kept('xz'), yz: kept('yz'), oblique: oblique && own },
    });
  }

  /** The grey window: that of the state, or one that shows nearly all of the volume. */
  window(): GreyWindow {
    const { window } = this.store.get();
    if (window) return window;
    const histogram = this.histogram.get();
    if (histogram) return autoWindow(histogram);
    return this.volume?.range ? toGreyWindow(...this.volume.range) : { center: 0.5, width: 1 };
  }

  bounds(): Bounds {
    const surface = this.shownSurface.drawn();
    const part = this.reference?.isPart ? this.shownReference.drawn() : null;
    if (surface) return joinBounds([surface, part].flatMap((each) => each?.bounds ?? []));
    return findBounds(this.boxCorners() ?? []) ?? joinBounds([]);
  }

  camera(aspect: number): Camera {
    return this.store.get().camera ?? standardView('isometric', this.bounds(), aspect);
  }

  /** The scalars by which the surface can be coloured: its own values, and the columns of its places. */
  scalars(): readonly ScalarDescription[] {
    const loaded = this.shownSurface.drawn()?.scalars;
    const own = (this.surface?.scalars ?? []).filter(
      ({ name, onDemand }) => !onDemand || loaded?.[name] !== undefined,
    );
    const others = this.places.scalars().filter(({ name }) => own.every((scalar) => scalar.name !== name));
    return others.length > 0 ? [...own, ...others.map((scalar) => ({ ...scalar, each: own[0]?.each }))] : own;
  }

  scalar(): ScalarDescription | null {
    const { scalar } = this.store.get().surface;
    const found = this.scalars().find(({ name }) => name === scalar) ?? null;
    const surface = this.shownSurface.drawn();
    if (found && surface) this.places.addScalar(surface.scalars, found.name);
    return found;
  }

  /**
   * The current scalar with the weight of each vertex: its area, or its share of a place that counts once. Approximate
   * while only a simplified surface is loaded.
   */
  weighed(): Weighed | null {
    const surface = this.shownSurface.drawn();
    const scalar = this.scalar();
    return surface && scalar && this.#weighed.read(surface, scalar);
  }

  statistics(): Weighed['statistics'] {
    return this.weighed()?.statistics ?? null;
  }

  /** Limits of the colours: those of the state, or round ones that cover nearly all of the surface. */
  range(): [number, number] {
    const { range } = this.store.get().surface;
    if (range && range[1] > range[0]) return range;
    const { limits, signed } = this.scalar() ?? {};
    const isCentred = signed && this.store.get().surface.map === 'coolwarm';
    if (limits && limits[1] > limits[0]) return isCentred ? aroundZero(limits) : [...limits];
    const statistics = this.statistics();
    return statistics ? autoRange(statistics, this.scalar()?.signed ?? false) : [0, 1];
  }

  boxCorners(): Vector3[] | null {
    return this.volume && listCorners(this.volume);
  }

  async #loadPreview(volume: VolumeDescription, preview: (signal: AbortSignal) => Promise<Volume>) {
    const load = new AbortController();
    this.#volumeLoad = load;
    const finish = this.scheduler.begin();
    this.volumeLoading.set({ status: 'loading', stage: 'Loading the preview' });
    try {
      const data = await preview(load.signal);
      if (load.signal.aborted) return;
      if (!volume.histogram) this.histogram.set(greyHistogram(data.data));
      for (const loader of Object.values(this.loaders)) loader.setPreview(data);
      this.previewData.set(data);
      this.volumeLoading.set({ status: 'ready' });
    } catch (cause) {
      if (!load.signal.aborted) this.volumeLoading.set({ status: 'failed', problem: readMessage(cause) });
    } finally {
      this.#changed();
      finish();
    }
  }
}
