/**
 * An array whose length is known only at the end. Memory grows with the values, never by the length that a file header
 * declares.
 */
export class GrowingFloats {
  private values = new Float64Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Float64Array(2 * this.values.length);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }

  trimmed(): Float64Array {
    return this.values.slice(0, this.length);
  }

  /** the values as floats, each times `factor` */
  scaled(factor: number): Float32Array {
    const out = new Float32Array(this.length);
    for (let i = 0; i < out.length; i++) out[i] = this.values[i] * factor;
    return out;
  }
}

export class GrowingIndices {
  private values = new Uint32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Uint32Array(2 * this.values.length);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }

  trimmed(): Uint32Array {
    return this.values.slice(0, this.length);
  }
}
