import { mmPerPixel, type PlaneView } from '#kernels/grid/plane-transform.ts';
import type { Volume } from '#kernels/grid/volume.ts';
import type { CutPlane } from './cut-plane.ts';
import type { FrameScheduler } from './frame-scheduler.ts';
import { joinTiles } from './join-tiles.ts';
import { readMessage } from './read-message.ts';
import type { SlicePlane, SliceSource, VolumeDescription } from './slice-source.ts';
import type { TileCache } from './tile-cache.ts';

/** Pause in scrolling before the service is asked: a plane that is only scrolled past is not worth a request. */
export const restMs = 40;
/** Per pane; the browser opens six connections for all of them. */
const parallelRequests = 3;
/**
 * Slices prefetched in the direction of scrolling once the visible one is loaded: a key held down passes one per 33 ms,
 * and a slice takes up to four times as long to arrive.
 */
const slicesAhead = 4;
/**
 * Slices scrolled past faster than they arrive are loaded at a coarser level: each has a quarter of the values and
 * replaces two slices. After this many misses in a row, an even coarser level is used.
 */
const maxMissed = 6;
/**
 * While coarser slices are shown, the slices ahead are also requested at full detail if they would arrive in time: with
 * few parallel requests, because each has four times the values of a coarser one.
 */
const fineRequests = 2;
const fineTimes = 4;
/** Number of slices ahead that must be loaded at full detail before scrolling shows sharp slices again. */
const sharpInARow = 2;

/** The coarsest level whose voxels are not larger than a pixel, so that no more is transferred than can be seen. */
export function levelFor(volume: VolumeDescription, mmPerPixel: number): number {
  const levels = volume.levels ?? [];
  return Math.max(
    0,
    levels.findLastIndex(({ voxelSizeMm }) => Math.max(...voxelSizeMm) <= mmPerPixel),
  );
}

/** Whether the preview is as fine as a level of the volume. */
export function previewSuffices(preview: Volume, volume: VolumeDescription, level: number): boolean {
  const wanted = volume.levels?.[level]?.voxelSizeMm ?? volume.voxelSizeMm;
  return preview.voxelSizeMm.every((size, axis) => size <= (wanted[axis] ?? 0) * 1.001);
}

/** The part of a volume that a pane shows. */
export interface ShownPlane {
  /** along the plane's normal, in grid mm */
  positionMm: number;
  view: PlaneView;
  /** device pixels per CSS pixel of the view */
  scale: number;
}

/** A part of a plane, requested separately. */
export interface PlaneTile {
  /** identifies the tile's values among all panes of a volume */
  name: string;
  ask(source: SliceSource, signal: AbortSignal): Promise<SlicePlane>;
}

/** How the planes of one pane are cut from a volume. */
export interface PlaneCutter {
  /** identifies the values that the preview has on the plane */
  name(shown: ShownPlane): string;
  /**
   * @param isWhole whether the preview has the original voxels
   * @param former an obsolete plane that was cut before
   */
  cut(preview: Volume, shown: ShownPlane, isWhole: boolean, former?: CutPlane): CutPlane;
  /** The visible tiles of the plane at a level, nearest to the centre of the pane first; none outside the volume. */
  listTiles(volume: VolumeDescription, shown: ShownPlane, level: number): PlaneTile[];
  /** distance between two planes of a level */
  stepMm(volume: VolumeDescription, level: number): number;
  /** whether planes of a coarser level have fewer values */
  isLighter: boolean;
}

const pixelMm = ({ view, scale }: ShownPlane): number => mmPerPixel(view) / scale;

/**
 * Loads the planes of one pane: the preview's at once, finer tiles of the visible part as they arrive from the source,
 * then those of the next slices. While scrolling is faster than slices arrive, it loads tiles of a coarser level, which
 * arrive in time. Requests no longer needed are aborted.
 */
