/** Cone-beam radiographs with the tube's whole spectrum, scatter, blur and an uneven detector. */
import { identityDirections, makeSlabs } from '../grid/volume.ts';
import { seededNormal } from '../random.ts';
import type { ScanGeometry } from '../reconstruction/geometry.ts';
import type { Radiographs } from '../reconstruction/plan.ts';
import { discreteGauss } from './blur.ts';
import { type RayBody, type RayPose, simulateRadiographs } from './radiographs.ts';

export type Material = 'plastic' | 'aluminium' | 'iron';

const tableKev = [20, 30, 40, 50, 60, 80, 100, 150, 200, 300];
/**
 * Mass attenuation coefficients in cm²/g at these energies, and densities in g/cm³; plastic is PMMA. For caesium
 * iodide, values below its K edges are omitted: the filter transmits next to nothing there.
 * @see https://www.nist.gov/pml/x-ray-mass-attenuation-coefficients (NIST Standard Reference Database 126)
 */
const table = {
  plastic: {
    density: 1.19,
    values: [0.5714, 0.3032, 0.235, 0.2074, 0.1924, 0.1751, 0.1641, 0.1456, 0.1328, 0.1152],
  },
  aluminium: {
    density: 2.699,
    values: [3.441, 1.128, 0.5685, 0.3681, 0.2778, 0.2018, 0.1704, 0.1378, 0.1223, 0.1042],
  },
  iron: {
    density: 7.874,
    values: [25.68, 8.176, 3.629, 1.958, 1.205, 0.5952, 0.3717, 0.1964, 0.146, 0.1099],
  },
  copper: {
    density: 8.96,
    values: [33.79, 10.92, 4.862, 2.613, 1.593, 0.763, 0.4584, 0.2217, 0.1559, 0.1119],
  },
  caesiumIodide: {
    density: 4.51,
    values: [23, 23, 23, 12.9, 7.92, 3.68, 2.04, 0.729, 0.381, 0.195],
  },
} as const;

/** Attenuation in 1/mm; interpolated linearly in the logarithms between the energies of the table. */
export function attenuationAt(material: keyof typeof table, kev: number): number {
  const { values, density } = table[material];
  const after = Math.max(
    1,
    tableKev.findIndex((each) => each >= kev),
  );
  const share = Math.log(kev / tableKev[after - 1]) / Math.log(tableKev[after] / tableKev[after - 1]);
  return (density / 10) * values[after - 1] ** (1 - share) * values[after] ** share;
}

export interface Tube {
  kilovolts: number;
  /** thickness of the copper filter */
  filterMm: number;
}
const usualTube: Tube = { kilovolts: 160, filterMm: 0.5 };
const scintillatorMm = 0.6;
const energyCount = 16;

/**
 * Share of photons of each energy that the detector absorbs in the free beam; they add up to 1. The bremsstrahlung of a
 * thick target (Kramers 1923, doi:10.1080/14786442308565244) behind its filter, without characteristic lines, in a
 * caesium iodide scintillator.
 */
export function computeSpectrum({ kilovolts, filterMm }: Tube): { kev: number; photons: number }[] {
  const lowest = 0.18 * kilovolts;
  const all = Array.from({ length: energyCount }, (_, i) => {
    const kev = lowest + ((i + 0.5) / energyCount) * (kilovolts - lowest);
    const passed = Math.exp(-filterMm * attenuationAt('copper', kev));
    const stopped = 1 - Math.exp(-scintillatorMm * attenuationAt('caesiumIodide', kev));
    return { kev, photons: (kilovolts / kev - 1) * passed * stopped };
  });
  const sum = all.reduce((total, { photons }) => total + photons, 0);
  return all.map(({ kev, photons }) => ({ kev, photons: photons / sum }));
}

export interface PolychromaticScan {
  /** the true geometry */
  geometry: ScanGeometry;
  /** the geometry given to the reconstruction */
  toldGeometry?: ScanGeometry;
  /** each with the length of a ray in it (attenuation 1); a body of −1 removes material */
  bodies: { material: Material; body: RayBody }[];
  /** position of the part on the turntable */
  pose?: RayPose;
  tube?: Tube;
  /** one energy instead of the tube's spectrum */
  singleKev?: number;
  /** uniform, as a share of the free beam */
  scatter?: number;
  /** of focal spot and detector together, standard deviation in pixels */
  blurPixels?: number;
  /** standard deviation of each pixel's gain error, which is the same in all projections, as a share of its count */
  gainError?: number;
  /** photons of the free beam absorbed per pixel; no noise when absent */
  photons?: number;
  seed?: number;
}

