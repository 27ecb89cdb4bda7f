import type { KernelPool } from '../../arena.ts';
import { estimateHardening } from '../../reconstruction/estimate-hardening.ts';
import { plainDetector, type ScanGeometry } from '../../reconstruction/geometry.ts';
import type { ReconstructionOptions } from '../../reconstruction/plan.ts';
import { type PolychromaticScan, simulatePolychromatic } from '../polychromatic.ts';
import { anglesOver } from '../radiographs.ts';
import { type Reconstructed, reconstructed } from '../reconstructed.ts';
import type { AccuracySection } from './section.ts';

const circle: ScanGeometry = {
  beam: 'cone',
  sourceToAxisMm: 150,
  sourceToDetectorMm: 450,
  columns: 96,
  rows: 36,
  pixelSizeMm: [1, 1],
  anglesDeg: anglesOver(360, 180),
  detector: plainDetector(150, 450),
  isPoseGiven: true,
};

interface Part {
  material: 'aluminium' | 'iron';
  radiusMm: number;
}
const heightMm = 8;
const aluminium: Part = { material: 'aluminium', radiusMm: 11 };
const iron: Part = { material: 'iron', radiusMm: 5 };

const makeScan = ({ material, radiusMm }: Part, errors: Partial<PolychromaticScan>): PolychromaticScan => ({
  geometry: circle,
  bodies: [{ material, body: { kind: 'cylinder', attenuation: 1, center: [0, 0, 0], radiusMm, heightMm } }],
  photons: 200_000,
  ...errors,
});

/** Mean grey value of the middle planes by distance from the axis, in voxels. */
function averageByRadius({ facts, values }: Reconstructed): number[] {
  const [nx, ny, nz] = facts.grid.dimensions;
  const sums: number[] = [];
  const counts: number[] = [];
  for (let k = Math.floor(nz / 2) - 1; k <= Math.floor(nz / 2) + 1; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++) {
        const r = Math.round(Math.hypot(i - (nx - 1) / 2, j - (ny - 1) / 2));
        sums[r] = (sums[r] ?? 0) + values[(k * ny + j) * nx + i];
        counts[r] = (counts[r] ?? 0) + 1;
      }
    }
  }
  return sums.map((sum, r) => sum / counts[r]);
}

/**
 * Cupping and rings in % of the material's grey value, and the error of the volume above half of it in % of the truth.
 */
function measureCylinder({ radiusMm }: Part, result: Reconstructed) {
  const { voxelSizeMm } = result.facts.grid;
  const profile = averageByRadius(result);
  const reach = radiusMm / voxelSizeMm;
  const between = (from: number, to: number) =>
    profile.slice(Math.round(from * reach), Math.round(to * reach));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const grey = mean(between(0.1, 0.85));
  const inner = between(0.1, 0.85);
  // Difference between each radius and the mean of its neighbours.
  const rings = inner.slice(1, -1).map((value, i) => value - (inner[i] + inner[i + 2]) / 2);
  const count = result.values.reduce((sum, value) => sum + (value > grey / 2 ? 1 : 0), 0);
  const truthMm3 = Math.PI * radiusMm ** 2 * heightMm;
  return {
    Cupping: (100 * (mean(between(0.75, 0.85)) - mean(between(0.1, 0.3)))) / grey,
    Rings: (100 * Math.sqrt(mean(rings.map((each) => each * each)))) / grey,
    Volume: 100 * ((count * voxelSizeMm ** 3) / truthMm3 - 1),
  };
}

interface Correction {
  name: string;
  /** corrections that are applied */
  corrections: string;
  part: Part;
  errors: Partial<PolychromaticScan>;
  options: Partial<ReconstructionOptions>;
  findsHardening: boolean;
  bounds: Record<string, number>;
}

async function measureCorrected(each: Correction, isCorrected: boolean, pool: KernelPool) {
  const { part, errors, options, findsHardening } = each;
  const radiographs = await simulatePolychromatic(makeScan(part, errors));
  if (!isCorrected) return measureCylinder(part, await reconstructed(radiographs, pool));
  const base = { maxDimension: 256, filter: 'ramLak' as const, ...options };
  const found = findsHardening ? await estimateHardening(radiographs, pool, base) : undefined;
  const all = { ...options, beamHardening: found?.beamHardening };
  return measureCylinder(part, await reconstructed(radiographs, pool, all));
}

const none: Record<string, number> = {};

const corrections: Correction[] = [
  {
    name: 'aluminium, ⌀ 22 mm',
    corrections: 'beam hardening',
    part: aluminium,
    errors: {},
    options: {},
    findsHardening: true,
    bounds: { Cupping: 1.5 },
  },
  {
    name: 'iron, ⌀ 10 mm',
    corrections: 'beam hardening',
    part: iron,
    errors: {},
    options: {},
    findsHardening: true,
    bounds: { Cupping: 1.5 },
  },
  {
    name: 'aluminium, ⌀ 22 mm, scatter 5 %',
    corrections: 'scatter and beam hardening',
    part: aluminium,
    errors: { scatter: 0.05 },
    options: { scatterShare: 0.05 },
    findsHardening: true,
    bounds: { Cupping: 1.5 },
  },
  {
    name: 'aluminium, ⌀ 22 mm, pixels that err by 1 %',
    corrections: 'rings',
    part: aluminium,
    errors: { gainError: 0.01 },
    options: { ringCorrection: true },
    findsHardening: false,
    bounds: {},
  },
];

export const correctionsSection: AccuracySection = {
  title: 'Corrections of a reconstruction',
  text: `A metal cylinder 8 mm high on the axis, 180 projections of 96 × 36 pixels with the spectrum of a tube at 160 kV behind 0.5 mm of copper
(16 energies by Kramers' law; attenuation by NIST Standard Reference Database 126), 200,000 photons per pixel. *Cupping*: by how much the material is brighter near its surface than at the axis;
*Rings*: difference (RMS) between each radius and its neighbours, over three planes and all directions, both in % of the material's grey value; *Volume*: error of the
volume above half of that grey value, by counting voxels, in %. Beam hardening was found from the scan's own grey values, the share of scatter given.`,
  places: ['Scan', 'Corrections'],
  figures: [
    { name: 'Cupping', digits: 2, signed: true },
    { name: 'Rings', digits: 3 },
    { name: 'Volume', digits: 2, signed: true },
  ],
  cases: corrections.flatMap((each) =>
    [false, true].map((isCorrected) => ({
      place: [each.name, isCorrected ? each.corrections : 'none'],
      bounds: isCorrected ? each.bounds : none,
      measure: (pool) => measureCorrected(each, isCorrected, pool),
    })),
  ),
};