export class PlaneLoader {
  readonly #volume: VolumeDescription;
  readonly #source: SliceSource | null;
  readonly #cutter: PlaneCutter;
  readonly #cache: TileCache;
  readonly #scheduler: FrameScheduler;
  readonly #onChange: () => void;
  #preview: Volume | null = null;
  #previewPlane: { name: string; plane: CutPlane } | null = null;
  #joined: { name: string; plane: SlicePlane } | null = null;
  #wanted = '';
  #lastMm: number | null = null;
  #seen: PlaneTile[] = [];
  #ahead: PlaneTile[] = [];
  /** tiles of a coarser level, requested while scrolling is faster than slices arrive; null otherwise */
  #passing: { seen: PlaneTile[]; ahead: PlaneTile[] } | null = null;
  /** duration of the last coarser tile, and of the last scrolling step; ms */
  #coarseMs = Infinity;
  #stepMs = 0;
  #lastStep = 0;
  /** how many levels coarser they are, and how many in a row did not arrive */
  #coarserBy = 1;
  #missed = 0;
  #failed = new Set<string>();
  readonly #requests = new Map<string, AbortController>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #finish: (() => void) | null = null;
  /** error message of the requested plane */
  problem: string | null = null;

  constructor(
    volume: VolumeDescription,
    sources: { slices: SliceSource | null; cutter: PlaneCutter; cache: TileCache },
    scheduler: FrameScheduler,
    onChange: () => void,
  ) {
    this.#volume = volume;
    this.#source = sources.slices;
    this.#cutter = sources.cutter;
    this.#cache = sources.cache;
    this.#scheduler = scheduler;
    this.#onChange = onChange;
  }

  setPreview(preview: Volume): void {
    this.#preview = preview;
    this.#wanted = '';
    this.#onChange();
  }

