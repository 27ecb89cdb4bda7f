/** Surfaces as pictures without a browser: for renders, reports and thumbnails. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SurfaceScalar } from '#contract/analyses/declaration.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { Picture } from '#formats/png/picture.ts';
import { colorMap } from '#kernels/color/maps.ts';
import { weighScalar } from '#kernels/color/place-statistics.ts';
import { boundsOf, vertexAreasAndNormals, withoutNaN } from '#kernels/color/vertex-areas.ts';
import { autoRange, missingValue } from '#kernels/color/weighted-histogram.ts';
import { type Bounds, standardView } from '#kernels/grid/camera.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { drawSurface, type SurfaceLook, type TakeTurns } from '#kernels/picture/draw-surface.ts';
import type { Pane } from '#kernels/picture/pane.ts';
import type { ShownSurface } from '../shown-surface.ts';

/** What of a view state tells how its surface looks. */
export type SurfaceView = Pick<ViewState, 'camera' | 'clip'> & {
  surface: Omit<ViewState['surface'], 'visible'>;
};

/**
 * Draws a surface as the viewer does.
 * @param options.around what is looked at where there is no surface
 * @param options.ground sRGB bytes of what it stands on; the viewer's without it
 * @returns the limits of its colours; null where nothing has one
 */
export async function paintSurface(
  pane: Pane,
  { mesh, texture, scalars }: ShownSurface & { scalars: readonly SurfaceScalar[] },
  { camera, clip, surface }: SurfaceView,
  signal: AbortSignal,
  { around, ground }: { around?: Bounds; ground?: readonly [number, number, number] } = {},
): Promise<[number, number] | null> {
  const { vertexAreasMm2, normals } = vertexAreasAndNormals(mesh);
  const values = surface.scalar === null ? undefined : withoutNaN(mesh.scalars)[surface.scalar];
  const isTexture = texture?.name === surface.scalar;
  const findRange = (found: Float32Array): [number, number] | null => {
    if (surface.range && surface.range[1] > surface.range[0]) return surface.range;
    if (texture && isTexture) return [texture.low, texture.high];
    const scalar = scalars.find(({ name }) => name === surface.scalar);
    const places = mesh.scalars?.[scalar?.each?.attribute ?? ''];
    const { statistics } = weighScalar(found, vertexAreasMm2, places);
    return statistics ? autoRange(statistics, scalar?.center === 'zero') : null;
  };
  const range = values ? findRange(values) : null;
  const bounds = mesh.positions.length > 0 || !around ? boundsOf(mesh.positions) : around;
  const look: SurfaceLook = {
    camera: camera ?? standardView('isometric', bounds, pane.width / pane.height),
    colours: values
      ? {
          values,
          texture: isTexture ? texture : null,
          missing: missingValue,
          range: range ?? [0, 1],
          lut: colorMap(surface.map),
        }
      : null,
    opacity: surface.opacity,
    shaded: surface.shaded,
    clip: clip?.enabled ? clip : null,
  };
  const { positions, indices } = mesh;
  await drawSurface(pane, { positions, indices, normals }, look, takeTurns(signal), ground);
  return range;
}

/** A square picture of a plain mesh over a clear ground, each facet lit by itself. */
export async function meshPicture(mesh: TriangleMesh, size: number, signal: AbortSignal): Promise<Picture> {
  const pane = squarePane(size, 4);
  const camera = standardView('isometric', boundsOf(mesh.positions), 1);
  const look = { camera, colours: null, opacity: 1, shaded: true, clip: null };
  await drawSurface(pane, { ...mesh, normals: null }, look, takeTurns(signal));
  return pane.picture;
}

/** All of a square picture in which nothing is drawn yet. */
export function squarePane(size: number, channels: 3 | 4): Pane & { picture: Picture } {
  const samples = new Uint8Array(size * size * channels);
  return { picture: { width: size, height: size, channels, samples }, x: 0, y: 0, width: size, height: size };
}

const takeTurns =
  (signal: AbortSignal): TakeTurns =>
  async () => {
    await nextTurn();
    signal.throwIfAborted();
  };
