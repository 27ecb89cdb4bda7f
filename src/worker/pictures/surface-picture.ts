/** Pictures of surfaces without a browser, for renders, reports and thumbnails. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LimitedScalar } from '#contract/analyses/data-kinds.ts';
import { chooseUnit, decimalsFor, fixed } from '#contract/base/format-number.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { colorMap } from '#kernels/color/maps.ts';
import { weighScalar } from '#kernels/color/place-statistics.ts';
import { groundFor, plainGround } from '#kernels/color/scene-ground.ts';
import { measureBounds, vertexAreasAndNormals, withoutNaN } from '#kernels/color/vertex-areas.ts';
import { aroundZero, autoRange, missingValue, weightedHistogram } from '#kernels/color/weighted-histogram.ts';
import { type Camera, standardView } from '#kernels/grid/camera.ts';
import { type ClipSettings, listCuts, nothingCut } from '#kernels/grid/cut-away.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { type LegendModel, legendDomain } from '#kernels/overlay/paint-legend.ts';
import { drawScene, type SceneContent } from '#kernels/picture/draw-scene.ts';
import type { Ground, Pane } from '#kernels/picture/pane.ts';
import type { Picture } from '#kernels/picture/picture.ts';
import type { Surface } from '#kernels/picture/place-triangles.ts';
import type { TakeTurns } from '#kernels/picture/scene-rays.ts';
import type { SurfaceLook } from '#kernels/picture/shade-surface.ts';
import { readWord } from '#kernels/places/place-scalars.ts';
import type { ShownSurface } from '../shown-surface.ts';

/** The parts of a view state that determine how its surface looks. */
export type SurfaceView = Pick<ViewState, 'camera'> & {
  clips: ClipSettings;
  scene: Pick<ViewState['scene'], 'edges' | 'gradient'> & Partial<Pick<ViewState['scene'], 'occlusion'>>;
  surface: Omit<ViewState['surface'], 'visible'>;
};

export type ColouredSurface = ShownSurface & { scalars: readonly LimitedScalar[] };

/**
 * Draws a surface like the viewer.
 * @param options.ground background; default: the view's
 * @param options.around what is drawn around it, given its look
 * @returns limits of the colours; null when it has none
 */
export async function paintSurface(
  pane: Pane,
  surface: ColouredSurface,
  view: SurfaceView,
  signal: AbortSignal,
  {
    ground = groundFor(view),
    around,
  }: { ground?: Ground; around?: (look: SurfaceLook) => SceneContent['around'] } = {},
): Promise<[number, number] | null> {
  const bounds = measureBounds(surface.mesh.positions);
  const camera = view.camera ?? standardView('isometric', bounds, pane.width / pane.height);
  const { look, drawn, range } = prepareSurface(surface, view, camera);
  await drawScene(pane, { surface: drawn, around: around?.(look) }, look, takeTurns(signal), ground);
  return range;
}

/** A surface as drawn, with the look of a view. */
export function prepareSurface(surface: ColouredSurface, view: SurfaceView, camera: Camera) {
  const { mesh, texture } = surface;
  const { vertexAreasMm2, normals } = vertexAreasAndNormals(mesh);
  const { values, range } = readColours(surface, view.surface, vertexAreasMm2);
  const look: SurfaceLook = {
    ...plainLook(view, camera),
    colours: values
      ? {
          values,
          texture: texture?.name === view.surface.scalar ? texture : null,
          missing: missingValue,
          range: range ?? [0, 1],
          lut: colorMap(view.surface.map),
          brush: view.surface.brush,
        }
      : null,
  };
  return { drawn: { positions: mesh.positions, indices: mesh.indices, normals }, look, range };
}

/** A surface with smooth shading. */
export const withNormals = (mesh: TriangleMesh): Surface => ({
  positions: mesh.positions,
  indices: mesh.indices,
  normals: vertexAreasAndNormals(mesh).normals,
});

