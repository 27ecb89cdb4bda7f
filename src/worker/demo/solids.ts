/**
 * Solids of constant attenuation, painted over one another, and what a straight ray collects in them. Each shape
 * is convex, so that a ray has at most one stretch inside of it; where shapes overlap the later one counts, and
 * a bore is a shape painted with 0. Lengths in mm, attenuation in 1/mm.
 */
import type { Vector3 } from '#kernels/grid/volume.ts';

export type Shape =
  | { kind: 'box'; min: Vector3; max: Vector3 }
  | { kind: 'sphere'; center: Vector3; radiusMm: number }
  /** along `axis` (0 = x, 1 = y, 2 = z), its middle at `center` */
  | { kind: 'cylinder'; axis: 0 | 1 | 2; center: Vector3; radiusMm: number; lengthMm: number }
  /** the points for which normal · p ≤ reachMm, for all planes */
  | { kind: 'polyhedron'; planes: { normal: Vector3; reachMm: number }[] };

export interface Layer {
  shape: Shape;
  attenuation: number;
}

/** Layers made ready for many rays; no allocation while rays are followed. */
export class PaintedSolid {
  readonly #layers: Layer[];
  readonly #enter: Float64Array;
  readonly #leave: Float64Array;
  readonly #hit: Int32Array;
  readonly #cuts: Float64Array;
  #from = 0;
  #to = 0;

  constructor(layers: Layer[]) {
    this.#layers = layers;
    this.#enter = new Float64Array(layers.length);
    this.#leave = new Float64Array(layers.length);
    this.#hit = new Int32Array(layers.length);
    this.#cuts = new Float64Array(2 * layers.length);
  }

  /**
   * ∫ attenuation along the ray from a point in a direction of length 1, over its positive side; no unit.
   * O(n log n) in the number of shapes that are hit.
   */
  integral(ox: number, oy: number, oz: number, dx: number, dy: number, dz: number): number {
    let hits = 0;
    let cuts = 0;
    for (let i = 0; i < this.#layers.length; i++) {
      if (!this.#stretch(this.#layers[i].shape, ox, oy, oz, dx, dy, dz)) continue;
      this.#enter[hits] = this.#from;
      this.#leave[hits] = this.#to;
      this.#hit[hits++] = i;
      cuts = insert(this.#cuts, cuts, this.#from);
      cuts = insert(this.#cuts, cuts, this.#to);
    }
    let sum = 0;
    for (let cut = 1; cut < cuts; cut++) {
      const middle = (this.#cuts[cut - 1] + this.#cuts[cut]) / 2;
      for (let top = hits - 1; top >= 0; top--) {
        if (this.#enter[top] > middle || this.#leave[top] < middle) continue;
        sum += this.#layers[this.#hit[top]].attenuation * (this.#cuts[cut] - this.#cuts[cut - 1]);
        break;
      }
    }
    return sum;
  }

  /** Leaves the ray's stretch inside the shape in #from … #to; false when there is none. */
  #stretch(shape: Shape, ox: number, oy: number, oz: number, dx: number, dy: number, dz: number): boolean {
    this.#from = 0;
    this.#to = Infinity;
    switch (shape.kind) {
      case 'box':
        return (
          this.#between(ox, dx, shape.min[0], shape.max[0]) &&
          this.#between(oy, dy, shape.min[1], shape.max[1]) &&
          this.#between(oz, dz, shape.min[2], shape.max[2])
        );
      case 'sphere': {
        const { center, radiusMm } = shape;
        const [px, py, pz] = [ox - center[0], oy - center[1], oz - center[2]];
        return this.#within(1, px * dx + py * dy + pz * dz, px * px + py * py + pz * pz - radiusMm ** 2);
      }
      case 'cylinder': {
        const { axis, center, radiusMm, lengthMm } = shape;
        const [px, py, pz] = [ox - center[0], oy - center[1], oz - center[2]];
        const [along, step] = axis === 0 ? [px, dx] : axis === 1 ? [py, dy] : [pz, dz];
        const a = 1 - step * step;
        const b = px * dx + py * dy + pz * dz - along * step;
        const c = px * px + py * py + pz * pz - along * along - radiusMm ** 2;
        return this.#between(along, step, -lengthMm / 2, lengthMm / 2) && this.#within(a, b, c);
      }
      case 'polyhedron':
        return shape.planes.every(({ normal, reachMm }) =>
          this.#between(
            normal[0] * ox + normal[1] * oy + normal[2] * oz,
            normal[0] * dx + normal[1] * dy + normal[2] * dz,
            -Infinity,
            reachMm,
          ),
        );
    }
  }

  /** low ≤ start + t·step ≤ high */
  #between(start: number, step: number, low: number, high: number): boolean {
    if (Math.abs(step) < 1e-12) return start >= low && start <= high;
    const a = (low - start) / step;
    const b = (high - start) / step;
    this.#from = Math.max(this.#from, Math.min(a, b));
    this.#to = Math.min(this.#to, Math.max(a, b));
    return this.#from < this.#to;
  }

  /** a·t² + 2b·t + c ≤ 0 with a ≥ 0 */
  #within(a: number, b: number, c: number): boolean {
    if (a < 1e-12) return c <= 0;
    const root = b * b - a * c;
    if (root <= 0) return false;
    const half = Math.sqrt(root);
    this.#from = Math.max(this.#from, (-b - half) / a);
    this.#to = Math.min(this.#to, (-b + half) / a);
    return this.#from < this.#to;
  }
}

/** Keeps the first `count` values in order; gives the new count. */
function insert(values: Float64Array, count: number, value: number): number {
  let at = count;
  while (at > 0 && values[at - 1] > value) {
    values[at] = values[at - 1];
    at--;
  }
  values[at] = value;
  return count + 1;
}
