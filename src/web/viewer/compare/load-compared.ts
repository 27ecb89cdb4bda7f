import { loadSurface } from '../data/load-surface.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import type { ComparedScan } from './compared-scan.ts';

/**
 * Loads the surface of a compared scan: the simplified one if available, because nine originals would fill the page's
 * memory, and nothing is picked or measured here.
 *
 * @param read reads a GLB, in a worker of its own
 */
export async function loadCompared(
  { load, loadSimplified }: NonNullable<ComparedScan['surface']>,
  signal: AbortSignal,
  read = loadSurface,
): Promise<SurfaceData> {
  const simplified = await loadSimplified?.(signal);
  return read(simplified?.bytes ?? (await load(signal)), signal, () => undefined);
}