/** Free beam in counts. */
const level = 60_000;

/**
 * Projections as counts (uint16) with their free beam, from an energy-integrating detector; lengths are means over 2 ×
 * 2 rays per pixel.
 */
export async function simulatePolychromatic(scan: PolychromaticScan): Promise<Radiographs> {
  const { geometry, bodies, pose, scatter = 0, blurPixels = 0, gainError = 0, photons, seed = 1 } = scan;
  const { columns, rows, anglesDeg } = geometry;
  const count = anglesDeg.length;
  const materials = [...new Set(bodies.map(({ material }) => material))];
  const lengths = await Promise.all(
    materials.map((material) => {
      const own = bodies.filter((each) => each.material === material).map(({ body }) => body);
      const ofOne = { geometry, bodies: own, oversampling: 2, ...(pose ? { pose } : {}) };
      return simulateRadiographs(ofOne).projections.readSlab(0, count);
    }),
  );
  const spectrum = scan.singleKev
    ? [{ kev: scan.singleKev, photons: 1 }]
    : computeSpectrum(scan.tube ?? usualTube);
  const whole = spectrum.reduce((sum, each) => sum + each.photons * each.kev, 0);
  const weights = spectrum.map((each) => (each.photons * each.kev) / whole);
  // Relative to the photon's signal: the variance of the sum grows with its square.
  const spreads = spectrum.map((each) => each.photons * (each.kev / whole) ** 2);
  const attenuations = materials.map((material) => spectrum.map(({ kev }) => attenuationAt(material, kev)));
  const pixels = columns * rows;
  const normal = seededNormal(seed);
  const gains = Float64Array.from({ length: pixels }, () => 1 + gainError * normal());
  const data = new Uint16Array(pixels * count);
  const shares = new Float64Array(pixels);
  const variances = new Float64Array(pixels);
  const addAll = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  const free = { share: addAll(weights), variance: addAll(spreads) };
  for (let view = 0; view < count; view++) {
    for (let i = 0; i < pixels; i++) {
      const at = view * pixels + i;
      let { share, variance } = free;
      // Most rays pass beside the part.
      if (lengths.some((length) => length[at] !== 0)) {
        share = 0;
        variance = 0;
        for (let e = 0; e < weights.length; e++) {
          let integral = 0;
          for (let m = 0; m < lengths.length; m++) integral += attenuations[m][e] * lengths[m][at];
          const passed = Math.exp(-integral);
          share += weights[e] * passed;
          variance += spreads[e] * passed;
        }
      }
      shares[i] = share;
      variances[i] = variance + scatter;
    }
    if (blurPixels > 0) blurImage(shares, columns, rows, blurPixels);
    for (let i = 0; i < pixels; i++) {
      const noise = photons ? Math.sqrt(variances[i] / photons) * normal() : 0;
      const counted = level * gains[i] * (shares[i] + scatter + noise);
      data[view * pixels + i] = Math.max(0, Math.min(65_535, Math.round(counted)));
    }
  }
  return {
    geometry: scan.toldGeometry ?? geometry,
    values: 'counts',
    flatLevel: level,
    projections: makeSlabs({
      dimensions: [columns, rows, count],
      voxelSizeMm: [1, 1, 1],
      originMm: [0, 0, 0],
      directions: identityDirections(),
      dataType: 'uint16',
      data,
    }),
  };
}

/** Blurs in place; border values are repeated outside. */
function blurImage(image: Float64Array, columns: number, rows: number, deviation: number): void {
  const half = discreteGauss(deviation ** 2);
  const line = new Float64Array(Math.max(columns, rows));
  const along = (lines: number, length: number, next: number, step: number) => {
    for (let l = 0; l < lines; l++) {
      for (let i = 0; i < length; i++) line[i] = image[l * next + i * step];
      for (let i = 0; i < length; i++) {
        let sum = half[0] * line[i];
        for (let k = 1; k < half.length; k++)
          sum += half[k] * (line[Math.max(0, i - k)] + line[Math.min(length - 1, i + k)]);
        image[l * next + i * step] = sum;
      }
    }
  };
  along(rows, columns, columns, 1);
  along(columns, rows, 1, columns);
}
