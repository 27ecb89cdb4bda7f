/** Finds the centre of a scan's rings. */

/** Places with their height above the surroundings. */
interface Bumps {
  x: Float32Array;
  y: Float32Array;
  height: Float32Array;
}

/** Distance in cells from a place to its eight reference places: more than the width of a ring. */
const [straight, diagonal] = [3, 2];
/** Largest number of places used when many axes are tried. */
const maxPlaces = 30_000;
/** Smallest number of places at one radius for them to count. */
const minPerRing = 12;
/** Search range in cells to each side of a start, and the final step sizes. */
const searched = 3;
const steps = [0.5, 0.25, 0.12];
/** Number of reweighting passes, and the distance from the axis, in cells, at which a line has half weight. */
const [passes, farCells] = [8, 4];

/**
 * Finds the axis along z about which heights are most rotationally symmetric, searching around the centre of the planes
 * and around the intersection of the height gradients. O(cells of a plane).
 * @param means of columns of cells, x fastest; NaN where there are none
 */
export function findRingAxis(means: Float32Array, nx: number, ny: number): [number, number] | null {
  const bumps = findBumps(means, nx, ny);
  if (bumps.height.length < minPerRing) return null;
  const some = thin(bumps);
  const starts = [[(nx - 1) / 2, (ny - 1) / 2] as [number, number], meet(means, bumps, nx, ny)];
  let [best, most] = [starts[0], -1];
  for (const [x, y] of starts) {
    if (!(x > -nx && x < 2 * nx && y > -ny && y < 2 * ny)) continue;
    for (let dy = -searched; dy <= searched; dy++)
      for (let dx = -searched; dx <= searched; dx++) {
        const energy = energyAbout(some, x + dx, y + dy);
        if (energy > most) [best, most] = [[x + dx, y + dy], energy];
      }
  }
  for (const step of steps) {
    most = energyAbout(some, ...best);
    for (let isBetter = true; isBetter; ) {
      isBetter = false;
      for (const [dx, dy] of [
        [step, 0],
        [-step, 0],
        [0, step],
        [0, -step],
      ]) {
        const energy = energyAbout(some, best[0] + dx, best[1] + dy);
        if (energy <= most) continue;
        [best, most, isBetter] = [[best[0] + dx, best[1] + dy], energy, true];
      }
    }
  }
  return best;
}

function findBumps(means: Float32Array, nx: number, ny: number): Bumps {
  const around = [straight, straight * nx].flatMap((n) => [n, -n]);
  for (const n of [diagonal * (nx + 1), diagonal * (nx - 1)]) around.push(n, -n);
  const found: [number, number, number][] = [];
  for (let y = straight; y + straight < ny; y++) {
    for (let x = straight; x + straight < nx; x++) {
      const at = y * nx + x;
      let sum = 0;
      for (const n of around) sum += means[at + n];
      const height = means[at] - sum / around.length;
      if (!Number.isNaN(height)) found.push([x, y, height]);
    }
  }
  const column = (k: number) => Float32Array.from(found, (each) => each[k]);
  return { x: column(0), y: column(1), height: column(2) };
}

function thin({ x, y, height }: Bumps): Bumps {
  const step = Math.max(1, Math.ceil(height.length / maxPlaces));
  const some = (all: Float32Array) => all.filter((_, i) => i % step === 0);
  return { x: some(x), y: some(y), height: some(height) };
}

/** Sum over radii of (sum of heights)² / count: equal to the sum of squares when every ring is uniform. */
function energyAbout({ x, y, height }: Bumps, cx: number, cy: number): number {
  const sums = new Float64Array(8192);
  const counts = new Uint32Array(8192);
  for (let i = 0; i < x.length; i++) {
    const radius = Math.min(8191, Math.round(Math.sqrt((x[i] - cx) ** 2 + (y[i] - cy) ** 2)));
    sums[radius] += height[i];
    counts[radius]++;
  }
  let energy = 0;
  for (let radius = 0; radius < 8191; radius++)
    if (counts[radius] >= minPerRing) energy += sums[radius] ** 2 / counts[radius];
  return energy;
}

/** The point closest to the lines of steepest ascent, steep ones weighted most. */
function meet(means: Float32Array, { x, y }: Bumps, nx: number, ny: number): [number, number] {
  const lines: [number, number, number, number][] = [];
  for (let i = 0; i < x.length; i++) {
    const at = y[i] * nx + x[i];
    // Across a ring, heights rise and fall within a cell or two.
    const gx = means[at + 1] - means[at - 1];
    const gy = means[at + nx] - means[at - nx];
    if (gx * gx + gy * gy > 0) lines.push([x[i], y[i], gx, gy]);
  }
  let point: [number, number] = [(nx - 1) / 2, (ny - 1) / 2];
  for (let pass = 0; pass < passes; pass++) {
    let [xx, xy, yy, bx, by] = [0, 0, 0, 0, 0];
    for (const [px, py, gx, gy] of lines) {
      const squared = gx * gx + gy * gy;
      const past = gy * (px - point[0]) - gx * (py - point[1]);
      const weight = pass === 0 ? squared : squared / (1 + past ** 2 / squared / farCells ** 2);
      // The line through p along g: n · (c − p) = 0 with n perpendicular to g.
      const [wx, wy] = [(weight * gy) / squared, (weight * gx) / squared];
      xx += wx * gy;
      xy -= wx * gx;
      yy += wy * gx;
      bx += wx * (gy * px - gx * py);
      by -= wy * (gy * px - gx * py);
    }
    const determinant = xx * yy - xy * xy;
    if (!(determinant > 1e-9 * xx * yy)) return point;
    point = [(yy * bx - xy * by) / determinant, (xx * by - xy * bx) / determinant];
  }
  return point;
}
