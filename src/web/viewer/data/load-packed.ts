import type { PackedVolume } from '#kernels/grid/pack-volume.ts';
import type { Volume } from '#kernels/grid/volume.ts';

/**
 * Packs a volume for the graphics card, in a worker that is terminated afterwards.
 *
 * @throws AbortError when `signal` is aborted
 */
export function loadPacked(volume: Volume, maxEdge: number, signal: AbortSignal): Promise<PackedVolume> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./pack.worker.ts', import.meta.url), { type: 'module' });
    const end = () => {
      worker.terminate();
      signal.removeEventListener('abort', stop);
    };
    const stop = () => {
      end();
      reject(new DOMException('The volume is no longer wanted.', 'AbortError'));
    };
    signal.addEventListener('abort', stop);
    worker.onmessage = ({ data }: MessageEvent<PackedVolume>) => {
      end();
      resolve(data);
    };
    worker.onerror = (event) => {
      end();
      reject(new Error(event.message || 'The volume could not be prepared for 3D.'));
    };
    worker.postMessage({ volume, maxEdge });
    if (signal.aborted) stop();
  });
}
