/** Scans of a known body with what real scanners add: blur, noise, cupping, a background that rises, rings. */
import type { Vector3, Volume } from '../grid/volume.ts';
import { seededNormal } from '../random.ts';
import { blurVolume } from './blur.ts';
import { type Body, box, hollowCylinder, measureLength, movedBody, sphere } from './bodies.ts';
import { carve } from './carve.ts';
import { renderBody } from './render-body.ts';

export interface Impairment {
  /** standard deviation, in voxels */
  blur?: number;
  /** of air to material, over the noise */
  contrastToNoise?: number;
  /** standard deviation of the noise's grain, in voxels; white without */
  grain?: number;
  /** what the material's grey value lacks on the axis, as a share of the contrast */
  cupping?: number;
  /** rise along x over the whole scan, as a share of the contrast */
  ramp?: number;
  /** amplitude of rings about the middle, as a share of the contrast */
  rings?: number;
  seed?: number;
}

const [air, contrast] = [8000, 32_000];
const noHoles: readonly Body[] = [];
const ringRadii = [9, 17.3, 24, 33.5];

/** Of the body in voxels of 1 mm, with its cells' grey values as floating-point numbers. */
export function impairedScan(
  body: Body,
  dimensions: Vector3,
  { blur, contrastToNoise, grain, cupping = 0, ramp = 0, rings = 0, seed = 3 }: Impairment,
  holes: readonly Body[] = noHoles,
): Volume {
  const volume = renderOnce(body, dimensions, holes);
  const { data } = volume;
  const [nx, ny, nz] = dimensions;
  const isUneven = cupping !== 0 || ramp !== 0 || rings !== 0;
  for (let z = 0, i = 0; isUneven && z < nz; z++) {
    for (let y = 0; y < ny; y++) {
      for (let x = 0; x < nx; x++, i++) {
        const radius = measureLength(x - (nx - 1) / 2, y - (ny - 1) / 2);
        data[i] -= (data[i] - air) * cupping * Math.max(0, 1 - (radius / (0.42 * nx)) ** 2);
        data[i] += contrast * ramp * (x / (nx - 1) - 0.5);
        if (rings === 0) continue;
        for (const [n, ring] of ringRadii.entries()) {
          const height = Math.exp(-(((radius - ring) / 0.8) ** 2) / 2);
          data[i] += contrast * rings * (n % 2 === 0 ? 1 : -1) * height;
        }
      }
    }
  }
  if (blur) blurVolume(volume, blur);
  if (contrastToNoise) addGrain(volume, contrast / contrastToNoise, grain ?? 0, seed);
  return volume;
}

let last: { body: Body; dimensions: Vector3; holes: readonly Body[]; volume: Volume } | undefined;
/** A copy of what was rendered last where it is the same again: one body is scanned with many impairments. */
function renderOnce(body: Body, dimensions: Vector3, holes: readonly Body[]): Volume {
  if (last?.body !== body || String(last.dimensions) !== String(dimensions) || last.holes !== holes) {
    const volume = renderBody(body, { dimensions, voxelSizeMm: [1, 1, 1], dataType: 'float32' });
    carve(volume, holes, air);
    last = { body, dimensions, holes, volume };
  }
  return { ...last.volume, data: last.volume.data.slice() };
}

/** Normally distributed noise of a standard deviation, with a grain on demand. */
export function addGrain(volume: Volume, deviation: number, grain: number, seed: number): void {
  const { data } = volume;
  const noise = drawOnce(volume, grain, seed);
  let sum = 0;
  for (let i = 0; i < noise.length; i++) sum += noise[i] * noise[i];
  const scale = deviation / Math.sqrt(sum / noise.length);
  for (let i = 0; i < noise.length; i++) data[i] += scale * noise[i];
}

let lastNoise: { key: string; noise: Float32Array } | undefined;
/** What was drawn last where it is the same again: one noise serves many scans and is only scaled. */
function drawOnce(volume: Volume, grain: number, seed: number): Float32Array {
  const { dimensions, voxelSizeMm, dataType } = volume;
  const key = [...dimensions, ...voxelSizeMm, dataType, grain, seed].join();
  if (lastNoise?.key === key) return lastNoise.noise;
  const normal = seededNormal(seed);
  const noise = new Float32Array(volume.data.length);
  for (let i = 0; i < noise.length; i++) noise[i] = normal();
  if (grain > 0) blurVolume({ ...volume, data: noise }, grain);
  lastNoise = { key, noise };
  return noise;
}

/** A cylinder with an eccentric square channel and, on demand, pores: 88 voxels across. */
export const channelledCylinder = (pores: readonly { at: Vector3; radius: number }[] = []) => ({
  dimensions: [88, 88, 88] as Vector3,
  body: hollowCylinder(36, 0, 58),
  holes: [
    movedBody(box([16, 12, 80]), [13, 7, 0]),
    ...pores.map(({ at, radius }) => movedBody(sphere(radius), at)),
  ],
});
