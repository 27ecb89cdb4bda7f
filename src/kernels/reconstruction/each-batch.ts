import type { Arena } from '../arena.ts';
import { bytesPerVoxel, type VoxelArray } from '../grid/volume.ts';
import { type Plan, purpose, type ReconstructionOptions } from './plan.ts';

const defaultBatchBytes = 48 * 1024 ** 2;

/** Loads all projections into the arena batch by batch; the next batch is read while this one is processed. */
export async function eachBatch(
  { radiographs, options }: Plan,
  arena: Arena,
  work: (raw: number, from: number, to: number, projectionBytes: number) => Promise<void>,
): Promise<void> {
  const { projections } = radiographs;
  const [columns, rows, count] = projections.grid.dimensions;
  const projectionBytes = Math.ceil((columns * rows * bytesPerVoxel[projections.dataType]) / 16) * 16;
  const size = batchSize(projectionBytes, options);
  const raw = arena.allocate(size * projectionBytes, purpose);
  const read = (from: number) => projections.readSlab(from, Math.min(count, from + size));
  const mark = arena.mark();
  let next: Promise<VoxelArray> = read(0);
  for (let from = 0; from < count; from += size) {
    const values = await next;
    const to = Math.min(count, from + size);
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    const one = bytes.length / (to - from);
    for (let p = 0; p < to - from; p++) {
      arena.bytes(raw + p * projectionBytes, one).set(bytes.subarray(p * one, (p + 1) * one));
    }
    if (to < count) {
      next = read(to);
      // Handles the rejection in case the loop stops before awaiting it.
      next.catch(() => undefined);
    }
    arena.release(mark);
    await work(raw, from, to, projectionBytes);
  }
}

const batchSize = (projectionBytes: number, { batchBytes = defaultBatchBytes }: ReconstructionOptions) =>
  Math.max(1, Math.floor(batchBytes / projectionBytes));
