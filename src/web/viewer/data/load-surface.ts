import type { SurfaceData, SurfaceMessage, SurfaceRequest } from './surface-data.ts';

/**
 * Parses the bytes of a GLB to a surface, in a worker that is terminated afterwards.
 *
 * @param isNominal whether its sharp edges are shaded as sharp
 * @throws AbortError when `signal` is aborted; Error with the reader's message when the file cannot be read
 */
export function loadSurface(
  glb: ArrayBuffer,
  signal: AbortSignal,
  onStage: (stage: string) => void,
  isNominal = false,
): Promise<SurfaceData> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(new DOMException('The surface is no longer wanted.', 'AbortError'));
      return;
    }
    const worker = new Worker(new URL('./mesh.worker.ts', import.meta.url), { type: 'module' });
    const end = () => {
      worker.terminate();
      signal.removeEventListener('abort', stop);
    };
    const stop = () => {
      end();
      reject(new DOMException('The surface is no longer wanted.', 'AbortError'));
    };
    signal.addEventListener('abort', stop);
    worker.onmessage = ({ data }: MessageEvent<SurfaceMessage>) => {
      if (data.kind === 'stage') {
        onStage(data.stage);
        return;
      }
      end();
      if (data.kind === 'done') resolve(data.surface);
      else reject(new Error(data.message));
    };
    worker.onerror = (event) => {
      end();
      reject(new Error(event.message || 'The worker that reads surfaces could not be started.'));
    };
    const request: SurfaceRequest = { glb, isNominal };
    worker.postMessage(request, [glb]);
  });
}
