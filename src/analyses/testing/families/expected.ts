/** The truth of a case, and the error allowed for each number, given the scan's blur, noise and voxel size. */
import { detectionLimit } from '#kernels/integrity/describe-defect.ts';
import type { Pore } from '#kernels/testing/bodies.ts';
import type { Expected, FamilyCase, Truth } from './family.ts';
import { listFlaws } from './flaw-truth.ts';

/** Allowed error of a grey level as a share of the contrast, for levels from a histogram or a plateau. */
const levelError = 0.02;
/** Radius in voxels of the quarter circle to which a grid rounds edges, in addition to blur. */
const edgeRadius = 0.5;
/** Distance in voxels to which the grey values of a pore spread around it. */
const poreReach = 2.3;

const ballMm3 = (radius: number) => (4 / 3) * Math.PI * radius ** 3;

/** Share of a pore that lies in the grid, from sample points in it. */
function shareWithin(
  { centerMm, radiusMm }: Pore,
  { dimensions, voxelSizeMm }: Pick<FamilyCase, 'dimensions' | 'voxelSizeMm'>,
): number {
  const steps = 24;
  const step = (2 * radiusMm) / steps;
  let [all, inside] = [0, 0];
  for (let i = 0; i < steps ** 3; i++) {
    const at = [i % steps, Math.floor(i / steps) % steps, Math.floor(i / steps ** 2)];
    const from = at.map((n) => (n + 0.5) * step - radiusMm);
    if (Math.hypot(...from) > radiusMm) continue;
    all++;
    const isIn = from.every(
      (mm, k) => Math.abs(mm + (centerMm[k] ?? 0)) < ((dimensions[k] ?? 0) * (voxelSizeMm[k] ?? 0)) / 2,
    );
    if (isIn) inside++;
  }
  return inside / all;
}

/**
 * Bounds derived from physics, not from measured results:
 * - a level that is off by u of the contrast moves an edge of blur s by √(2π) s u;
 * - noise N changes the volume inside a surface of area a by √a · 3.9 √(s / 0.67) N / C (both at k = 2);
 * - an edge rounded by r costs (2 − π/2) r of area per length, and (1 − π/4) r² of volume per length;
 * - a pore's volume is an integral over the pore and the region it spreads to, so the level counts with that volume.
 */
export function listExpected(each: FamilyCase, truth: Truth): Expected[] {
  const { volumeMm3, areaMm2, voxelSizeMm } = truth;
  const { part, blurMm, blurAcrossMm = blurMm, impairments, isCut } = each;
  const { body, edgesMm, wall, pores, isGrooved } = part;
  const along = [blurMm, blurMm, blurAcrossMm];
  const blur = along.reduce((sum, each, k) => sum + Math.sqrt(each ** 2 + voxelSizeMm[k] ** 2 / 12), 0) / 3;
  const voxel = Math.cbrt(voxelSizeMm[0] * voxelSizeMm[1] * voxelSizeMm[2]);
  const noise = impairments.contrastToNoise === undefined ? 0 : 1 / impairments.contrastToNoise;
  // For bare metal beside plastic with cut faces, the truth is that of the whole part.
  const isKnown = Number.isFinite(body.volumeMm3);
  const solid = isCut && isKnown ? body.volumeMm3 : volumeMm3;
  const shift = Math.sqrt(2 * Math.PI) * blur * levelError + 0.02 * voxel;
  const radius = edgeRadius * voxel + blur;
  const ofNoise = 2 * 3.9 * Math.sqrt(blur / (0.67 * voxel)) * noise * voxel ** 2 * Math.sqrt(areaMm2);
  const ofVolume = areaMm2 * shift + ofNoise + (1 - Math.PI / 4) * radius ** 2 * edgesMm;
  const list: Expected[] = [{ kind: 'createMesh', path: 'volumeMm3', truth: solid, bound: ofVolume }];
  const area = body.areaMm2;
  if (Number.isFinite(area)) {
    const bound = 0.01 * area + (2 - Math.PI / 2) * radius * edgesMm + (4 * noise * areaMm2) / 20;
    list.push({ kind: 'createMesh', path: 'areaMm2', truth: area, bound });
  }
  if (wall) {
    const bound = 2 * shift + 0.1 * voxel;
    list.push({ kind: 'runWallThickness', path: wall.path, truth: wall.mm, bound });
  }
  // Porosity refers to the part inside the grid, even where the border cuts pores.
  const within = pores.map((pore) => ballMm3(pore.radiusMm) * (isCut ? shareWithin(pore, each) : 1));
  const voids = within.reduce((sum, each) => sum + each, 0);
  const whole = (isCut ? volumeMm3 : solid) + voids;
  const ofPore = (radiusMm: number) => {
    const spread = ballMm3(radiusMm + poreReach * voxel);
    return Math.hypot(levelError * spread, 2 * noise * Math.sqrt(spread / voxel ** 3) * voxel ** 3);
  };
  const ofPores = pores.reduce((sum, { radiusMm }) => sum + ofPore(radiusMm), 0);
  const largest = Math.max(0, ...pores.map(({ radiusMm }) => radiusMm));
  const found = within.filter((mm3) => mm3 > 0);
  list.push({ kind: 'runIntegrityAnalysis', path: 'materialVolumeMm3', truth: solid, bound: ofVolume });
  if (part.flaws) return [...list, ...listFlaws(each, part.flaws, truth, { radius, noise })];
  if (isGrooved) return list;
  const limit = detectionLimit.plain * Math.max(...voxelSizeMm);
  const doubtful = pores.filter(({ radiusMm }) => 2 * radiusMm < limit).length;
  list.push(
    { kind: 'runIntegrityAnalysis', path: 'porosity', truth: voids / whole, bound: 2e-4 + ofPores / whole },
    { kind: 'runIntegrityAnalysis', path: 'defectCount', truth: found.length, bound: doubtful },
    {
      kind: 'runIntegrityAnalysis',
      path: 'largestVolumeMm3',
      truth: Math.max(0, ...found),
      bound: 3 * voxel ** 3 + ofPore(largest),
    },
  );
  return list;
}
