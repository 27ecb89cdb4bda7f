import type { FrameScheduler } from '../data/frame-scheduler.ts';
import { loadSurface } from '../data/load-surface.ts';
import { readMessage } from '../data/read-message.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import type { Loading } from './loading.ts';
import { Signal } from './signal.ts';
import type { SurfaceSource } from './surface-source.ts';

/**
 * Above this number, the original loads only on request: at about 50 bytes per triangle it takes 400 MB of the page's
 * memory.
 */
const maxTriangles = 8e6;

/** A simplified surface, with the number of triangles of the original. */
export interface SimplifiedSurface {
  data: SurfaceData;
  wholeTriangles: number;
}

type OnStage = (stage: string) => void;
type Source = Pick<SurfaceSource, 'load' | 'loadSimplified' | 'isNominal'>;

/** A surface while it loads: if it is large, a simplified version first, which is drawn alone; then the original. */
export class LoadedSurface {
  readonly loading = new Signal<Loading>({ status: 'none' });
  /** the original, with every triangle */
  readonly whole = new Signal<SurfaceData | null>(null);
  /** null if the surface is small, or has not been simplified yet */
  readonly simplified = new Signal<SimplifiedSurface | null>(null);
  readonly #scheduler: FrameScheduler;
  readonly #onChange: () => void;
  readonly #read: typeof loadSurface;
  #source: Source | null = null;
  #load: AbortController | null = null;

  /** @param read reads a GLB, in a worker of its own */
  constructor(scheduler: FrameScheduler, onChange: () => void, read = loadSurface) {
    this.#scheduler = scheduler;
    this.#onChange = onChange;
    this.#read = read;
  }

  drawn(): SurfaceData | null {
    return this.whole.get() ?? this.simplified.get()?.data ?? null;
  }

  /** Whether the surface drawn is simplified. */
  isSimplified(): boolean {
    return this.whole.get() === null && this.simplified.get() !== null;
  }

  clear(): void {
    this.#load?.abort();
    this.#load = null;
    this.#source = null;
    this.loading.set({ status: 'none' });
    this.simplified.set(null);
    this.whole.set(null);
  }

  load(source: Source): void {
    this.clear();
    this.#source = source;
    void this.#run(async (signal, onStage) => {
      const simplified = await source.loadSimplified?.(signal);
      if (simplified) {
        const data = await this.#read(simplified.bytes, signal, onStage, source.isNominal);
        signal.throwIfAborted();
        this.simplified.set({ data, wholeTriangles: simplified.wholeTriangles });
        this.#onChange();
        if (simplified.wholeTriangles > maxTriangles) return;
      }
      await this.#loadWhole(source, signal, onStage);
    });
  }

  /** Retries a surface that failed to load. */
  retry(): void {
    if (this.#source && this.loading.get().status === 'failed') this.load(this.#source);
  }

  /** Loads the original of a surface that is too large to load automatically. */
  bringWhole(): void {
    const source = this.#source;
    if (!source || this.whole.get() !== null || this.loading.get().status === 'loading') return;
    void this.#run((signal, onStage) => this.#loadWhole(source, signal, onStage));
  }

  async #loadWhole(source: Source, signal: AbortSignal, onStage: OnStage): Promise<void> {
    const data = await this.#read(await source.load(signal), signal, onStage, source.isNominal);
    signal.throwIfAborted();
    this.whole.set(data);
  }

  async #run(work: (signal: AbortSignal, onStage: OnStage) => Promise<void>): Promise<void> {
    const load = new AbortController();
    this.#load = load;
    const finish = this.#scheduler.begin();
    const onStage = (stage: string) => this.loading.set({ status: 'loading', stage });
    onStage('Loading the surface');
    try {
      await work(load.signal, onStage);
      if (!load.signal.aborted) this.loading.set({ status: 'ready' });
    } catch (cause) {
      const problem = readMessage(cause);
      if (!load.signal.aborted) this.loading.set({ status: 'failed', problem });
    } finally {
      this.#onChange();
      finish();
    }
  }
}
