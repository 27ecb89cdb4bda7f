type Point = [number, number, number];

/** Bounding box of points, xyz each; zero for no points. */
export function measureBounds(positions: ArrayLike<number>): { min: Point; max: Point } {
  if (positions.length === 0) return { min: [0, 0, 0], max: [0, 0, 0] };
  const min: Point = [Infinity, Infinity, Infinity];
  const max: Point = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i += 3) {
    for (let axis = 0; axis < 3; axis++) {
      const value = positions[i + axis];
      if (value < min[axis]) min[axis] = value;
      if (value > max[axis]) max[axis] = value;
    }
  }
  return { min, max };
}
