import type { PackedVolume } from '#kernels/grid/pack-volume.ts';
import type { Volume } from '#kernels/grid/volume.ts';

/** A worker that packs one volume. */
export interface Packer {
  worker: Worker;
  /** rejects if the worker fails */
  failed: Promise<never>;
}

/** Starts a worker before its volume has loaded, because the start takes as long as packing a small volume. */
export function startPacker(): Packer {
  const worker = new Worker(new URL('./pack.worker.ts', import.meta.url), { type: 'module' });
  const failed = new Promise<never>((_resolve, reject) => {
    worker.onerror = (event) =>
      reject(new Error(event.message || 'The volume could not be prepared for 3D.'));
  });
  // Reported by loadPacked.
  failed.catch(() => undefined);
  return { worker, failed };
}

/**
 * Packs a volume for the graphics card; the worker is terminated afterwards.
 *
 * @throws AbortError when `signal` is aborted
 */
export async function loadPacked(
  { worker, failed }: Packer,
  volume: Volume,
  maxEdge: number,
  signal: AbortSignal,
): Promise<PackedVolume> {
  const answer = new Promise<PackedVolume>((resolve, reject) => {
    const stop = () => reject(new DOMException('The volume is no longer wanted.', 'AbortError'));
    worker.onmessage = ({ data }: MessageEvent<PackedVolume>) => resolve(data);
    signal.addEventListener('abort', stop, { once: true });
    worker.postMessage({ volume, maxEdge });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([answer, failed]);
  } finally {
    worker.terminate();
  }
}
