/** Runs the integrity analysis on a volume in memory, and measures the errors of its defects against the true pores. */
import { joinBytes } from '#formats/bytes/join-bytes.ts';
import type { KernelPool } from '#kernels/arena.ts';
import type { Vector3, Volume } from '#kernels/grid/volume.ts';
import { seededRandom } from '#kernels/random.ts';
import type { Pore } from '#kernels/testing/bodies.ts';
import { hollowCylinder, movedBody, turnedBody } from '#kernels/testing/bodies.ts';
import type { AnalysisContext, VolumeInput } from '../analysis.ts';
import type { NumberedDefect } from '../defect-files.ts';
import { makeInput, runOnScan } from './scan-run.ts';

/** @param quality of the scan, as passed to the analysis */
export async function runIntegrity(
  volume: Volume | VolumeInput,
  pool: KernelPool,
  parameters: object = {},
  quality: Awaited<ReturnType<AnalysisContext['quality']>> = null,
) {
  const input = 'data' in volume ? await makeInput(volume, pool) : volume;
  const stages: string[] = [];
  const result = await runOnScan('runIntegrityAnalysis', parameters, input, {
    pool,
    quality: async () => quality,
    progress: (_fraction, stage) => stages.push(stage),
  });
  const [{ metadata, files }] = result.dataObjects;
  const readText = (name: string) =>
    new TextDecoder().decode(joinBytes(files.find(({ fileName }) => fileName === name)?.parts ?? []));
  return {
    metadata,
    files,
    stages: new Set(stages),
    algorithms: result.algorithms,
    warnings: result.warnings,
    csv: readText('defects.csv'),
    defects: JSON.parse(readText('defects.json')) as NumberedDefect[],
  };
}

export const between = (a: Vector3, b: Vector3) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
export const ballVolume = (radius: number) => (4 / 3) * Math.PI * radius ** 3;

/**
 * Mean errors of the defects against the matching pores, in mm and as shares; `missed`: pores without a defect within
 * one radius.
 */
export function poreErrors(defects: readonly NumberedDefect[], pores: readonly Pore[]) {
  const sum = { volume: 0, position: 0, diameter: 0, sphericity: 0, missed: 0 };
  for (const { centerMm, radiusMm } of pores) {
    const defect = defects.reduce((a, b) =>
      between(a.centerMm, centerMm) <= between(b.centerMm, centerMm) ? a : b,
    );
    const position = between(defect.centerMm, centerMm);
    if (position > radiusMm) sum.missed++;
    sum.position += position / pores.length;
    sum.volume += Math.abs(defect.volumeMm3 / ballVolume(radiusMm) - 1) / pores.length;
    sum.diameter += Math.abs(defect.enclosingDiameterMm - 2 * radiusMm) / pores.length;
    sum.sphericity += (defect.sphericity ?? 0) / pores.length;
  }
  return sum;
}

/** Volume of the pores as a share of the block. */
export const trueShare = (pores: readonly Pore[], [a, b, c]: Vector3) =>
  pores.reduce((sum, { radiusMm }) => sum + ballVolume(radiusMm), 0) / (a * b * c);

/** Discs of random orientation, one per cell of a lattice of 30 mm, so that they don't touch; at most 27. */
export function scatterDiscs(count: number, openingMm: number, seed: number) {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, i) => {
    const radiusMm = 7 + 4 * random();
    const centerMm = [i % 3, Math.floor(i / 3) % 3, Math.floor(i / 9)].map(
      (place) => (place - 1) * 30 + 2 * random() - 1,
    ) as Vector3;
    const turn: Vector3 = [180 * random(), 180 * random(), 180 * random()];
    const body = movedBody(turnedBody(hollowCylinder(radiusMm, 0, openingMm), turn), centerMm);
    return { radiusMm, centerMm, body };
  });
}
export type Disc = ReturnType<typeof scatterDiscs>[number];

/** Discs found as one crack each, the number of defects that match no disc, and the mean errors of the cracks found. */
export function crackErrors(defects: readonly NumberedDefect[], discs: readonly Disc[], openingMm: number) {
  let found = 0;
  let [area, opening] = [0, 0];
  for (const { radiusMm, centerMm } of discs) {
    const near = defects.filter((defect) => between(defect.centerMm, centerMm) < 2);
    if (near.length !== 1 || near[0].kind !== 'crack') continue;
    found++;
    area += Math.abs(near[0].areaMm2 / (Math.PI * radiusMm ** 2) - 1);
    opening += near[0].openingMm ?? 0;
  }
  return {
    foundShare: found / discs.length,
    invented: defects.length - found,
    area: area / found,
    opening: opening / found / openingMm - 1,
  };
}
