/**
 * Periodic structure inside the material with periods of two to four cells, which blur nearly removes: foils, windings and strands.
 * The blur of the edges determines by how much, so the structure's own amplitude is computed from its faint trace.
 */
import { selectNth } from '../select-nth.ts';
import { blockCells } from './block-grid.ts';
import { median } from './block-levels.ts';
import type { DetailSlab } from './detail.ts';

/** Edge of a window in cells: a block and half a block on each side. */
const edge = 2 * blockCells;
const cells = edge ** 3;
/** Windows of air and of material to read in all, and smallest number that shows anything. */
const maxWindows = 400;
const minWindows = { air: 24, material: 4 };
/** Frequencies of such structures, in periods per cell. */
const [lowest, highest] = [0.22, 0.52];
/** Width of the bands in which each window's strongest wave is found, so that its direction may differ, and their distance. */
const [bandWidth, bandStep] = [0.12, 0.06];
/**
 * Standard errors subtracted: for the strongest of a hundred waves, and for the strongest wave of each window. Windows overlap, so this
 * many count as one.
 */
const errors = { straight: 4, curved: 2 };
const overlap = 2;
/** Blur assumed where no edge shows it, in cells: smaller than in most scans. */
const unseenBlur = 0.5;
/** Median absolute value of a standard normal variable; median of an exponential one. */
const [ofNormal, ofExponential] = [0.6745, Math.LN2];

/** Fades a window out towards its ends; their sum is the height of a wave in the spectrum. */
const fading = Float64Array.from({ length: edge }, (_, n) => Math.sin((Math.PI * (n + 0.5)) / edge) ** 2);
const faded = Float64Array.from(
  { length: cells },
  (_, n) => fading[n % edge] * fading[Math.floor(n / edge) % edge] * fading[Math.floor(n / edge ** 2)],
);
const weight = (edge / 2) ** 3;
/** For each wave along an axis and each cell. */
const turns = Float64Array.from(
  { length: edge ** 2 },
  (_, n) => (2 * Math.PI * Math.floor(n / edge) * (n % edge)) / edge,
);
const [cosines, sines] = [turns.map(Math.cos), turns.map(Math.sin)];

const splitBin = (bin: number) => [bin % edge, Math.floor(bin / edge) % edge, Math.floor(bin / edge ** 2)];
const joinBin = ([i, j, k]: readonly number[]) =>
  (((k + edge) % edge) * edge + ((j + edge) % edge)) * edge + ((i + edge) % edge);
const opposite = Int32Array.from({ length: cells }, (_, bin) => joinBin(splitBin(bin).map((n) => -n)));
/** Frequency of each wave, waves within the limits (one of each opposite pair), and the 26 around each. */
const frequencies = Float64Array.from({ length: cells }, (_, bin) =>
  Math.hypot(...splitBin(bin).map((n) => Math.min(n, edge - n) / edge)),
);
const waves = Array.from(frequencies.keys()).filter(
  (bin) => frequencies[bin] > lowest && frequencies[bin] < highest && bin <= opposite[bin],
);
const around = waves.map((bin) =>
  Int32Array.from({ length: 27 }, (_, n) =>
    joinBin(splitBin(bin).map((at, axis) => at + (Math.floor(n / 3 ** axis) % 3) - 1)),
  ).filter((other) => other !== bin),
);
const bands = Array.from(
  { length: Math.floor((highest - lowest - bandWidth) / bandStep + 1.5) },
  (_, n) => lowest + n * bandStep,
);

/** A wave stronger than all around it. */
interface Peak {
  power: number;
  frequency: number;
}

interface Windows {
  spectra: Float32Array[];
  /** for each band, the strongest wave of each window */
  peaks: Peak[][];
}
const noWindows = (): Windows => ({ spectra: [], peaks: bands.map(() => []) });

export class FineSpectrum {
  private readonly air = noWindows();
  private readonly material = noWindows();
  private readonly maxOfSlab: number;

  /** @param slabs number of groups of planes */
  constructor(slabs: number) {
    this.maxOfSlab = Math.ceil(maxWindows / slabs);
  }

  /** O(cells) of some hundred windows of each kind. @param air blocks in the slab that are surrounded by air */
  add(slab: DetailSlab, air: readonly number[]): void {
    const chosen = { air, material: findEnclosed(slab) };
    for (const kind of ['air', 'material'] as const) {
      const every = Math.ceil(chosen[kind].length / this.maxOfSlab);
      for (let n = 0; n < chosen[kind].length; n += every) {
        const window = readWindow(slab, chosen[kind][n]);
        if (!window) continue;
        const spectrum = transform(window);
        this[kind].spectra.push(spectrum);
        for (const [band, peak] of findPeaks(spectrum).entries()) this[kind].peaks[band].push(peak);
      }
    }
  }

