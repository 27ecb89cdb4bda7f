import type { SlicePlane } from './slice-source.ts';

/**
 * Memory for slices at full resolution in a tab, for all panes together and whatever the size of the volume. A slice of
 * 2048 × 2048 voxels of 16 bits takes 8 MB. As the content changes, browsers allocate more than twice as much.
 */
export const tileCacheBytes = 64 * 1024 * 1024;

/** Tiles by name; the least recently used ones are evicted. */
export class TileCache {
  /** in order of use: a Map keeps its keys in insertion order */
  readonly #tiles = new Map<string, SlicePlane>();
  #bytes = 0;
  readonly limitBytes: number;

  constructor(limitBytes = tileCacheBytes) {
    this.limitBytes = limitBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  has(name: string): boolean {
    return this.#tiles.has(name);
  }

  get(name: string): SlicePlane | undefined {
    const found = this.#tiles.get(name);
    if (found) {
      this.#tiles.delete(name);
      this.#tiles.set(name, found);
    }
    return found;
  }

  keep(name: string, tile: SlicePlane): void {
    if (this.#tiles.has(name)) return;
    this.#tiles.set(name, tile);
    this.#bytes += tile.values.byteLength;
    for (const [oldest, { values }] of this.#tiles) {
      if (this.#bytes <= this.limitBytes || oldest === name) break;
      this.#tiles.delete(oldest);
      this.#bytes -= values.byteLength;
    }
  }
}
