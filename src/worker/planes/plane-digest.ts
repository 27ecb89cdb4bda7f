import { createHash } from 'node:crypto';
import type { Vector3, VoxelArray } from '#kernels/grid/volume.ts';
import { type BlockGrid, gatherBlocks } from '#kernels/quality/block-grid.ts';

export interface Digest {
  /** of all values in memory order, x fastest; hex */
  valuesSha256: string;
  /** null for scans of fewer than seven blocks along an axis */
  blocks: BlockGrid | null;
}

/** Computes a volume's hash and block statistics from its planes as they pass. */
export class PlaneDigest {
  readonly #hash = createHash('sha256');
  readonly #blocks: ReturnType<typeof gatherBlocks>;
  readonly #planeCells: number;
  #taken = 0;

  constructor(dimensions: Vector3) {
    this.#blocks = gatherBlocks(dimensions);
    this.#planeCells = dimensions[0] * dimensions[1];
  }

  /** Adds whole planes, in order. */
  add(planes: VoxelArray): void {
    this.#hash.update(new Uint8Array(planes.buffer, planes.byteOffset, planes.byteLength));
    this.#blocks?.add(planes, this.#taken);
    this.#taken += planes.length / this.#planeCells;
  }

  take(): Digest {
    return { valuesSha256: this.#hash.digest('hex'), blocks: this.#blocks?.take() ?? null };
  }
}