  /**
   * Waves in the material beyond those in air, without the blur. Straight layers give the same wave in all windows, so their median
   * shows waves far below the noise; in rolls and coils the direction changes, so each window's strongest one counts.
   * @param blur standard deviation in cells; null if unknown
   * @returns amplitude as a share of the contrast; null with too few windows, and for air without noise
   */
  find(contrast: number, blur: number | null): number | null {
    const { air, material } = this;
    const count = material.spectra.length;
    if (air.spectra.length < minWindows.air || count < minWindows.material) return null;
    const [inAir, inMaterial] = [air, material].map(({ spectra }) => {
      const powers = new Float32Array(spectra.length);
      return Float32Array.from(frequencies, (_, bin) => {
        for (let n = 0; n < powers.length; n++) powers[n] = spectra[n][bin];
        return selectNth(powers, powers.length >> 1);
      });
    });
    const scale = median(waves.map((bin) => inMaterial[bin] / inAir[bin]));
    // Where the background was removed, the noise of the material is unknown.
    if (!(scale < Number.POSITIVE_INFINITY)) return null;
    const noise = scale * median(waves.map((bin) => inAir[bin]));
    const error = (errors.straight * noise) / ofExponential / Math.sqrt(count / overlap);
    const straight = findPeaks(
      inMaterial,
      inAir.map((power) => scale * power + error),
    );
    const curved = bands.map((_, band) => comparePeaks(material.peaks[band], air.peaks[band], scale, count));
    const sigma = blur ?? unseenBlur;
    const amplitudes = [
      ...straight.map(({ power, frequency }) => ({ power: power / ofExponential, frequency })),
      ...curved,
    ].map(({ power, frequency }) => {
      const left = measureTransfer(frequency, sigma);
      return left < minTransfer ? 0 : (2 * Math.sqrt(Math.max(0, power))) / weight / contrast / left;
    });
    return Math.min(1, Math.max(...amplitudes));
  }
}

/** Blocks with material on all six sides, so that windings a dozen cells thick have some. */
function findEnclosed({ blocks, levels: { level }, first, planes }: DetailSlab): number[] {
  const { means, size, stride } = blocks;
  const steps = [1, size[0], size[0] * size[1]];
  const isEnclosed = (at: number) =>
    steps.every((step, axis) => {
      const place = Math.floor(at / step) % size[axis];
      return place > 0 && place + 1 < size[axis] && means[at - step] > level && means[at + step] > level;
    });
  const from = Math.max(0, Math.ceil((first - blocks.first[2]) / stride));
  const to = Math.floor((first + planes - blockCells - blocks.first[2]) / stride) + 1;
  return Array.from({ length: Math.max(0, to - from) * steps[2] }, (_, n) => from * steps[2] + n).filter(
    (at) => means[at] > level && isEnclosed(at),
  );
}

/** A smaller share of a wave's amplitude is rounding, not a trace of it. */
const minTransfer = 1e-4;
/** Share of a wave's amplitude that blur and the length of a cell leave. */
const measureTransfer = (frequency: number, blur: number): number =>
  frequency === 0
    ? 1
    : (Math.exp(-2 * (Math.PI * frequency * blur) ** 2) * Math.sin(Math.PI * frequency)) /
      (Math.PI * frequency);

function comparePeaks(
  inMaterial: readonly Peak[],
  inAir: readonly Peak[],
  scale: number,
  count: number,
): Peak {
  const [powers, ofAir] = [inMaterial, inAir].map((peaks) => peaks.map(({ power }) => power));
  const middle = median(powers);
  const scatter = median(powers.map((power) => Math.abs(power - middle))) / ofNormal;
  const shown = inMaterial.filter(({ power }) => power > 0);
  const error = (errors.curved * scatter) / Math.sqrt(count / overlap);
  return {
    power: shown.length === 0 ? 0 : middle - scale * median(ofAir) - error,
    frequency: shown.length === 0 ? 0 : median(shown.map(({ frequency }) => frequency)),
  };
}

/** The strongest wave of each band that exceeds all around it. @param floor power to subtract from each */
function findPeaks(spectrum: Float32Array, floor?: Float32Array): Peak[] {
  const found: Peak[] = bands.map(() => ({ power: 0, frequency: 0 }));
  for (const [n, bin] of waves.entries()) {
    const power = spectrum[bin] - (floor ? floor[bin] : 0);
    if (!(power > 0) || !isHighest(spectrum, bin, around[n])) continue;
    for (const [band, from] of bands.entries()) {
      const isWithin = frequencies[bin] >= from && frequencies[bin] < from + bandWidth;
      if (isWithin && power > found[band].power)
        found[band] = { power, frequency: refineFrequency(spectrum, bin) };
    }
  }
  return found;
}

