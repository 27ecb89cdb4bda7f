/** Complex FFT of fixed length, in place. O(n log n). Iterative radix 2 (Cooley and Tukey 1965). */
export class Fourier {
  readonly length: number;
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;
  readonly #reversed: Uint32Array;

  /** @param length a power of two */
  constructor(length: number) {
    this.length = length;
    const half = length / 2;
    this.#cos = Float64Array.from({ length: half }, (_, k) => Math.cos((2 * Math.PI * k) / length));
    this.#sin = Float64Array.from({ length: half }, (_, k) => Math.sin((2 * Math.PI * k) / length));
    const bits = Math.log2(length);
    this.#reversed = Uint32Array.from({ length }, (_, i) => {
      let reversed = 0;
      for (let bit = 0; bit < bits; bit++) if (i & (1 << bit)) reversed |= 1 << (bits - 1 - bit);
      return reversed;
    });
  }

  /** exp(−i…); for the inverse, swap real and imaginary parts and divide by the length. */
  forward(real: Float64Array, imaginary: Float64Array): void {
    const { length } = this;
    const [cos, sin, reversed] = [this.#cos, this.#sin, this.#reversed];
    for (let i = 0; i < length; i++) {
      const j = reversed[i];
      if (j <= i) continue;
      const [re, im] = [real[i], imaginary[i]];
      real[i] = real[j];
      imaginary[i] = imaginary[j];
      real[j] = re;
      imaginary[j] = im;
    }
    for (let size = 2; size <= length; size *= 2) {
      const half = size / 2;
      const stride = length / size;
      for (let start = 0; start < length; start += size) {
        for (let k = 0, t = 0; k < half; k++, t += stride) {
          const a = start + k;
          const b = a + half;
          const c = cos[t];
          const s = sin[t];
          const re = real[b] * c + imaginary[b] * s;
          const im = imaginary[b] * c - real[b] * s;
          real[b] = real[a] - re;
          imaginary[b] = imaginary[a] - im;
          real[a] += re;
          imaginary[a] += im;
        }
      }
    }
  }
}
