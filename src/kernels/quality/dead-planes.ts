/** Planes across x and y that have a constant value throughout the scan, as left by a dead column of a detector. */
import type { Vector3 } from '../grid/volume.ts';

/** Largest run of dead planes; wider gaps between parts are constant when their background was removed. */
const widest = 4;

export class DeadPlanes {
  /** for x and y: the planes that may be dead, and the value of each */
  private alike: [number[], number[]];
  private readonly values: [Float64Array, Float64Array];

  constructor([nx, ny]: Readonly<Vector3>) {
    this.alike = [Array.from({ length: nx }, (_, x) => x), Array.from({ length: ny }, (_, y) => y)];
    this.values = [new Float64Array(nx).fill(Number.NaN), new Float64Array(ny).fill(Number.NaN)];
  }

  /** Adds a plane across z. With any noise only a few of its voxels are read. */
  add(slab: ArrayLike<number>, start: number): void {
    const [{ length: nx }, { length: ny }] = this.values;
    this.keep(0, (x) => [start + x, nx, ny], slab);
    this.keep(1, (y) => [start + y * nx, 1, nx], slab);
  }

  private keep(
    axis: 0 | 1,
    rowOf: (plane: number) => readonly [from: number, step: number, count: number],
    slab: ArrayLike<number>,
  ): void {
    const values = this.values[axis];
    this.alike[axis] = this.alike[axis].filter((plane) => {
      const [from, step, count] = rowOf(plane);
      if (Number.isNaN(values[plane])) values[plane] = slab[from];
      const value = values[plane];
      for (let n = 0, at = from; n < count; n++, at += step) if (slab[at] !== value) return false;
      return true;
    });
  }

  /** Number of dead planes inside the scan. */
  get count(): number {
    return this.alike.reduce((sum, planes, axis) => {
      const runs: number[][] = [];
      for (const plane of planes) {
        const run = runs.at(-1);
        if (run?.at(-1) === plane - 1) run.push(plane);
        else runs.push([plane]);
      }
      const last = this.values[axis].length - 1;
      const isDead = (run: number[]) => run.length <= widest && run[0] > 0 && run[run.length - 1] < last;
      return sum + runs.filter(isDead).reduce((all, { length }) => all + length, 0);
    }, 0);
  }
}
