/** Mean profile across the edges of a part, and whether a single blurred step explains it. */
import { minimize } from '../linear/least-squares.ts';
import { normalDensity, normalShare } from '../surface/edge-blur.ts';

/** Half length of the profile in cells, and cells per bin. */
const [reach, binCells] = [4, 0.5];
const bins = (2 * reach) / binCells;
/** A wider edge is not all inside the profile. */
const maxWidth = 2;
/** Cells at either end that do not count for the position of a line's edge: they are flat. */
const flatCells = 2;
/** Lines of an edge lie on 4 × 4 positions; sum of squares of either coordinate around their middle. */
const [lines, sumOfSquares] = [16, 20];
/** Largest tilt of an edge relative to its lines, as squared slope. */
const maxTilt = 1.2;
/** Corners and curved faces are left out: largest variance of the lines' positions around a plane, and that of noise. */
const [maxCurved, ofNoise] = [0.02, 2];
/**
 * Sections by the position of an edge between voxels, each left out once for the error, as faces along the axes have few
 * such positions; largest number of edges, fewest for a result, and fewest samples in a bin.
 */
const [sections, maxEdges, minEdges, minSamples] = [8, 3000, 60, 8];
/**
 * Third and fourth cumulant of an edge's slope from which on it has two steps, in voxels to that power, beyond three
 * errors and as shares of the width to that power: asymmetry, and flatness when negative. Single steps reach 0.16 and,
 * with a box-shaped detector pixel, −0.06, with beam hardening −0.13; a layer of 1.5 voxels with a third of the grey value
 * has −0.47, one of 1 voxel with half of it 0 and −0.18 to −0.23.
 */
const limits = {
  third: { min: 0.25, ofWidth: 0.25 },
  fourth: { min: 0.14, ofWidth: 0.2 },
  errors: 3,
} as const;

interface Profile {
  counts: Float64Array;
  places: Float64Array;
  shares: Float64Array;
}
const noProfile = (): Profile => ({
  counts: new Float64Array(bins),
  places: new Float64Array(bins),
  shares: new Float64Array(bins),
});

export class EdgeShape {
  private readonly profiles = Array.from({ length: sections }, noProfile);
  private readonly middles = new Float64Array(lines);
  private edges = 0;

  get isFull(): boolean {
    return this.edges >= maxEdges;
  }

  /**
   * Adds an edge, with all its lines aligned on the plane through their edges.
   * @param profiles of the lines, one after the other, each from 0 to 1 and `cells` long
   * @param noise of a voxel, as a share of the height
   */
  add(profiles: Float64Array, cells: number, isRising: boolean, noise: number): void {
    const { middles } = this;
    let [middle, slopeU, slopeV] = [0, 0, 0];
    for (let line = 0; line < lines; line++) {
      let sum = 0;
      for (let c = flatCells; c < cells - flatCells; c++) sum += profiles[line * cells + c];
      middles[line] = cells - flatCells - 0.5 - sum;
      middle += middles[line] / lines;
      slopeU += (((line & 3) - 1.5) * middles[line]) / sumOfSquares;
      slopeV += (((line >> 2) - 1.5) * middles[line]) / sumOfSquares;
    }
    const tilt = slopeU ** 2 + slopeV ** 2;
    const planeAt = (line: number) => middle + slopeU * ((line & 3) - 1.5) + slopeV * ((line >> 2) - 1.5);
    const off = middles.reduce((sum, each, line) => sum + (each - planeAt(line)) ** 2, 0) / (lines - 3);
    if (!(tilt < maxTilt) || off > maxCurved + ofNoise * noise ** 2 * (cells - 2 * flatCells)) return;
    this.edges++;
    const { counts, places, shares } = this.profiles[Math.floor(sections * (middle - Math.floor(middle)))];
    const [way, along] = [isRising ? 1 : -1, 1 / Math.sqrt(1 + tilt)];
    for (let line = 0; line < lines; line++) {
      const at = planeAt(line);
      for (let c = 0; c < cells; c++) {
        const place = way * (c - at) * along;
        const bin = Math.floor((place + reach) / binCells);
        if (bin < 0 || bin >= bins) continue;
        const share = profiles[line * cells + c];
        counts[bin]++;
        places[bin] += place;
        shares[bin] += isRising ? share : 1 - share;
      }
    }
  }

  /** Whether edges rise in two steps; false with too few edges. */
  isStepped(): boolean {
    if (this.edges < minEdges) return false;
    const all = describe(this.profiles);
    if (!(all.width < maxWidth)) return false;
    const others = this.profiles.map((left) => describe(this.profiles.filter((each) => each !== left)));
    // The error is that of a jackknife.
    const isBeyond = (key: 'third' | 'fourth', value: number, power: number) => {
      const squares = others.reduce((sum, each) => sum + (each[key] - all[key]) ** 2, 0);
      const error = limits.errors * Math.sqrt((squares * (sections - 1)) / sections);
      const { min, ofWidth } = limits[key];
      return value > min + error && value > ofWidth * all.width ** power;
    };
    return isBeyond('third', Math.abs(all.third), 3) || isBeyond('fourth', -all.fourth, 4);
  }
}

/** Fits the two first terms of a Gram–Charlier series to a mean profile. */
function describe(profiles: readonly Profile[]): { width: number; third: number; fourth: number } {
  const mean: [place: number, share: number][] = [];
  for (let bin = 0; bin < bins; bin++) {
    const [count, place, share] = (['counts', 'places', 'shares'] as const).map((key) =>
      profiles.reduce((sum, each) => sum + each[key][bin], 0),
    );
    if (count >= minSamples) mean.push([place / count, share / count]);
  }
  const residuals = ([air, step, middle, width, skewness, kurtosis]: readonly number[]) =>
    Float64Array.from(mean, ([place, share]) => {
      const z = (place - middle) / Math.max(width, binCells / 2);
      const lean = (skewness * (z * z - 1)) / 6 + (kurtosis * (z ** 3 - 3 * z)) / 24;
      return air + step * (normalShare(z) - normalDensity(z) * lean) - share;
    });
  const [, , , width, skewness, kurtosis] = minimize(residuals, [0, 1, 0, 0.8, 0, 0]).parameters;
  return { width, third: skewness * width ** 3, fourth: kurtosis * width ** 4 };
}
