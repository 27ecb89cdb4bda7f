import { loadPacked, type Packer, startPacker } from '../data/load-packed.ts';
import { readMessage } from '../data/read-message.ts';
import type { Engine } from '../engine/engine.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { isVolumeShown, readSection } from '../state/volume-look.ts';

/**
 * Passes the model's volume to the engine once 3D shows it, and a finer one when it has loaded. A hidden volume costs
 * nothing. Returns a function that ends it.
 */
export function feedVolume(model: ViewerModel, engine: Engine): () => void {
  let fed: unknown = null;
  let load: AbortController | null = null;
  let packer: Packer | null = null;
  const endPacker = () => {
    packer?.worker.terminate();
    packer = null;
  };
  const feed = () => {
    const preview = model.previewData.get();
    if (preview === null && isVolumeShown(model)) packer ??= startPacker();
    else if (!isVolumeShown(model)) endPacker();
    if (preview === fed) return;
    if (preview !== null && !isVolumeShown(model) && readSection(model)?.kind !== 'grey') return;
    fed = preview;
    load?.abort();
    load = null;
    if (preview === null) {
      engine.setVolume(null);
      return;
    }
    const now = new AbortController();
    load = now;
    const finish = model.scheduler.begin();
    model.volumeDrawn.set({ status: 'loading', stage: 'Loading the volume' });
    const started = packer ?? startPacker();
    packer = null;
    loadPacked(started, preview, engine.volumeEdge, now.signal)
      .then(
        (packed) => {
          engine.setVolume(packed);
          model.volumeDrawn.set({ status: 'ready' });
        },
        (cause) => {
          if (!now.signal.aborted)
            model.volumeDrawn.set({
              status: 'failed',
              problem: readMessage(cause),
            });
        },
      )
      .finally(finish);
  };
  const signals = [model.previewData, model.store.signal, model.revision];
  const stops = signals.map((signal) => signal.subscribe(feed));
  feed();
  return () => {
    for (const stop of stops) stop();
    load?.abort();
    endPacker();
  };
}