function isHighest(spectrum: Float32Array, bin: number, others: Int32Array): boolean {
  for (let n = 0; n < others.length; n++) if (spectrum[others[n]] > spectrum[bin]) return false;
  return true;
}

/** Frequency between those of the spectrum, from the waves beside the strongest one. */
function refineFrequency(spectrum: Float32Array, bin: number): number {
  const place = splitBin(bin);
  const refined = place.map((n, axis) => {
    const [before, own, after] = [-1, 0, 1].map((step) =>
      Math.sqrt(spectrum[joinBin(place.map((at, other) => (other === axis ? at + step : at)))]),
    );
    const shift = (2 * (after - before)) / (before + 2 * own + after || 1);
    return Math.min(0.5, Math.abs((n > edge / 2 ? n - edge : n) + shift) / edge);
  });
  return Math.hypot(...refined);
}

/** Cells around a block minus their mean, faded out; null where they do not lie in the slab or are no numbers. */
function readWindow(
  { values, dimensions, first, planes, blocks }: DetailSlab,
  at: number,
): Float64Array | null {
  const { size, stride } = blocks;
  const place = [at % size[0], Math.floor(at / size[0]) % size[1], Math.floor(at / (size[0] * size[1]))];
  const [x, y, z] = place.map(
    (n, axis) => blocks.first[axis] + n * stride - blockCells / 2 - (axis === 2 ? first : 0),
  );
  const [nx, ny] = dimensions;
  if (Math.min(x, y, z, nx - edge - x, ny - edge - y, planes - edge - z) < 0) return null;
  const window = new Float64Array(cells);
  let sum = 0;
  for (let k = 0, n = 0; k < edge; k++) {
    for (let j = 0; j < edge; j++) {
      const from = ((z + k) * ny + y + j) * nx + x;
      for (let i = 0; i < edge; i++, n++) {
        window[n] = values[from + i];
        sum += window[n];
      }
    }
  }
  if (!Number.isFinite(sum)) return null;
  for (let n = 0; n < cells; n++) window[n] = (window[n] - sum / cells) * faded[n];
  return window;
}

/** Waves along x that differ: those of a real signal come in opposite pairs. */
const half = edge / 2 + 1;

/** Reused for each window. */
const [real, imaginary] = [new Float64Array(half * edge ** 2), new Float64Array(half * edge ** 2)];
const [lineReal, lineImaginary] = [new Float64Array(edge), new Float64Array(edge)];

/** Power of each wave: discrete Fourier transform along x, y and z in turn. */
function transform(window: Float64Array): Float32Array {
  for (let row = 0; row < edge ** 2; row++) {
    for (let wave = 0; wave < half; wave++) {
      let a = 0;
      let b = 0;
      for (let n = 0; n < edge; n++) {
        a += window[row * edge + n] * cosines[wave * edge + n];
        b -= window[row * edge + n] * sines[wave * edge + n];
      }
      real[row * half + wave] = a;
      imaginary[row * half + wave] = b;
    }
  }
  for (let k = 0; k < edge; k++) {
    for (let i = 0; i < half; i++) transformLine(k * edge * half + i, half);
  }
  for (let i = 0; i < edge * half; i++) transformLine(i, edge * half);
  const powers = new Float32Array(cells);
  for (let bin = 0; bin < cells; bin++) {
    const at = bin % edge < half ? bin : opposite[bin];
    const column = Math.floor(at / edge) * half + (at % edge);
    powers[bin] = real[column] ** 2 + imaginary[column] ** 2;
  }
  return powers;
}

/** Transforms a line in place. */
function transformLine(start: number, stride: number): void {
  for (let n = 0; n < edge; n++) {
    lineReal[n] = real[start + n * stride];
    lineImaginary[n] = imaginary[start + n * stride];
  }
  for (let wave = 0; wave < edge; wave++) {
    let a = 0;
    let b = 0;
    for (let n = 0; n < edge; n++) {
      const cosine = cosines[wave * edge + n];
      const sine = sines[wave * edge + n];
      a += lineReal[n] * cosine + lineImaginary[n] * sine;
      b += lineImaginary[n] * cosine - lineReal[n] * sine;
    }
    real[start + wave * stride] = a;
    imaginary[start + wave * stride] = b;
  }
}
