/** Rays through the volume of a scene, one band of rows at a time. */
import { type CastRay, openRays, type SeenVolume } from './cast-rays.ts';
import type { Pane } from './pane.ts';
import type { Band } from './place-triangles.ts';
import { FINER, type SurfaceLook } from './shade-surface.ts';

/** Yields to other tasks of this process. @throws when drawing was cancelled */
export type TakeTurns = () => Promise<void>;

/**
 * Solid volumes get one ray per sample up to this number, then one per pixel. Translucent styles always get one per
 * pixel.
 */
const MAX_FINE_RAYS = 9_000_000;

export interface Rays {
  cast: CastRay;
  /** samples along each edge that share a ray */
  stride: 1 | 2;
  isSolid: boolean;
}

/**
 * Rays of a band's rows: premultiplied red, green, blue and opacity, 0 to 1, and the depth at which more than half is
 * hidden.
 */
export interface Cast {
  colours: Float32Array;
  depth: Float32Array;
  stride: number;
  /** per row */
  count: number;
}

/** @param samples of the whole picture */
export function openSceneRays(volume: SeenVolume, { camera, cuts }: SurfaceLook, samples: number): Rays {
  const isSolid = volume.look.style === 'surface';
  return {
    cast: openRays(volume, camera, cuts, isSolid ? 0.5 : 1),
    stride: isSolid && samples <= MAX_FINE_RAYS ? 1 : 2,
    isSolid,
  };
}

/** The ray of a sample of a band without its margin. */
export const findRay = ({ stride, count }: Cast, at: number, width: number) =>
  Math.floor(Math.floor(at / width) / stride) * count + Math.floor((at % width) / stride);

/** Casts rays for the rows of a band, which end at its opaque surfaces. */
export async function castBand(
  band: Band,
  { pane, look }: { pane: Pane; look: SurfaceLook },
  { cast, stride, isSolid }: Rays,
  takeTurns: TakeTurns,
): Promise<Cast> {
  const [first, last] = [band.top + band.margin, band.bottom - band.margin];
  const [width, height] = [pane.width * FINER, pane.height * FINER];
  const sampleMm = look.camera.heightMm / height;
  const count = width / stride;
  const rows = (last - first) / stride;
  const colours = new Float32Array(4 * count * rows);
  const depth = new Float32Array(count * rows);
  for (let row = 0; row < rows; row++) {
    await takeTurns();
    const y = first + row * stride;
    const upMm = (height / 2 - (y + stride / 2)) * sampleMm;
    for (let column = 0; column < count; column++) {
      const x = column * stride;
      const before = band.depth[(y - band.top) * width + x];
      const rightMm = (x + stride / 2 - width / 2) * sampleMm;
      const end = cast(rightMm, upMm, before, isSolid ? 0 : scatter(column, y));
      const at = row * count + column;
      colours[4 * at] = end.red;
      colours[4 * at + 1] = end.green;
      colours[4 * at + 2] = end.blue;
      colours[4 * at + 3] = end.alpha;
      depth[at] = end.depth;
    }
  }
  return { colours, depth, stride, count };
}

/** A different start offset in each pixel, which prevents ring-shaped sampling artefacts. */
function scatter(x: number, y: number): number {
  const place = 52.9829189 * ((0.06711056 * x + 0.00583715 * y) % 1);
  return place % 1;
}
