/**
 * Finds triangles of a chart that overlap when flattened. A grid of cells over each chart's plane, in one hash table
 * for all charts, limits the comparisons to nearby triangles.
 */
export class FlatTriangles {
  readonly #positions: Float32Array;
  readonly #indices: Uint32Array;
  /** edge length of a cell, mm */
  readonly #cell: number;
  readonly #chartOf: Uint32Array;
  readonly #heads: Int32Array;
  #next = new Int32Array(1 << 16);
  #triangle = new Uint32Array(1 << 16);
  #used = 0;
  readonly #one = new Float64Array(6);
  readonly #other = new Float64Array(6);

  /**
   * @param cellMm about a triangle's side length @param chartOf chart of each triangle; different charts never overlap
   */
  constructor(positions: Float32Array, indices: Uint32Array, cellMm: number, chartOf: Uint32Array) {
    this.#positions = positions;
    this.#indices = indices;
    this.#cell = cellMm;
    this.#chartOf = chartOf;
    let size = 1024;
    while (size < indices.length) size *= 2;
    this.#heads = new Int32Array(size).fill(-1);
  }

  /**
   * Adds a triangle to a chart unless it would overlap one already added; mere contact is allowed.
   * @param axes unit vectors u and v of the chart's plane
   * @returns whether the triangle was added
   */
  addUnlessCovered(triangle: number, chart: number, axes: Float64Array): boolean {
    const p = this.#one;
    this.#project(triangle, axes, p);
    const cell = this.#cell;
    const x0 = Math.floor(Math.min(p[0], p[2], p[4]) / cell);
    const x1 = Math.floor(Math.max(p[0], p[2], p[4]) / cell);
    const y0 = Math.floor(Math.min(p[1], p[3], p[5]) / cell);
    const y1 = Math.floor(Math.max(p[1], p[3], p[5]) / cell);
    for (let y = y0; y <= y1; y++) {
      for (let x = x0; x <= x1; x++) {
        for (let at = this.#heads[this.#slot(x, y, chart)]; at >= 0; at = this.#next[at]) {
          const other = this.#triangle[at];
          if (this.#chartOf[other] !== chart || this.#shareSide(triangle, other)) continue;
          this.#project(other, axes, this.#other);
          if (overlap(p, this.#other, 1e-7 * cell * cell)) return false;
        }
      }
    }
    for (let y = y0; y <= y1; y++) {
      for (let x = x0; x <= x1; x++) this.#add(this.#slot(x, y, chart), triangle);
    }
    return true;
  }

  #slot(x: number, y: number, chart: number): number {
    let hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(chart, 0xc2b2ae35);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    return (hash ^ (hash >>> 13)) & (this.#heads.length - 1);
  }

  #add(slot: number, triangle: number): void {
    if (this.#used === this.#next.length) {
      const next = new Int32Array(2 * this.#used);
      next.set(this.#next);
      this.#next = next;
      const triangles = new Uint32Array(2 * this.#used);
      triangles.set(this.#triangle);
      this.#triangle = triangles;
    }
    this.#triangle[this.#used] = triangle;
    this.#next[this.#used] = this.#heads[slot];
    this.#heads[slot] = this.#used++;
  }

  #project(triangle: number, axes: Float64Array, to: Float64Array): void {
    for (let k = 0; k < 3; k++) {
      const at = 3 * this.#indices[3 * triangle + k];
      const x = this.#positions[at];
      const y = this.#positions[at + 1];
      const z = this.#positions[at + 2];
      to[2 * k] = axes[0] * x + axes[1] * y + axes[2] * z;
      to[2 * k + 1] = axes[3] * x + axes[4] * y + axes[5] * z;
    }
  }

  /** Two triangles of the same orientation that share a side are on opposite sides of it. */
  #shareSide(a: number, b: number): boolean {
    let shared = 0;
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) {
        if (this.#indices[3 * a + i] === this.#indices[3 * b + j]) shared++;
      }
    }
    return shared >= 2;
  }
}

/**
 * Whether two counter-clockwise triangles overlap by more than `slack` (mm²): no side of either has the other one
 * entirely outside (separating axes).
 */
export function overlap(a: Float64Array, b: Float64Array, slack: number): boolean {
  return !separates(a, b, slack) && !separates(b, a, slack);
}

function separates(a: Float64Array, b: Float64Array, slack: number): boolean {
  for (let k = 0; k < 6; k += 2) {
    const end = k === 4 ? 0 : k + 2;
    const px = a[k];
    const py = a[k + 1];
    const dx = a[end] - px;
    const dy = a[end + 1] - py;
    if (
      dx * (b[1] - py) - dy * (b[0] - px) <= slack &&
      dx * (b[3] - py) - dy * (b[2] - px) <= slack &&
      dx * (b[5] - py) - dy * (b[4] - px) <= slack
    ) {
      return true;
    }
  }
  return false;
}
