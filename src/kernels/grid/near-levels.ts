import type { Vector3, Volume } from './volume.ts';

/** Local levels midway between air and material, on the nodes of a coarse grid. */
export interface NearLevels {
  nodes: Vector3;
  /** voxels from one node to the next; the first node is at the centre of the first brick */
  brickVoxels: number;
  /** of each node, x fastest */
  levels: Float32Array;
}

/** Maximum number of bricks along the longest edge. */
const maxBricks = 32;
/** A voxel is deep in air or material if those at this distance on either side belong to the same class. */
const deepVoxels = 3;
/** Standard deviation of the window around each brick, in bricks: distant bricks count less. */
const windowBricks = 1.2;
/** Number of iterations; each classifies the deep voxels with the levels of the previous one. */
const turns = 3;

/**
 * Estimates the local levels of a small volume, for a preview before surface determination: means of deep air and
 * material voxels within a window around each brick. The determination itself fits lines and reads every voxel.
 * O(voxels / 8).
 *
 * @param first initial level
 * @returns null if no voxel is deep enough in air or in material
 */
export function estimateLevels(volume: Volume, first: number): NearLevels | null {
  const { dimensions } = volume;
  const brickVoxels = Math.max(4, Math.ceil(Math.max(...dimensions) / maxBricks));
  const nodes = dimensions.map((edge) => Math.ceil(edge / brickVoxels)) as Vector3;
  const count = nodes[0] * nodes[1] * nodes[2];
  let near: NearLevels = { nodes, brickVoxels, levels: new Float32Array(count).fill(first) };
  for (let turn = 0; turn < turns; turn++) {
    const { air, material } = sumDeep(volume, near);
    const [airMeans, materialMeans] = [spread(air, nodes), spread(material, nodes)];
    if (!airMeans || !materialMeans) return null;
    near = { ...near, levels: airMeans.map((grey, i) => (grey + materialMeans[i]) / 2) };
  }
  return near;
}

/** Sum and number of deep voxels per brick. */
interface Sums {
  sums: Float64Array;
  counts: Float64Array;
}

function sumDeep({ dimensions, data }: Volume, { nodes, brickVoxels, levels }: NearLevels) {
  const [nx, ny, nz] = dimensions;
  const count = levels.length;
  const makeSums = (): Sums => ({ sums: new Float64Array(count), counts: new Float64Array(count) });
  const [air, material] = [makeSums(), makeSums()];
  const steps = [deepVoxels, deepVoxels * nx, deepVoxels * nx * ny];
  // A flat scan has no depth along that axis.
  const reach = dimensions.map((edge) => (edge > 2 * deepVoxels ? deepVoxels : 0));
  const around = steps.filter((_, axis) => reach[axis] > 0);
  for (let z = reach[2]; z < nz - reach[2]; z += 2) {
    for (let y = reach[1]; y < ny - reach[1]; y += 2) {
      const bricks = nodes[0] * (Math.floor(y / brickVoxels) + nodes[1] * Math.floor(z / brickVoxels));
      for (let x = reach[0]; x < nx - reach[0]; x += 2) {
        const i = x + nx * (y + ny * z);
        const brick = bricks + Math.floor(x / brickVoxels);
        const level = levels[brick];
        const isMaterial = data[i] > level;
        const isDeep = around.every(
          (step) => data[i - step] > level === isMaterial && data[i + step] > level === isMaterial,
        );
        if (!isDeep) continue;
        const into = isMaterial ? material : air;
        into.sums[brick] += data[i];
        into.counts[brick]++;
      }
    }
  }
  return { air, material };
}

/** Means within a window around each brick. Null without any deep voxels. */
function spread({ sums, counts }: Sums, nodes: Vector3): Float32Array | null {
  const all = counts.reduce((sum, each) => sum + each, 0);
  if (all === 0) return null;
  const mean = sums.reduce((sum, each) => sum + each, 0) / all;
  const strides = [1, nodes[0], nodes[0] * nodes[1]];
  let [wideSums, wideCounts] = [sums, counts];
  for (const axis of [0, 1, 2] as const) {
    wideSums = blurAlong(wideSums, nodes, axis, strides[axis]);
    wideCounts = blurAlong(wideCounts, nodes, axis, strides[axis]);
  }
  // The global mean has a small weight everywhere: it stabilizes levels that have only a few distant voxels.
  const trust = 1e-4;
  return Float32Array.from(wideSums, (sum, i) => (sum + trust * mean) / (wideCounts[i] + trust));
}

function blurAlong(values: Float64Array, nodes: Vector3, axis: 0 | 1 | 2, stride: number): Float64Array {
  const length = nodes[axis];
  const weights = Float64Array.from({ length }, (_, k) => Math.exp(-((k / windowBricks) ** 2) / 2));
  return values.map((_, i) => {
    const at = Math.floor(i / stride) % length;
    let sum = 0;
    for (let k = 0; k < length; k++) sum += weights[Math.abs(k - at)] * values[i + (k - at) * stride];
    return sum;
  });
}

/** The level at a position, linear between nodes. @param voxel position in voxels; integers are voxel centres */
export function levelAt({ nodes, brickVoxels, levels }: NearLevels, voxel: Readonly<Vector3>): number {
  const [nx, ny] = nodes;
  const places = voxel.map((each, axis) =>
    Math.min(nodes[axis] - 1, Math.max(0, (each + 0.5) / brickVoxels - 0.5)),
  );
  const [x, y, z] = places.map(Math.floor);
  const [fx, fy, fz] = [places[0] - x, places[1] - y, places[2] - z];
  const i = x + nx * (y + ny * z);
  const [dx, dy, dz] = [fx > 0 ? 1 : 0, fy > 0 ? nx : 0, fz > 0 ? nx * ny : 0];
  const mix = (at: number) => {
    const lower = levels[at] + (levels[at + dx] - levels[at]) * fx;
    const upper = levels[at + dy] + (levels[at + dy + dx] - levels[at + dy]) * fx;
    return lower + (upper - lower) * fy;
  };
  const [front, back] = [mix(i), mix(i + dz)];
  return front + (back - front) * fz;
}
