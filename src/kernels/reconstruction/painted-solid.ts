/**
 * Solids of constant attenuation, painted over one another, and line integrals of straight rays through them. Each
 * shape is convex, so that a ray has at most one interval inside it; where shapes overlap, the later one counts, and a
 * bore is a shape painted with 0. Lengths in mm, attenuation in 1/mm.
 */
import { cross, dot } from '../grid/vectors.ts';
import type { Vector3 } from '../grid/volume.ts';

export type Shape =
  | { kind: 'box'; min: Vector3; max: Vector3 }
  | { kind: 'sphere'; center: Vector3; radiusMm: number }
  /** along `axis` (0 = x, 1 = y, 2 = z), centred at `center` */
  | { kind: 'cylinder'; axis: 0 | 1 | 2; center: Vector3; radiusMm: number; lengthMm: number }
  /** the points for which normal · p ≤ reachMm, for all planes */
  | { kind: 'polyhedron'; planes: { normal: Vector3; reachMm: number }[] };

export interface Layer {
  shape: Shape;
  attenuation: number;
}

const BOX = 0;
const SPHERE = 1;
const CYLINDER = 2;
const POLYHEDRON = 3;

/** Start in mm, and unit direction. */
interface Ray {
  ox: number;
  oy: number;
  oz: number;
  dx: number;
  dy: number;
  dz: number;
}

/** Layers prepared for many rays: flat arrays, and no allocation per ray. */
export class PaintedSolid {
  /** lowest and highest z of each shape */
  readonly #heights: Float64Array;
  /** maximum distance of the shapes from the z axis */
  readonly #reachMm: number;
  /** shapes that the following rays can hit, in layer order, and their number */
  readonly #active: Int32Array;
  #count: number;
  readonly #kinds: Uint8Array;
  /** index of each shape's first number */
  readonly #starts: Uint32Array;
  readonly #numbers: Float64Array;
  readonly #attenuations: Float64Array;
  readonly #enter: Float64Array;
  readonly #leave: Float64Array;
  readonly #hit: Int32Array;
  readonly #cuts: Float64Array;
  #from = 0;
  #to = 0;

