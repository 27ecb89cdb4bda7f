/** Cone-beam radiographs of parts of metal as a tube's whole spectrum, scatter and an uneven detector make them. */
import { identityDirections, slabsOf } from '../grid/volume.ts';
import { seededNormal } from '../phantoms/random.ts';
import type { ScanGeometry } from '../reconstruction/geometry.ts';
import type { Radiographs } from '../reconstruction/plan.ts';
import { type RayBody, simulateRadiographs } from './radiographs.ts';

export type Metal = 'aluminium' | 'iron';

/**
 * Linear attenuation in 1/mm at 40, 60, 80, 100 and 150 keV: mass attenuation coefficients times density.
 * @see https://www.nist.gov/pml/x-ray-mass-attenuation-coefficients (NIST Standard Reference Database 126)
 */
const attenuation: Record<Metal, readonly number[]> = {
  aluminium: [0.5685, 0.2778, 0.2018, 0.1704, 0.1378].map((each) => (each * 2.699) / 10),
  iron: [3.629, 1.205, 0.5952, 0.3717, 0.1964].map((each) => (each * 7.874) / 10),
};
/** What the detector gets of each energy behind nothing: a filtered tube of 160 kV, roughly. */
const spectrum = [0.12, 0.3, 0.28, 0.2, 0.1];

export interface PolychromaticScan {
  geometry: ScanGeometry;
  /** each with the length that a ray runs in it (attenuation 1); a body of −1 takes material away */
  bodies: { metal: Metal; body: RayBody }[];
  /** everywhere the same, as a share of the free beam */
  scatter?: number;
  /** standard deviation of what each pixel errs by in all projections, as a share of what it counts */
  gainError?: number;
  /** by which the tube's output falls over the scan, as a share */
  fading?: number;
  /** photons of the free beam in a pixel; no noise without it */
  photons?: number;
  seed?: number;
}

/** Free beam in counts. */
const level = 60_000;

/** Projections as counts (uint16) with their free beam; the lengths are means over 2 × 2 rays a pixel. */
export async function simulatePolychromatic(scan: PolychromaticScan): Promise<Radiographs> {
  const { geometry, bodies, scatter = 0, gainError = 0, fading = 0, photons, seed = 1 } = scan;
  const count = geometry.anglesDeg.length;
  const metals = [...new Set(bodies.map(({ metal }) => metal))];
  const lengths = await Promise.all(
    metals.map((metal) => {
      const own = bodies.filter((each) => each.metal === metal).map(({ body }) => body);
      return simulateRadiographs({ geometry, bodies: own, oversampling: 2 }).projections.readSlab(0, count);
    }),
  );
  const pixels = geometry.columns * geometry.rows;
  const normal = seededNormal(seed);
  const gains = Float64Array.from({ length: pixels }, () => 1 + gainError * normal());
  const data = new Uint16Array(pixels * count);
  for (let i = 0; i < data.length; i++) {
    let share = scatter;
    for (const [e, weight] of spectrum.entries()) {
      let integral = 0;
      for (const [m, metal] of metals.entries()) integral += attenuation[metal][e] * lengths[m][i];
      share += weight * Math.exp(-integral);
    }
    share *= 1 - (fading * Math.floor(i / pixels)) / Math.max(1, count - 1);
    if (photons) share += Math.sqrt(Math.max(0, share) / photons) * normal();
    data[i] = Math.max(0, Math.min(65_535, Math.round(level * gains[i % pixels] * share)));
  }
  return {
    geometry,
    values: 'counts',
    flatLevel: level,
    projections: slabsOf({
      dimensions: [geometry.columns, geometry.rows, count],
      voxelSizeMm: [1, 1, 1],
      originMm: [0, 0, 0],
      directions: identityDirections(),
      dataType: 'uint16',
      data,
    }),
  };
}
