/** Consecutive planes of a grid, x fastest. */
export interface Slab {
  values: ArrayLike<number>;
  /** cells along x, y, z of the whole volume */
  dimensions: readonly [number, number, number];
  firstPlane: number;
}

/** Grey value at a fractional position, linear along each axis; positions beyond the outermost cells are clamped. */
export function greyAt({ values, dimensions, firstPlane }: Slab, cell: Float64Array): number {
  const nx = dimensions[0];
  const ny = dimensions[1];
  const nz = dimensions[2];
  const x = Math.min(Math.max(cell[0], 0), nx - 1);
  const y = Math.min(Math.max(cell[1], 0), ny - 1);
  const z = Math.min(Math.max(cell[2], 0), nz - 1);
  const ix = findFirst(x, nx);
  const iy = findFirst(y, ny);
  const iz = findFirst(z, nz);
  const fx = x - ix;
  const fy = y - iy;
  const right = nx > 1 ? 1 : 0;
  const back = ny > 1 ? nx : 0;
  const up = nz > 1 ? nx * ny : 0;
  const at = ((iz - firstPlane) * ny + iy) * nx + ix;
  const a = values[at] + (values[at + right] - values[at]) * fx;
  const b = values[at + back] + (values[at + back + right] - values[at + back]) * fx;
  const above = at + up;
  const c = values[above] + (values[above + right] - values[above]) * fx;
  const d = values[above + back] + (values[above + back + right] - values[above + back]) * fx;
  const low = a + (b - a) * fy;
  const high = c + (d - c) * fy;
  return low + (high - low) * (z - iz);
}

/** Index of the lower of the two cells around a position, at most the last but one. */
export const findFirst = (place: number, cells: number): number =>
  Math.max(0, Math.min(Math.floor(place), cells - 2));