  constructor(layers: Layer[]) {
    const flat = layers.map(({ shape }) => flatten(shape));
    const bounds = layers.map(({ shape }) => measureBounds(shape));
    this.#heights = Float64Array.from(bounds.flatMap(({ min, max }) => [min[2], max[2]]));
    this.#reachMm = Math.max(
      ...bounds.map(({ min, max }) =>
        Math.hypot(...[0, 1].map((axis) => Math.max(Math.abs(min[axis]), Math.abs(max[axis])))),
      ),
    );
    this.#active = Int32Array.from(layers, (_, i) => i);
    this.#count = layers.length;
    this.#kinds = Uint8Array.from(flat, ({ kind }) => kind);
    this.#numbers = Float64Array.from(flat.flatMap(({ numbers }) => numbers));
    let start = 0;
    this.#starts = Uint32Array.from([
      0,
      ...flat.map(({ numbers }) => {
        start += numbers.length;
        return start;
      }),
    ]);
    this.#attenuations = Float64Array.from(layers, ({ attenuation }) => attenuation);
    this.#enter = new Float64Array(layers.length);
    this.#leave = new Float64Array(layers.length);
    this.#hit = new Int32Array(layers.length);
    this.#cuts = new Float64Array(2 * layers.length);
  }

  /**
   * Declares that the following rays start in the plane z = 0, at a distance from the z axis, and rise by `rise` on
   * their way to it. Shapes entirely above or below all of them are skipped until the next call.
   */
  expectRise(distanceMm: number, rise: number): void {
    const near = (rise * (distanceMm - this.#reachMm)) / distanceMm;
    const far = (rise * (distanceMm + this.#reachMm)) / distanceMm;
    const low = Math.min(near, far);
    const high = Math.max(near, far);
    this.#count = 0;
    for (let i = 0; i < this.#kinds.length; i++) {
      if (this.#heights[2 * i] <= high && this.#heights[2 * i + 1] >= low) this.#active[this.#count++] = i;
    }
  }

  /**
   * ∫ attenuation along the ray from a point in a unit direction, over its positive side; dimensionless. O(n) for n
   * shapes, O(k²) for the k that are hit.
   */
  integral(ox: number, oy: number, oz: number, dx: number, dy: number, dz: number): number {
    const ray = { ox, oy, oz, dx, dy, dz };
    let hits = 0;
    let cuts = 0;
    for (let a = 0; a < this.#count; a++) {
      const i = this.#active[a];
      if (!this.#stretch(i, ray)) continue;
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
        sum += this.#attenuations[this.#hit[top]] * (this.#cuts[cut] - this.#cuts[cut - 1]);
        break;
      }
    }
    return sum;
  }

  /** Stores the interval of the ray inside shape i in #from … #to; false if there is none. */
  #stretch(i: number, { ox, oy, oz, dx, dy, dz }: Readonly<Ray>): boolean {
    const n = this.#numbers;
    const at = this.#starts[i];
    const kind = this.#kinds[i];
    this.#from = 0;
    this.#to = Infinity;
    if (kind === SPHERE) {
      const px = ox - n[at];
      const py = oy - n[at + 1];
      const pz = oz - n[at + 2];
      return this.#within(1, px * dx + py * dy + pz * dz, px * px + py * py + pz * pz - n[at + 3]);
    }
    if (kind === BOX) {
      return (
        this.#between(ox, dx, n[at], n[at + 3]) &&
        this.#between(oy, dy, n[at + 1], n[at + 4]) &&
        this.#between(oz, dz, n[at + 2], n[at + 5])
      );
    }
    if (kind === CYLINDER) {
      const px = ox - n[at];
      const py = oy - n[at + 1];
      const pz = oz - n[at + 2];
      const axis = n[at + 5];
      const along = axis === 0 ? px : axis === 1 ? py : pz;
      const step = axis === 0 ? dx : axis === 1 ? dy : dz;
      return (
        this.#between(along, step, -n[at + 4], n[at + 4]) &&
        this.#within(
          1 - step * step,
          px * dx + py * dy + pz * dz - along * step,
          px * px + py * py + pz * pz - along * along - n[at + 3],
        )
      );
    }
    for (let plane = at; plane < this.#starts[i + 1]; plane += 4) {
      const height = n[plane + 3] - (n[plane] * ox + n[plane + 1] * oy + n[plane + 2] * oz);
      const speed = n[plane] * dx + n[plane + 1] * dy + n[plane + 2] * dz;
      if (speed > 1e-12) this.#to = Math.min(this.#to, height / speed);
      else if (speed < -1e-12) this.#from = Math.max(this.#from, height / speed);
      else if (height < 0) return false;
      if (this.#from >= this.#to) return false;
    }
    return true;
  }

  /** low ≤ start + t·step ≤ high */
  #between(start: number, step: number, low: number, high: number): boolean {
    if (step < 1e-12 && step > -1e-12) return start >= low && start <= high;
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

function flatten(shape: Shape): { kind: number; numbers: number[] } {
  switch (shape.kind) {
    case 'box':
      return { kind: BOX, numbers: [...shape.min, ...shape.max] };
    case 'sphere':
      return { kind: SPHERE, numbers: [...shape.center, shape.radiusMm ** 2] };
    case 'cylinder':
      return {
        kind: CYLINDER,
        numbers: [...shape.center, shape.radiusMm ** 2, shape.lengthMm / 2, shape.axis],
      };
    case 'polyhedron':
      return {
        kind: POLYHEDRON,
        numbers: shape.planes.flatMap(({ normal, reachMm }) => [...normal, reachMm]),
      };
  }
}

/** Inserts a value into the first `count`, which are sorted; returns the new count. */
function insert(values: Float64Array, count: number, value: number): number {
  let at = count;
  while (at > 0 && values[at - 1] > value) {
    values[at] = values[at - 1];
    at--;
  }
  values[at] = value;
  return count + 1;
}

function measureBounds(shape: Shape): { min: Vector3; max: Vector3 } {
  switch (shape.kind) {
    case 'box':
      return shape;
    case 'sphere':
      return boundAround(shape.center, () => shape.radiusMm);
    case 'cylinder':
      return boundAround(shape.center, (axis) => (axis === shape.axis ? shape.lengthMm / 2 : shape.radiusMm));
    case 'polyhedron': {
      const corners = collectCorners(shape.planes);
      const ends = (pick: (...values: number[]) => number) =>
        [0, 1, 2].map((axis) => pick(...corners.map((corner) => corner[axis]))) as Vector3;
      return { min: ends(Math.min), max: ends(Math.max) };
    }
  }
}

function boundAround(center: Vector3, half: (axis: number) => number): { min: Vector3; max: Vector3 } {
  const ends = (sign: 1 | -1) => center.map((value, axis) => value + sign * half(axis)) as Vector3;
  return { min: ends(-1), max: ends(1) };
}

type Plane = { normal: Vector3; reachMm: number };

/** Intersections of three planes each that are inside all others. */
function collectCorners(planes: Plane[]): Vector3[] {
  const corners: Vector3[] = [];
  for (const [i, a] of planes.entries())
    for (const [j, b] of planes.slice(0, i).entries())
      for (const c of planes.slice(0, j)) {
        const [bc, ca, ab] = [
          cross(b.normal, c.normal),
          cross(c.normal, a.normal),
          cross(a.normal, b.normal),
        ];
        const volume = dot(a.normal, bc);
        if (Math.abs(volume) < 1e-9) continue;
        const corner = [0, 1, 2].map(
          (axis) => (a.reachMm * bc[axis] + b.reachMm * ca[axis] + c.reachMm * ab[axis]) / volume,
        ) as Vector3;
        if (planes.every(({ normal, reachMm }) => dot(normal, corner) <= reachMm + 1e-6))
          corners.push(corner);
      }
  return corners;
}
