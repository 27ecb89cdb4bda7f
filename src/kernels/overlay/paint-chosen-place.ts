import { chosenColour } from '../color/scene-ground.ts';
import { type Camera, frame, projectPoint } from '../grid/camera.ts';
import type { Vector3 } from '../grid/volume.ts';
import type { PlaceBall } from '../places/place-ball.ts';
import type { Canvas2D } from './canvas.ts';
import { type Inks, strokeWithHalo } from './paint.ts';

/** A selected place smaller than the first radius is marked by a ring with the second. In CSS pixels. */
const [findable, ringRadius] = [6, 10];
const ink = `rgb(${chosenColour.map((share) => Math.round(255 * share)).join(' ')})`;

/** In 3D, draws a ring around the selected place if it is too small to be found. */
export function paintChosenRing(
  context: Canvas2D,
  ball: PlaceBall | null,
  camera: Camera,
  [widthPx, heightPx]: readonly [number, number],
  inks: Inks,
): void {
  if (!ball) return;
  const { up } = frame(camera);
  const rim = ball.centre.map((mm, k) => mm + ball.radiusMm * up[k]) as Vector3;
  const [at, beside] = [ball.centre, rim].map((point) => projectPoint(camera, point, widthPx, heightPx));
  if (!at || !beside || Math.hypot(beside[0] - at[0], beside[1] - at[1]) >= findable) return;
  context.beginPath();
  context.arc(at[0], at[1], ringRadius, 0, 2 * Math.PI);
  strokeWithHalo(context, ink, 2, inks, 4);
}
