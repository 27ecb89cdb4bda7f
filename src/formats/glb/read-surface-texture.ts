import type { SurfaceTexture } from '#kernels/color/surface-texture.ts';
import { readPng } from '../png/read-png.ts';
import { readGlbTexture } from './read-glb-texture.ts';

/**
 * The texture of one of our textured meshes, whose GLB states the meaning of its bytes; null when there is none, or its
 * meaning is not stated (a photograph or pattern). Runs in Node and in web workers.
 *
 * @throws FormatError MALFORMED, or UNSUPPORTED for images that are not plain PNG
 */
export async function readSurfaceTexture(glb: Uint8Array): Promise<SurfaceTexture | null> {
  const texture = readGlbTexture(glb);
  const meaning = texture && readMeaning(texture.extras);
  if (!texture || !meaning || texture.mediaType !== 'image/png') return null;
  const { width, height, channels, samples } = await readPng(texture.image);
  if (channels !== 1) return null;
  return {
    ...meaning,
    coordinates: texture.coordinates as Float32Array<ArrayBuffer>,
    width,
    height,
    bytes: samples as Uint8Array<ArrayBuffer>,
  };
}

function readMeaning(extras: unknown): { name: string; low: number; high: number } | null {
  if (typeof extras !== 'object' || extras === null) return null;
  const { shows, low, high } = extras as Record<string, unknown>;
  if (typeof shows !== 'string' || typeof low !== 'number' || typeof high !== 'number') return null;
  return high > low ? { name: shows, low, high } : null;
}
