import { mmPerPixel, type PlaneView } from '#kernels/grid/plane-transform.ts';
import type { Volume } from '#kernels/grid/volume.ts';
import type { CutPlane } from './cut-plane.ts';
import type { FrameScheduler } from './frame-scheduler.ts';
import { joinTiles } from './join-tiles.ts';
import { readMessage } from './read-message.ts';
import type { SlicePlane, SliceSource, VolumeDescription } from './slice-source.ts';
import type { TileCache } from './tile-cache.ts';

/** How long scrolling must have paused before the service is asked: a plane that is passed by is not worth it. */
export const restMs = 40;
/** Of one pane; the browser opens six connections for all of them. */
const parallelRequests = 3;
/**
 * Slices that are fetched in the direction of scrolling once all that is seen is there: a key that is held down passes one
 * in 33 ms, and a slice takes up to four times as long to come.
 */
const slicesAhead = 4;
/**
 * Slices that are passed faster than they come are of a coarser level: each has a quarter of the values, and stands for
 * twice as many. Where so many in a row do not come either, of a level that is coarser still.
 */
const mostMissed = 6;
/**
 * While slices of a coarser level pass, those ahead are asked for as fine as they can be seen, too, where they would come in
 * time: by so few requests at once, as they have four times the values of a coarser one.
 */
const fineRequests = 2;
const fineTimes = 4;
/** So many beyond the one that is seen have to be there before slices that pass are sharp again. */
const sharpInARow = 2;

/**
 * Coarsest level whose voxels are still not larger than a pixel, so that no more is transferred than can be seen.
 */
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

/** What a pane shows of a volume. */
export interface ShownPlane {
  /** along the plane's normal, in grid mm */
  positionMm: number;
  view: PlaneView;
  /** device pixels a CSS pixel of the view */
  scale: number;
}

/** A part of a plane, asked for by itself. */
export interface PlaneTile {
  /** the same for parts that have the same values, among all panes of a volume */
  name: string;
  ask(source: SliceSource, signal: AbortSignal): Promise<SlicePlane>;
}

/** How the planes of one pane are cut out of a volume. */
export interface PlaneCutter {
  /** the same for planes that the preview has the same values of */
  name(shown: ShownPlane): string;
  /**
   * @param isWhole whether the preview has the scan's own voxels
   * @param former was cut before and is no longer needed
   */
  cut(preview: Volume, shown: ShownPlane, isWhole: boolean, former?: CutPlane): CutPlane;
  /** What is seen of the plane at a level, the middle of the pane first; nothing outside of the volume. */
  listTiles(volume: VolumeDescription, shown: ShownPlane, level: number): PlaneTile[];
  /** from one plane of a level to the next */
  stepMm(volume: VolumeDescription, level: number): number;
  /** whether planes of a coarser level have fewer values */
  isLighter: boolean;
}

const pixelMm = ({ view, scale }: ShownPlane): number => mmPerPixel(view) / scale;

/**
 * The planes of one pane: the preview's at once, finer tiles of what is seen as they come from the source, then those of
 * the next slices; of slices that are passed faster than they come, tiles of a coarser level, which do. What is no longer
 * wanted is stopped.
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
  /** of a coarser level: all that is asked for while scrolling is faster than slices come */
  #passing: { seen: PlaneTile[]; ahead: PlaneTile[] } | null = null;
  /** of the last part that came while passing, and of the last step; ms */
  #coarseMs = Infinity;
  #stepMs = 0;
  #lastStep = 0;
  /** levels that those are coarser by, and how many in a row did not come */
  #coarserBy = 1;
  #missed = 0;
  #failed = new Set<string>();
  readonly #requests = new Map<string, AbortController>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #finish: (() => void) | null = null;
  /** what went wrong with the plane that is wanted, in words */
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
   * The best that is there now: one plane once all of it is as fine as can be seen; until then the preview's, which is
   * whole, and over it the finer parts that have come. Asks for what is missing.
   */
  planes(shown: ShownPlane): SlicePlane[] {
    const level = levelFor(this.#volume, pixelMm(shown));
    const tiles = this.#listTiles(shown, level);
    this.#want(shown, level, tiles);
    const coarser = this.#listCoarser(shown, level);
    const passed = this.#passing ? this.#findTiles(coarser) : [];
    // A single sharp one among those that pass would flicker.
    const isPassed = passed.length > 0 && passed.length === coarser.length;
    return this.#gather(shown, isPassed ? [] : tiles, coarser);
  }

  /** What is there of the plane that `bring` brought; asks for nothing. */
  brought(shown: ShownPlane): SlicePlane[] {
    return this.#gather(shown, this.#listTiles(shown, levelFor(this.#volume, pixelMm(shown))));
  }

  /** The finest that is there at a place of the plane, in grid mm; asks for nothing. */
  planeAt(shown: ShownPlane, uMm: number, vMm: number): SlicePlane | null {
    return this.brought(shown).findLast((plane) => holdsPlace(plane, uMm, vMm)) ?? null;
  }

  /**
   * Brings the plane that a picture of this resolution needs, so that the picture does not depend on what the screen
   * happened to show before. Where it cannot be had, the picture is made of the preview.
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

  /** None where the preview is as fine. */
  #listTiles(shown: ShownPlane, level: number): PlaneTile[] {
    const preview = this.#preview;
    if (!this.#source || (preview && previewSuffices(preview, this.#volume, level))) return [];
    return this.#cutter.listTiles(this.#volume, shown, level);
  }

  /** The same parts of the plane, coarser; none where the preview is as fine, or they would come no sooner. */
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
    // Who passes slices has sharp ones again once they lie ready in a row.
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
      // Whoever scrolls no faster than slices come gets each of them sharp: the next ones do not wait for a pause.
      this.#askNext();
      return;
    }
    this.#finish = this.#scheduler.begin();
    // Without a preview there is nothing to look at meanwhile, so there is nothing to wait for.
    this.#timer = setTimeout(() => this.#rest(), this.#preview ? restMs : 0);
    if (this.#passing) this.#askNext();
  }

  /** Scrolling has paused: what is seen is asked for as fine as it can be seen. */
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

  /** What lies ahead as fine as it can be seen, the farthest first: what is near would come too late. */
  #listFineAhead(): PlaneTile[] {
    const perSlice = Math.max(1, this.#seen.length);
    const isInTime = (this.#coarseMs * fineTimes * perSlice) / fineRequests < this.#stepMs;
    return this.#passing && isInTime ? this.#ahead.toReversed() : [];
  }

  /** Takes a coarser level where what is left behind had not come. */
  #choosePassing(shown: ShownPlane, level: number): void {
    const isMissed = this.#passing?.seen.some(({ name }) => !this.#cache.has(name)) ?? false;
    this.#missed = isMissed ? this.#missed + 1 : 0;
    const by = this.#coarserBy + 1;
    if (this.#missed < mostMissed || this.#listCoarser(shown, level, by).length === 0) return;
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

  /** What is there counts as used: what lies ahead must not go before what has been passed. */
  #isMissing = ({ name }: PlaneTile): boolean =>
    this.#cache.get(name) === undefined && !this.#failed.has(name);

  /** Asks for what is missing and not on its way, what is seen before what is ahead. */
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

/** Whether a place (grid mm) lies nearest to one of the plane's values. */
function holdsPlace({ originMm, spacingMm, width, height }: SlicePlane, uMm: number, vMm: number): boolean {
  const column = Math.round((uMm - originMm[0]) / spacingMm[0]);
  const row = Math.round((vMm - originMm[1]) / spacingMm[1]);
  return column >= 0 && row >= 0 && column < width && row < height;
}
