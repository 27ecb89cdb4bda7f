import { mmPerPixel, type PlaneView } from '#kernels/grid/plane-transform.ts';
import type { Volume } from '#kernels/grid/volume.ts';
import type { FrameScheduler } from './frame-scheduler.ts';
import type { SlicePlane, SliceSource, VolumeDescription } from './slice-source.ts';

/** How long scrolling must have stopped before a plane is asked for. */
export const restMs = 150;
const cacheBytes = 48 * 1024 * 1024;

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

/** How the planes of one pane are cut out of a volume. */
export interface PlaneCutter {
  /** the same for planes that have the same values at a level */
  name(shown: ShownPlane): string;
  /** @param isWhole whether the preview has the scan's own voxels */
  cut(preview: Volume, shown: ShownPlane, isWhole: boolean): SlicePlane;
  ask(source: SliceSource, shown: ShownPlane, level: number, signal: AbortSignal): Promise<SlicePlane>;
}

const pixelMm = ({ view, scale }: ShownPlane): number => mmPerPixel(view) / scale;
const wordsOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));

/**
 * The planes of one pane: the preview's at once, the source's when scrolling has stopped, the earlier request
 * stopped when a newer one is made. Planes that came are kept, the oldest are dropped.
 */
export class PlaneLoader {
  readonly #volume: VolumeDescription;
  readonly #source: SliceSource | null;
  readonly #cutter: PlaneCutter;
  readonly #scheduler: FrameScheduler;
  readonly #onChange: () => void;
  #preview: Volume | null = null;
  #previewPlane: { name: string; plane: SlicePlane } | null = null;
  #cache = new Map<string, SlicePlane>();
  #bytes = 0;
  #wanted = '';
  #timer: ReturnType<typeof setTimeout> | null = null;
  #request: AbortController | null = null;
  #finish: (() => void) | null = null;
  /** what went wrong with the plane that is wanted, in words */
  problem: string | null = null;
  /** whether a finer plane than the shown one is on its way */
  loading = false;

  constructor(
    volume: VolumeDescription,
    source: SliceSource | null,
    cutter: PlaneCutter,
    scheduler: FrameScheduler,
    onChange: () => void,
  ) {
    this.#volume = volume;
    this.#source = source;
    this.#cutter = cutter;
    this.#scheduler = scheduler;
    this.#onChange = onChange;
  }

  setPreview(preview: Volume): void {
    this.#preview = preview;
    this.#wanted = '';
    this.#onChange();
  }

  /** The best plane that is there now; asks for a better one if there is one. */
  plane(shown: ShownPlane): SlicePlane | null {
    const level = levelFor(this.#volume, pixelMm(shown));
    const key = `${this.#cutter.name(shown)} ${level}`;
    const cached = this.#cache.get(key);
    const preview = this.#preview;
    const enough = preview !== null && previewSuffices(preview, this.#volume, level);
    if (key !== this.#wanted) {
      this.#wanted = key;
      this.#stop();
      this.problem = null;
      if (!cached && !enough && this.#source) this.#ask(this.#source, shown, level, key);
    }
    if (cached) {
      this.#cache.delete(key); // used last, so dropped last
      this.#cache.set(key, cached);
      return cached;
    }
    return preview ? this.#fromPreview(preview, shown) : null;
  }

  /**
   * Brings the plane that a picture of this resolution needs, so that the picture does not depend on what the screen
   * happened to show before. When it cannot be had, the picture is made of the preview.
   */
  async bring(shown: ShownPlane): Promise<void> {
    const level = levelFor(this.#volume, pixelMm(shown));
    const key = `${this.#cutter.name(shown)} ${level}`;
    const enough = this.#preview !== null && previewSuffices(this.#preview, this.#volume, level);
    if (this.#cache.has(key) || enough || !this.#source) return;
    const { signal } = new AbortController();
    try {
      this.#keep(key, await this.#cutter.ask(this.#source, shown, level, signal));
    } catch (cause) {
      this.problem = wordsOf(cause);
    }
  }

  /** What is there of the plane that `bring` brought; asks for nothing. */
  brought(shown: ShownPlane): SlicePlane | null {
    const level = levelFor(this.#volume, pixelMm(shown));
    const cached = this.#cache.get(`${this.#cutter.name(shown)} ${level}`);
    return cached ?? (this.#preview ? this.#fromPreview(this.#preview, shown) : null);
  }

  dispose(): void {
    this.#stop();
    this.#cache.clear();
    this.#previewPlane = null;
    this.#preview = null;
  }

  #fromPreview(preview: Volume, shown: ShownPlane): SlicePlane {
    const name = this.#cutter.name(shown);
    if (this.#previewPlane?.name !== name) {
      const isWhole = previewSuffices(preview, this.#volume, 0);
      this.#previewPlane = { name, plane: this.#cutter.cut(preview, shown, isWhole) };
    }
    return this.#previewPlane.plane;
  }

  #ask(source: SliceSource, shown: ShownPlane, level: number, key: string): void {
    const finish = this.#scheduler.begin();
    this.#finish = finish;
    this.loading = true;
    // Without a preview there is nothing to look at meanwhile, so there is nothing to wait for.
    this.#timer = setTimeout(() => void this.#load(source, shown, level, key), this.#preview ? restMs : 0);
  }

  async #load(source: SliceSource, shown: ShownPlane, level: number, key: string): Promise<void> {
    const request = new AbortController();
    this.#request = request;
    const finish = this.#finish;
    try {
      const plane = await this.#cutter.ask(source, shown, level, request.signal);
      if (request.signal.aborted) return;
      this.#keep(key, plane);
    } catch (cause) {
      if (request.signal.aborted) return;
      this.problem = wordsOf(cause);
    }
    this.loading = false;
    this.#onChange();
    finish?.();
  }

  #stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#request?.abort();
    this.#finish?.();
    this.#timer = this.#request = this.#finish = null;
    this.loading = false;
  }

  #keep(key: string, plane: SlicePlane): void {
    if (this.#cache.has(key)) return;
    this.#cache.set(key, plane);
    this.#bytes += plane.values.byteLength;
    for (const [oldest, old] of this.#cache) {
      if (this.#bytes <= cacheBytes || oldest === key) break;
      this.#cache.delete(oldest);
      this.#bytes -= old.values.byteLength;
    }
  }
}