  /**
   * The best planes available now: a single plane once the view is loaded at full detail; until then the preview's
   * plane, which is complete, and the finer tiles over it. Requests missing tiles.
   */
  planes(shown: ShownPlane): SlicePlane[] {
    const level = levelFor(this.#volume, pixelMm(shown));
    const tiles = this.#listTiles(shown, level);
    this.#want(shown, level, tiles);
    const coarser = this.#listCoarser(shown, level);
    const passed = this.#passing ? this.#findTiles(coarser) : [];
    // A single sharp slice among coarser ones would flicker.
    const isPassed = passed.length > 0 && passed.length === coarser.length;
    return this.#gather(shown, isPassed ? [] : tiles, coarser);
  }

  /** The plane loaded by `bring`, as far as available; requests nothing. */
  brought(shown: ShownPlane): SlicePlane[] {
    return this.#gather(shown, this.#listTiles(shown, levelFor(this.#volume, pixelMm(shown))));
  }

  /** The finest plane available at a position (grid mm); requests nothing. */
  planeAt(shown: ShownPlane, uMm: number, vMm: number): SlicePlane | null {
    return this.brought(shown).findLast((plane) => holdsPlace(plane, uMm, vMm)) ?? null;
  }

  /**
   * Loads the plane that a picture of this resolution needs, so that the picture does not depend on what the screen has
   * shown before. If that fails, the picture uses the preview.
   */
  async bring(shown: ShownPlane): Promise<void> {
    const source = this.#source;
    if (!source) return;
    const { signal } = new AbortController();
    const tiles = this.#listTiles(shown, levelFor(this.#volume, pixelMm(shown)));
    await Promise.all(
      tiles.map(async (tile) => {
        if (this.#cache.has(tile.name)) return;
        try {
          this.#cache.keep(tile.name, await tile.ask(source, signal));
        } catch (cause) {
          this.problem = readMessage(cause);
        }
      }),
    );
  }

  dispose(): void {
    this.#seen = [];
    this.#ahead = [];
    this.#passing = null;
    this.#stopWaiting();
    this.#stopUnwanted();
    this.#previewPlane = null;
    this.#joined = null;
    this.#preview = null;
  }

  /** Empty if the preview is as fine. */
  #listTiles(shown: ShownPlane, level: number): PlaneTile[] {
    const preview = this.#preview;
    if (!this.#source || (preview && previewSuffices(preview, this.#volume, level))) return [];
    return this.#cutter.listTiles(this.#volume, shown, level);
  }

  /**
   * The same part of the plane at a coarser level; empty if the preview is as fine, or if it would arrive no sooner.
   */
  #listCoarser(shown: ShownPlane, level: number, by = this.#coarserBy): PlaneTile[] {
    const coarser = level + by;
    const isThere = coarser < (this.#volume.levels?.length ?? 0);
    return this.#preview && isThere && this.#cutter.isLighter ? this.#listTiles(shown, coarser) : [];
  }

  #gather(shown: ShownPlane, tiles: readonly PlaneTile[], coarser: readonly PlaneTile[] = []): SlicePlane[] {
    const there = this.#findTiles(tiles);
    const [first, ...others] = there;
    if (first && there.length === tiles.length) return [this.#join(tiles, [first, ...others])];
    if (!this.#preview) return there;
    const [rough, ...roughOthers] = this.#findTiles(coarser);
    const isCovered = rough && roughOthers.length + 1 === coarser.length;
    if (isCovered) return [this.#join(coarser, [rough, ...roughOthers]), ...there];
    return [this.#cutPreview(this.#preview, shown), ...there];
  }

  #findTiles(tiles: readonly PlaneTile[]): SlicePlane[] {
    return tiles.flatMap(({ name }) => this.#cache.get(name) ?? []);
  }

  #join(tiles: readonly PlaneTile[], there: [SlicePlane, ...SlicePlane[]]): SlicePlane {
    if (there.length === 1) return there[0];
    const name = tiles.map((tile) => tile.name).join(' ');
    if (this.#joined?.name !== name)
      this.#joined = { name, plane: joinTiles(there, this.#joined?.plane.values) };
    return this.#joined.plane;
  }

  #cutPreview(preview: Volume, shown: ShownPlane): SlicePlane {
    const name = this.#cutter.name(shown);
    if (this.#previewPlane?.name !== name) {
      const isWhole = previewSuffices(preview, this.#volume, 0);
      const former = this.#previewPlane?.plane;
      this.#previewPlane = { name, plane: this.#cutter.cut(preview, shown, isWhole, former) };
    }
    return this.#previewPlane.plane;
  }

  #want(shown: ShownPlane, level: number, tiles: PlaneTile[]): void {
    const wanted = tiles.map(({ name }) => name).join(' ');
    const { positionMm } = shown;
    const way = Math.sign(positionMm - (this.#lastMm ?? positionMm));
    this.#lastMm = positionMm;
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    const now = performance.now();
    [this.#stepMs, this.#lastStep] = [now - this.#lastStep, now];
    const isOutrun = way !== 0 && (this.#finish !== null || this.#passing !== null);
    if (isOutrun) this.#choosePassing(shown, level);
    this.problem = null;
    this.#failed.clear();
    this.#seen = tiles;
    this.#ahead = way === 0 || tiles.length === 0 ? [] : this.#listAhead(shown, level, way);
    const isCached = ({ name }: PlaneTile) => this.#cache.has(name);
    // While coarser slices are shown, sharp ones return only once several in a row are loaded.
    const inARow = this.#passing ? this.#ahead.slice(0, sharpInARow * tiles.length) : [];
    const isThere = [...tiles, ...inARow].every(isCached);
    const coarser = isOutrun && !isThere ? this.#listCoarser(shown, level) : [];
    this.#passing =
      coarser.length > 0
        ? { seen: coarser, ahead: this.#listAhead(shown, level + this.#coarserBy, way) }
        : null;
    this.#stopWaiting();
    this.#stopUnwanted();
    if (isThere) {
      // Scrolling is no faster than slices arrive, so each is shown sharp: the next ones are requested without a pause.
      this.#askNext();
      return;
    }
    this.#finish = this.#scheduler.begin();
    // Without a preview nothing is visible meanwhile, so the request is sent at once.
    this.#timer = setTimeout(() => this.#rest(), this.#preview ? restMs : 0);
    if (this.#passing) this.#askNext();
  }

  /** Scrolling has paused: requests the visible plane at full detail. */
  #rest(): void {
    const wasPassing = this.#passing !== null;
    this.#passing = null;
    this.#coarserBy = 1;
    this.#missed = 0;
    this.#coarseMs = Infinity;
    this.#stopUnwanted();
    this.#askNext();
    if (wasPassing) this.#onChange();
  }

  /** The slices ahead at full detail, the farthest first: near ones would arrive too late. */
  #listFineAhead(): PlaneTile[] {
    const perSlice = Math.max(1, this.#seen.length);
    const isInTime = (this.#coarseMs * fineTimes * perSlice) / fineRequests < this.#stepMs;
    return this.#passing && isInTime ? this.#ahead.toReversed() : [];
  }

  /** Changes to a coarser level if the slices passed had not arrived in time. */
  #choosePassing(shown: ShownPlane, level: number): void {
    const isMissed = this.#passing?.seen.some(({ name }) => !this.#cache.has(name)) ?? false;
    this.#missed = isMissed ? this.#missed + 1 : 0;
    const by = this.#coarserBy + 1;
    if (this.#missed < maxMissed || this.#listCoarser(shown, level, by).length === 0) return;
    this.#coarserBy = by;
    this.#missed = 0;
  }

  #listAhead(shown: ShownPlane, level: number, way: number): PlaneTile[] {
    const step = way * this.#cutter.stepMm(this.#volume, level);
    return Array.from({ length: slicesAhead }, (_, n) => {
      const positionMm = shown.positionMm + (n + 1) * step;
      return this.#cutter.listTiles(this.#volume, { ...shown, positionMm }, level);
    }).flat();
  }

  /** Reading a cached tile marks it as used, so that slices already passed are evicted before those ahead. */
  #isMissing = ({ name }: PlaneTile): boolean =>
    this.#cache.get(name) === undefined && !this.#failed.has(name);

  /** Requests missing tiles that are not pending, visible ones before those ahead. */
  #askNext(): void {
    const source = this.#source;
    if (!source) return;
    if (!this.#passing && this.#seen.every((tile) => !this.#isMissing(tile))) {
      this.#finish?.();
      this.#finish = null;
    }
    const { seen, ahead } = this.#passing ?? { seen: this.#seen, ahead: this.#ahead };
    const missing = seen.filter(this.#isMissing);
    this.#ask(source, missing.length > 0 ? missing : ahead.filter(this.#isMissing), parallelRequests);
    this.#ask(source, this.#listFineAhead().filter(this.#isMissing), fineRequests);
  }

  #ask(source: SliceSource, tiles: readonly PlaneTile[], most: number): void {
    for (const tile of tiles) {
      if (this.#requests.size >= most) return;
      if (!this.#requests.has(tile.name)) void this.#load(source, tile);
    }
  }

  async #load(source: SliceSource, tile: PlaneTile): Promise<void> {
    const request = new AbortController();
    this.#requests.set(tile.name, request);
    const begun = performance.now();
    try {
      const plane = await tile.ask(source, request.signal);
      if (request.signal.aborted) return;
      const { seen = [], ahead = [] } = this.#passing ?? {};
      if ([...seen, ...ahead].some(({ name }) => name === tile.name))
        this.#coarseMs = performance.now() - begun;
      this.#cache.keep(tile.name, plane);
    } catch (cause) {
      if (request.signal.aborted) return;
      this.#failed.add(tile.name);
      if (this.#isSeen(tile)) this.problem = readMessage(cause);
    }
    this.#requests.delete(tile.name);
    if (this.#isSeen(tile)) this.#onChange();
    this.#askNext();
  }

  #isSeen = (tile: PlaneTile): boolean =>
    [...this.#seen, ...(this.#passing?.seen ?? [])].some(({ name }) => name === tile.name);

  #stopWaiting(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#finish?.();
    this.#finish = null;
  }

  #stopUnwanted(): void {
    const { seen, ahead } = this.#passing ?? { seen: this.#seen, ahead: this.#ahead };
    const names = new Set([...seen, ...ahead, ...this.#listFineAhead()].map(({ name }) => name));
    for (const [name, request] of this.#requests) {
      if (names.has(name)) continue;
      request.abort();
      this.#requests.delete(name);
    }
  }
}

/** Whether a position (grid mm) is within half a step of the plane's values. */
function holdsPlace({ originMm, spacingMm, width, height }: SlicePlane, uMm: number, vMm: number): boolean {
  const column = Math.round((uMm - originMm[0]) / spacingMm[0]);
  const row = Math.round((vMm - originMm[1]) / spacingMm[1]);
  return column >= 0 && row >= 0 && column < width && row < height;
}
