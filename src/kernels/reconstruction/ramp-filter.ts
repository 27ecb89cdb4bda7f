import { Fourier } from './fourier.ts';

export type RampName = 'ramLak' | 'sheppLogan' | 'cosine' | 'hamming' | 'hann';

/** Windows that damp the ramp, by the share (0 … 1) of the highest frequency. */
const windows: Record<RampName, (share: number) => number> = {
  ramLak: () => 1,
  sheppLogan: (share) => (share === 0 ? 1 : Math.sin((Math.PI * share) / 2) / ((Math.PI * share) / 2)),
  cosine: (share) => Math.cos((Math.PI * share) / 2),
  hamming: (share) => 0.54 + 0.46 * Math.cos(Math.PI * share),
  hann: (share) => 0.5 + 0.5 * Math.cos(Math.PI * share),
};

/**
 * Applies the ramp filter to rows of samples. The ramp is band-limited in space (a ramp sampled in frequency would lose
 * the mean level), times the window; rows are zero-padded to twice their length.
 * @see Kak and Slaney 1988, Principles of Computerized Tomographic Imaging, eq. 61 (doi:10.1137/1.9780898719277)
 */
export class RampFilter {
  readonly #fourier: Fourier;
  readonly #response: Float64Array;
  readonly #real: Float64Array;
  readonly #imaginary: Float64Array;

  /** @param spacingMm distance between samples @param columns samples per row */
  constructor(name: RampName, columns: number, spacingMm: number) {
    const length = 2 ** Math.ceil(Math.log2(Math.max(4, 2 * columns)));
    this.#fourier = new Fourier(length);
    const real = new Float64Array(length);
    const imaginary = new Float64Array(length);
    real[0] = 1 / (4 * spacingMm);
    for (let n = 1; n <= length / 2; n += 2) {
      real[n] = -1 / (n * n * Math.PI * Math.PI * spacingMm);
      real[length - n] = real[n];
    }
    this.#fourier.forward(real, imaginary);
    const window = windows[name];
    this.#response = real.map(
      (value, k) => (value * window(Math.min(k, length - k) / (length / 2))) / length,
    );
    this.#real = new Float64Array(length);
    this.#imaginary = imaginary;
  }

  /** Filters two rows at once, as the real and the imaginary part; the filter is real and even, so they stay separate. */
  apply(first: Float32Array, second: Float32Array): void {
    const [real, imaginary, response] = [this.#real, this.#imaginary, this.#response];
    const columns = first.length;
    real.fill(0);
    imaginary.fill(0);
    real.set(first);
    imaginary.set(second);
    this.#fourier.forward(real, imaginary);
    for (let k = 0; k < response.length; k++) {
      real[k] *= response[k];
      imaginary[k] *= response[k];
    }
    this.#fourier.forward(imaginary, real);
    for (let i = 0; i < columns; i++) {
      first[i] = real[i];
      second[i] = imaginary[i];
    }
  }
}
