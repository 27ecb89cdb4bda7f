import { chosenColour, plainGround } from '../color/scene-ground.ts';
import { nothingCut } from '../grid/cut-away.ts';
import type { PlaceBall } from '../places/place-ball.ts';
import { drawScene } from './draw-scene.ts';
import type { Pane } from './pane.ts';
import type { Surface } from './place-triangles.ts';
import type { TakeTurns } from './scene-rays.ts';
import type { SurfaceLook } from './shade-surface.ts';

/**
 * Opacity of the selected place behind other objects: the viewer draws its near and far side on top, half transparent
 * each.
 */
const throughOpacity = 0.75;
/** Relative depth tolerance, because the scene contains the selected place already. */
const sameDepth = 1e-5;
/** Subdivisions around a ball, and from pole to pole. */
const [steps, rings] = [32, 16];

/**
 * Draws the selected place of a surface over a scene: unaffected by clipping, and visible through objects in front of
 * it.
 *
 * @param nearest depth of the scene at each pixel of the pane, from `drawScene`; updated with that of the place
 */
export async function drawChosen(
  pane: Pane,
  nearest: Float32Array,
  place: Surface,
  { camera, shaded }: Pick<SurfaceLook, 'camera' | 'shaded'>,
  takeTurns: TakeTurns,
): Promise<void> {
  const { picture, width, height } = pane;
  const over = { width, height, channels: 4 as const, samples: new Uint8Array(4 * width * height) };
  const look = {
    ...{ camera, shaded, colours: null, plain: chosenColour },
    ...{ opacity: 1, edges: false, cuts: nothingCut },
  };
  const layer = { picture: over, x: 0, y: 0, width, height };
  const depth = await drawScene(layer, { surface: place }, look, takeTurns, [plainGround, plainGround]);
  for (let at = 0; at < depth.length; at++) {
    if (depth[at] === Infinity) continue;
    const isHidden = depth[at] > nearest[at] * (1 + sameDepth);
    const share = (over.samples[4 * at + 3] / 255) * (isHidden ? throughOpacity : 1);
    const row = pane.y + Math.floor(at / width);
    const to = (row * picture.width + pane.x + (at % width)) * picture.channels;
    for (let k = 0; k < 3; k++)
      picture.samples[to + k] += Math.round((over.samples[4 * at + k] - picture.samples[to + k]) * share);
    nearest[at] = Math.min(nearest[at], depth[at]);
  }
}

export function makeBall({ centre, radiusMm }: PlaceBall): Surface {
  const normals: number[] = [];
  const indices: number[] = [];
  for (let ring = 0; ring <= rings; ring++) {
    const down = (ring / rings) * Math.PI;
    for (let step = 0; step <= steps; step++) {
      const around = (step / steps) * 2 * Math.PI;
      normals.push(Math.sin(down) * Math.cos(around), Math.sin(down) * Math.sin(around), Math.cos(down));
      if (ring === rings || step === steps) continue;
      const at = ring * (steps + 1) + step;
      const under = at + steps + 1;
      indices.push(at, under, at + 1, at + 1, under, under + 1);
    }
  }
  return {
    positions: Float32Array.from(normals, (each, i) => centre[i % 3] + each * radiusMm),
    normals: Float32Array.from(normals),
    indices: Uint32Array.from(indices),
  };
}
