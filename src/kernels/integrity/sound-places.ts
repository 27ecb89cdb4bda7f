/**
 * Places of sound material around voids, where the integral should be zero: its values there show how reliable it is.
 */

import type { Vector3 } from '../grid/volume.ts';
import type { BitStage } from './bit-stage.ts';
import { findSoundBalls } from './shell-tasks.ts';

/** Sound places used per void, their largest distance in cells, their total number, and random tries per place. */
const soundPerVoid = 24;
const soundWithin = 22;
const maxSoundPlaces = 600;
const triesPerPlace = 3;
/** Largest radius of a sound ball; larger ones would not find room. */
const largestBall = 6;
/**
 * With fewer sound places, the noise correlation is taken from the shells of the voids; without these, this factor is
 * assumed.
 */
const minSoundPlaces = 6;
const unknownExcess = 2;
/** Degrees of freedom of each shell's eighths: eight, minus the level and three slopes. */
const freeOfShell = 4;
/** Median of squared normal values, over their mean. */
export const medianOfSquares = 0.4549;

/** Result of the integral at a place, in cells. */
export interface MeasuredPlace {
  volume: number;
  deviation: number;
  cells: number;
  center: Vector3;
  /** level of the material around it, and its slopes */
  level: readonly number[];
}

interface Ball {
  center: Vector3;
  radius: number;
}

interface BallRequest {
  /** bits of all air */
  air: number;
  reach: number;
  voids: readonly { voxels: number; first: Vector3; last: Vector3 }[];
}

/** Balls of sound material around the voids, each as large as one of them and beyond the reach of any air. */
export async function findBalls(
  { air, reach, voids }: BallRequest,
  { grid, arena }: BitStage,
): Promise<Ball[]> {
  const asked = Math.min(voids.length, Math.ceil(maxSoundPlaces / soundPerVoid));
  const perVoid = Math.ceil(maxSoundPlaces / Math.max(1, asked));
  const candidates: Ball[] = [];
  for (let n = 0; n < asked; n++) {
    const { voxels, first, last } = voids[Math.floor((n * voids.length) / asked)];
    const size = Math.min(largestBall, Math.cbrt((3 * voxels) / (4 * Math.PI)));
    for (let t = 0; t < triesPerPlace * perVoid; t++) {
      // Smaller and smaller, in case there is no room for larger ones.
      const radius = Math.max(1, size * (1 - (0.6 * t) / (triesPerPlace * perVoid)));
      const center = first.map((n, k) => {
        const share = (0.5 + (candidates.length + 1) * spreadSteps[k]) % 1;
        const far = soundWithin + (last[k] - n) / 2;
        return Math.round((n + last[k]) / 2 + far * (2 * share - 1));
      }) as Vector3;
      candidates.push({ center, radius });
    }
  }
  const balls = candidates.map(({ center, radius }) => ({ center, radius: radius + 2 * reach + 0.3 }));
  const isSound = await arena.run(findSoundBalls, { grid, air, balls });
  const sound = candidates.filter((_, i) => isSound[i]);
  const step = Math.max(1, sound.length / maxSoundPlaces);
  return Array.from(
    { length: Math.min(maxSoundPlaces, sound.length) },
    (_, i) => sound[Math.floor(i * step)],
  );
}

/** Powers of the inverse of 1.2207…: their multiples fill a cube evenly (Roberts 2018). */
const spreadSteps = [1, 2, 3].map((power) => 1.2207440846057596 ** -power);

/** A sound place beyond this many standard deviations is not sound. */
const outlierDeviations = 6;
/**
 * Noise, rings and streaks make places darker as well as brighter. Places brighter by more than this many standard
 * deviations of the darker ones contain grains of a denser material; the rule is off when the darker ones are less than
 * this share of all.
 */
const [denserDeviations, minDarker] = [3.5, 0.25];
/**
 * Tolerance on the level, as a share of the contrast: places with a level further outside the range around the voids
 * lie in another material.
 */
const levelsApart = 0.05;
/** Distance, and ratio of sizes, at which a sound place loses most of its weight. */
const [farCells, farRatio] = [soundWithin, 2];

/** Integral at the sound places most similar to a void, divided by its standard deviation: mean, and scatter. */
export interface SoundShare {
  mean: number;
  excess: number;
}

/**
 * Scatter of sums of cells from correlated noise and curved levels, relative to that of independent cells, estimated
 * from the eighths of the voids' shells. One standard error is added, which matters for few shells.
 */
function compareShells(shells: readonly { patchiness: number }[]): SoundShare {
  const seen = shells.flatMap(({ patchiness }) => (Number.isFinite(patchiness) ? [patchiness] : []));
  if (seen.length === 0) return { mean: 0, excess: unknownExcess };
  const mean = seen.reduce((sum, each) => sum + each, 0) / seen.length;
  return { mean: 0, excess: Math.sqrt(Math.max(1, mean * (1 + Math.sqrt(2 / (freeOfShell * seen.length))))) };
}

/** @returns the places without those that contain voids or grains of another material */
function dropOutliers<Known extends { share: number }>(known: readonly Known[]): Known[] {
  const findSpread = (of: readonly Known[]) => {
    const sorted = of.map(({ share }) => share ** 2).sort((a, b) => a - b);
    return Math.sqrt(Math.max(1, sorted[sorted.length >> 1] / medianOfSquares));
  };
  const darker = known.filter(({ share }) => share > 0);
  const brightest =
    darker.length < minDarker * known.length
      ? Number.POSITIVE_INFINITY
      : denserDeviations * findSpread(darker);
  const most = outlierDeviations * findSpread(known);
  return known.filter(({ share }) => share < most && share > -Math.min(most, brightest));
}

/** @param shells around the voids themselves */
export function compareWith(
  sound: readonly MeasuredPlace[],
  shells: readonly (Pick<MeasuredPlace, 'level'> & { patchiness: number })[],
): (place: MeasuredPlace) => SoundShare {
  const levels = shells.map(({ level }) => level[0]);
  const [lowest, highest] = [Math.min(...levels) - levelsApart, Math.max(...levels) + levelsApart];
  const known = sound
    .filter(({ deviation, level: [level] }) => deviation > 0 && level >= lowest && level <= highest)
    .map(({ center, cells, volume, deviation }) => ({
      center,
      size: Math.log(cells),
      share: volume / deviation,
    }));
  if (known.length < minSoundPlaces) {
    const ofShells = compareShells(shells);
    return () => ofShells;
  }
  const inliers = dropOutliers(known);
  return ({ center, cells }) => {
    const size = Math.log(cells);
    let [weights, squares, sum, sumSquares] = [0, 0, 0, 0];
    for (const each of inliers) {
      const [x, y, z] = each.center;
      const apart = (x - center[0]) ** 2 + (y - center[1]) ** 2 + (z - center[2]) ** 2;
      const far = apart / farCells ** 2 + ((each.size - size) / Math.log(farRatio)) ** 2;
      const weight = 1 / (1 + far) ** 2;
      weights += weight;
      squares += weight * weight;
      sum += weight * each.share;
      sumSquares += weight * each.share ** 2;
    }
    const seen = sum / weights;
    const variance = Math.max(0, sumSquares / weights - seen ** 2);
    // The mean counts only beyond its own standard error, as with levels curved by cupping.
    const byChance = (variance * squares) / weights ** 2;
    const mean = (seen * seen ** 2) / (seen ** 2 + byChance + 1e-12);
    // Sums of independent cells have a scatter of 1; lower values are chance, because the places overlap.
    return { mean, excess: Math.max(1, Math.sqrt(variance + byChance + (seen - mean) ** 2)) };
  };
}
