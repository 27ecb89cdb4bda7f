/** Simulates what scanners do to grey values, on a part that was rendered with its blur. */

import type { Volume } from '../../grid/volume.ts';
import { seededNormal } from '../../random.ts';
import { blurVolume } from '../blur.ts';
import { measureLength } from '../bodies.ts';
import { emptyVolume, type RenderedPart } from './render-part.ts';

export interface Impairments {
  /** contrast between air and the part's own material, divided by the noise; no noise when absent */
  contrastToNoise?: number;
  /** correlation length (standard deviation) of the noise in voxels; white noise when absent */
  grain?: number;
  /** relative loss of the material's height on the axis */
  cupping?: number;
  /** rise from corner to corner, as a share of the contrast */
  ramp?: number;
  /** height as a share of the contrast; offset of their axis from the middle along x, in voxels; half a turn only */
  rings?: { height: number; offAxis?: number; isHalf?: boolean };
  /** relative loss of height of the last plane compared with the first */
  drift?: number;
  /** height at which values are clipped, as a share of the contrast */
  saturation?: number;
  /** height below which values are clipped, as a share of the contrast */
  floor?: number;
  /** share by which planes across an axis (default z) alternate in brightness, and the period in planes */
  bands?: { height: number; period: number; axis?: 0 | 1 | 2 };
  /** outside this share of the half width from the axis the value is 0, because nothing was scanned */
  seenShare?: number;
  /** planes that are empty, or repeat the previous one */
  lost?: { empty?: readonly number[]; repeated?: readonly number[] };
  seed?: number;
}

const air = 8000;
/** Contrast in grey values, reduced for parts with denser materials so that nothing is clipped. */
const measureContrast = (heights: Float32Array) =>
  Math.min(32_000, 50_000 / heights.reduce((most, height) => Math.max(most, height), 1));

export function impairPart(rendered: RenderedPart, impairments: Impairments): Volume {
  const {
    contrastToNoise,
    grain = 0,
    ramp = 0,
    rings,
    drift = 0,
    saturation,
    floor,
    bands,
    lost,
  } = impairments;
  const volume = emptyVolume(rendered);
  const [nx, ny, nz] = rendered.dimensions;
  const noise = contrastToNoise === undefined ? null : measureGrain(volume, grain, impairments.seed ?? 1);
  const contrast = measureContrast(rendered.heights);
  // Effects across the axis are computed for one plane only, effects along one axis for one line.
  const across = impairPlane([nx, ny], impairments);
  const brightness = bands && shadeBands(rendered.dimensions[bands.axis ?? 2], bands);
  for (let z = 0, i = 0; z < nz; z++) {
    const dimmed = 1 - (drift * z) / (nz - 1);
    for (let y = 0, at = 0; y < ny; y++) {
      for (let x = 0; x < nx; x++, i++, at++) {
        if (!across.isSeen[at]) {
          volume.data[i] = 0;
          continue;
        }
        let height = rendered.heights[i] * across.cups[at] * dimmed;
        if (ramp !== 0) height += (ramp * (x / (nx - 1) + y / (ny - 1) + z / (nz - 1) - 1.5)) / 3;
        if (brightness) height *= brightness[bands.axis === 0 ? x : bands.axis === 1 ? y : z];
        if (rings) height += across.rings[at];
        if (noise) height += noise[i] / (contrastToNoise ?? 1);
        if (saturation !== undefined) height = Math.min(height, saturation);
        if (floor !== undefined) height = Math.max(height, floor);
        volume.data[i] = Math.min(65_535, Math.max(0, Math.round(air + contrast * height)));
      }
    }
  }
  const plane = nx * ny;
  for (const z of lost?.empty ?? []) volume.data.fill(0, z * plane, (z + 1) * plane);
  for (const z of lost?.repeated ?? []) volume.data.copyWithin(z * plane, (z - 1) * plane, z * plane);
  return volume;
}

/**
 * Factors, added heights and field of view that are the same in all planes across the axis, for each place of one
 * plane.
 */
function impairPlane(
  [nx, ny]: readonly [number, number],
  { cupping = 0, rings, seenShare = Number.POSITIVE_INFINITY }: Impairments,
) {
  const radius = 0.42 * nx;
  const places = {
    cups: new Float64Array(nx * ny),
    rings: new Float64Array(nx * ny),
    isSeen: new Uint8Array(nx * ny),
  };
  for (let y = 0, at = 0; y < ny; y++) {
    const dy = y - (ny - 1) / 2;
    for (let x = 0; x < nx; x++, at++) {
      const dx = x - (nx - 1) / 2;
      places.cups[at] = 1 - cupping * Math.max(0, 1 - (dx * dx + dy * dy) / radius ** 2);
      if (rings && !(rings.isHalf && dy < 0))
        places.rings[at] = ringAt(measureLength(dx - (rings.offAxis ?? 0), dy), rings.height);
      places.isSeen[at] = Number(measureLength(dx, dy) < (seenShare * nx) / 2);
    }
  }
  return places;
}

/** The factor of each plane across an axis. */
const shadeBands = (planes: number, { height, period }: NonNullable<Impairments['bands']>) =>
  Float64Array.from({ length: planes }, (_, n) => 1 + height * Math.sin((2 * Math.PI * n) / period));

/** Alternates between bright and dark, about a voxel wide. */
function ringAt(radius: number, height: number): number {
  let sum = 0;
  for (const [n, ring] of [5, 11.3, 16, 21.7, 28].entries())
    sum += (n % 2 === 0 ? height : -height) * Math.exp(-(((radius - ring) / 0.8) ** 2) / 2);
  return sum;
}

let last: { key: string; numbers: Float32Array } | undefined;
/**
 * Normally distributed numbers with standard deviation 1 and a grain. Cached for repeated requests; callers must not
 * change them.
 */
function measureGrain(volume: Volume, grain: number, seed: number): Float32Array {
  const key = [...volume.dimensions, grain, seed].join();
  if (last?.key !== key) last = { key, numbers: drawGrain(volume, grain, seed) };
  return last.numbers;
}

function drawGrain(volume: Volume, grain: number, seed: number): Float32Array {
  const normal = seededNormal(seed);
  // A plain loop, because `from` with a function takes nearly three times as long.
  const data = new Float32Array(volume.data.length);
  for (let i = 0; i < data.length; i++) data[i] = normal();
  if (grain === 0) return data;
  blurVolume({ ...volume, voxelSizeMm: [1, 1, 1], dataType: 'float32', data }, grain);
  const scale = 1 / Math.sqrt(data.reduce((sum, value) => sum + value * value, 0) / data.length);
  return data.map((value) => scale * value);
}
