/**
 * Order-independent transparency of surfaces: weighted blending as on the viewer's graphics card
 * (web/viewer/engine/surface-material.ts). M. McGuire, L. Bavoil (2013), Journal of Computer Graphics Techniques 2 (2),
 * 122–141.
 */
import { type Bounds, type Camera, distanceMm, frame } from '../grid/camera.ts';
import { type Band, facesEye, placeTriangle, type Surface, unitNormalAt } from './place-triangles.ts';
import type { Shader, SurfaceLook } from './shade-surface.ts';

/** A surface to draw; one with an opacity below 1 is added through. */
export interface ThroughSurface {
  surface: Surface;
  look: SurfaceLook;
  /** the vertices as projected by `project` */
  points: Float32Array;
  shader: Shader;
}

/** Range of depths before the eye that contains everything, mm. */
export type Reach = readonly [nearest: number, furthest: number];

/** Sums at each sample, five per sample: weighted colour times opacity, transmittance, weights. */
export type ThroughSums = Float32Array;

const perSample = 5;

/** Range of depths of the bounds for a camera placed as in the viewer. */
export function measureReach(camera: Camera, { min, max }: Bounds): Reach {
  const middle = min.map((low, k) => (low + max[k]) / 2);
  const radius = Math.hypot(...max.map((high, k) => high - min[k])) / 2 || 1;
  const reach = radius + Math.hypot(...middle.map((each, k) => each - camera.target[k]));
  const away = distanceMm(camera.heightMm);
  if (camera.projection === 'orthographic') return [away - 1.01 * reach, away + 1.01 * reach];
  return [Math.max(away - reach, away / 1000), away + 1.01 * reach];
}

export function openSums(samples: number): ThroughSums {
  const sums = new Float32Array(perSample * samples);
  for (let i = 3; i < sums.length; i += perSample) sums[i] = 1;
  return sums;
}

/**
 * Adds the parts of a surface that are nearer than the band's depth, which stays unchanged. O(triangles + samples
 * covered).
 *
 * @param takeTurn called before each batch of triangles
 */
export async function addThrough(
  sums: ThroughSums,
  band: Band,
  { surface, look, points, shader }: ThroughSurface,
  [nearest, furthest]: Reach,
  takeTurn: (t: number) => Promise<void> | null,
): Promise<void> {
  const { towards } = frame(look.camera);
  const { opacity, shaded } = look;
  const [normal, colour] = [new Float64Array(3), new Float64Array(3)];
  const pixel = { x: 0, y: 0 };
  const { width, top } = band;
  const note = (at: number, t: number, wb: number, wc: number, depth: number) => {
    let alpha = opacity;
    let brightness = 1;
    if (shaded) {
      const isFront = facesEye(surface, points, t);
      unitNormalAt(surface, t, wb, wc, isFront, normal);
      const [x, y, z] = normal;
      const along = x * towards[0] + y * towards[1] + z * towards[2];
      // A thin shell is more opaque at grazing angles.
      alpha = 1 - (1 - opacity) ** (1 / Math.max(along, 0.25));
      brightness = shader.light(x, y, z, isFront);
    }
    // Farther layers count less, as if several layers of this opacity were distributed over the depth of the picture.
    const far = (depth - nearest) / (furthest - nearest);
    const weight = Math.min(1e3, Math.max(1e-3, (1 - opacity) ** (8 * (far - 0.5)))) * alpha;
    pixel.x = at % width;
    pixel.y = top + (at - pixel.x) / width;
    colour[0] = colour[1] = colour[2] = 0;
    shader.addColour(colour, t, wb, wc, pixel, brightness);
    const to = perSample * at;
    sums[to] += colour[0] * weight;
    sums[to + 1] += colour[1] * weight;
    sums[to + 2] += colour[2] * weight;
    sums[to + 3] *= 1 - alpha;
    sums[to + 4] += weight;
  };
  for (let t = 0; t < surface.indices.length; t += 3) {
    const turn = takeTurn(t);
    if (turn) await turn;
    placeTriangle(band, surface, look, points, t, note);
  }
}

/**
 * Composites the sums of a sample over a colour.
 * @returns the total opacity
 */
export function layThrough(colour: Float64Array, sums: ThroughSums, at: number): number {
  const from = perSample * at;
  const dense = 1 - sums[from + 3];
  if (dense === 0) return 0;
  const scale = dense / Math.max(sums[from + 4], 1e-4);
  for (let k = 0; k < 3; k++) colour[k] = sums[from + k] * scale + colour[k] * (1 - dense);
  return dense;
}
