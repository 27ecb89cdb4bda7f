import type { Vector3, Volume } from '../grid/volume.ts';
import { seededNormal } from '../random.ts';
import { type Body, box, movedBody, type Pore, sphere } from './bodies.ts';
import { renderBody, shareInside } from './render-body.ts';

/** Sets bodies to another grey value in a volume, in place; each voxel by the share of it that lies inside. */
export function carve(volume: Volume, bodies: readonly Body[], grey: number): void {
  const { dimensions, voxelSizeMm, originMm, data } = volume;
  const reach = Math.hypot(...voxelSizeMm) / 2;
  for (const body of bodies) {
    const from = [0, 1, 2].map((k) =>
      Math.max(0, Math.floor((body.boundsMm.min[k] - originMm[k]) / voxelSizeMm[k])),
    );
    const to = [0, 1, 2].map((k) =>
      Math.min(dimensions[k] - 1, Math.ceil((body.boundsMm.max[k] - originMm[k]) / voxelSizeMm[k])),
    );
    for (let z = from[2]; z <= to[2]; z++) {
      for (let y = from[1]; y <= to[1]; y++) {
        for (let x = from[0]; x <= to[0]; x++) {
          const px = originMm[0] + x * voxelSizeMm[0];
          const py = originMm[1] + y * voxelSizeMm[1];
          const pz = originMm[2] + z * voxelSizeMm[2];
          const distance = body.distanceMm(px, py, pz);
          if (distance > reach) continue;
          const share = distance < -reach ? 1 : shareInside(body, px, py, pz, voxelSizeMm);
          const at = (z * dimensions[1] + y) * dimensions[0] + x;
          data[at] += (grey - data[at]) * share;
        }
      }
    }
  }
}

/** Adds normally distributed noise in place. */
export function addNoise({ data }: Volume, deviation: number, seed: number): void {
  const normal = seededNormal(seed);
  for (let i = 0; i < data.length; i++) data[i] = Math.round(data[i] + deviation * normal());
}

export interface PartOptions {
  dimensions: Vector3;
  voxelSizeMm?: Vector3;
  blockMm: Vector3;
  noise?: number;
  seed?: number;
}

/** Grey values of air and material in these volumes. */
export const partGrey = { air: 8000, material: 40000 } as const;

/** A block about the origin with holes in it: a part whose every defect is known. */
export function blockWith(holes: readonly Body[], options: PartOptions): Volume {
  const { dimensions, voxelSizeMm = [1, 1, 1], blockMm, noise = 0, seed = 1 } = options;
  const volume = renderBody(box(blockMm), { dimensions, voxelSizeMm, ...partGrey });
  carve(volume, holes, partGrey.air);
  if (noise > 0) addNoise(volume, noise, seed);
  return volume;
}

export const poreBodies = (pores: readonly Pore[]): Body[] =>
  pores.map(({ radiusMm, centerMm }) => movedBody(sphere(radiusMm), centerMm));