/** The look of a view as far as it does not depend on the surface. */
export const plainLook = ({ surface, scene, clips }: SurfaceView, camera: Camera): SurfaceLook => ({
  camera,
  colours: null,
  opacity: surface.opacity,
  shaded: surface.shaded,
  edges: scene.edges,
  // Single pictures have time for ambient occlusion, as on a graphics card.
  hollows: scene.occlusion ?? true,
  cuts: listCuts(clips),
});

/** Scalars at the vertices and their limits; undefined and null when the surface has a single colour. */
export function readColours(
  { mesh, texture, scalars }: ColouredSurface,
  surface: Pick<SurfaceView['surface'], 'scalar' | 'map' | 'range'>,
  vertexAreasMm2: Float32Array,
): { values: Float32Array | undefined; range: [number, number] | null } {
  const values = surface.scalar === null ? undefined : withoutNaN(mesh.scalars)[surface.scalar];
  if (!values) return { values, range: null };
  if (surface.range && surface.range[1] > surface.range[0]) return { values, range: surface.range };
  if (texture?.name === surface.scalar) return { values, range: [texture.low, texture.high] };
  const scalar = scalars.find(({ name }) => name === surface.scalar);
  const limits = scalar?.limits;
  const isCentred = scalar?.center === 'zero' && surface.map === 'coolwarm';
  if (limits && limits[1] > limits[0]) return { values, range: isCentred ? aroundZero(limits) : limits };
  const places = mesh.scalars?.[scalar?.each?.attribute ?? ''];
  const { statistics } = weighScalar(values, vertexAreasMm2, places);
  return { values, range: statistics ? autoRange(statistics, scalar?.center === 'zero') : null };
}

/** Bars of the histogram beside a legend. */
const legendBins = 128;

/** The legend of a surface's colours; null when it has a single colour. */
export function describeLegend(
  surface: ColouredSurface,
  look: Pick<ViewState['surface'], 'scalar' | 'map' | 'range' | 'brush'>,
): LegendModel | null {
  const scalar = surface.scalars.find(({ name }) => name === look.scalar);
  const { vertexAreasMm2 } = vertexAreasAndNormals(surface.mesh);
  const { values, range } = readColours(surface, look, vertexAreasMm2);
  if (!scalar || !values || !range) return null;
  const places = surface.mesh.scalars?.[scalar.each?.attribute ?? ''];
  const { statistics, weights } = weighScalar(values, vertexAreasMm2, places);
  const domain = legendDomain(range, statistics);
  return {
    title: scalar.title,
    shown: chooseUnit(domain, scalar.unit),
    formatTick: (value, step) =>
      scalar.words ? readWord(scalar.words, value) : fixed(value, decimalsFor(step)),
    map: look.map,
    range,
    domain,
    brush: look.brush,
    histogram: weightedHistogram(values, weights, domain[0], domain[1], legendBins),
    marked: null,
  };
}

/** A square picture of a plain mesh on a transparent background, flat-shaded. */
export async function meshPicture(mesh: TriangleMesh, size: number, signal: AbortSignal): Promise<Picture> {
  const pane = squarePane(size, 4);
  const camera = standardView('isometric', measureBounds(mesh.positions), 1);
  const look = { camera, colours: null, opacity: 1, shaded: true, edges: true, cuts: nothingCut };
  await drawScene(pane, { surface: { ...mesh, normals: null } }, look, takeTurns(signal), plainGround);
  return pane.picture;
}

/** A square picture in which nothing is drawn yet. */
export function squarePane(size: number, channels: 3 | 4): Pane & { picture: Picture } {
  const samples = new Uint8Array(size * size * channels);
  return { picture: { width: size, height: size, channels, samples }, x: 0, y: 0, width: size, height: size };
}

/** Yields to other tasks between pieces of work. */
export const takeTurns =
  (signal: AbortSignal): TakeTurns =>
  async () => {
    await nextTurn();
    signal.throwIfAborted();
  };
