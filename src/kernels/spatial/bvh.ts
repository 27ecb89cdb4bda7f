/**
 * A tree of boxes over the triangles of a mesh, for closest points: binned surface area heuristic (Wald 2007, “On fast
 * construction of SAH-based bounding volume hierarchies”, doi:10.1109/RT.2007.4342588).
 *
 * Layout, flat so that it can be handed to a thread or laid out in an arena as it is:
 *  - `bounds`, 6 float32 a node: min x y z, max x y z. Exact: corners are float32 themselves.
 *  - `links`, 2 uint32 a node: an inner node has [number of its left child, 0], the right child is the next number; a leaf
 *    has [first slot, number of slots].
 *  - `corners`, 9 float32 a slot: the triangle's corners, in the order of the leaves.
 *  - `triangles`, 1 uint32 a slot: the triangle's number in the mesh.
 * Node 0 is the root. Triangles without area, or with a corner that is no finite number, have no slot.
 */
import { KernelError } from '../kernel-error.ts';

export interface TriangleBvh {
  bounds: Float32Array;
  links: Uint32Array;
  corners: Float32Array;
  triangles: Uint32Array;
  /** the longest side of the root's box, in mm */
  extentMm: number;
}

/** Triangles that a leaf holds at most: trees with fuller leaves are built in half the time. */
const maximumLeaf = 4;
const maximumBins = 16;
/** Of a small node: emptying and summing bins would take longer than filling them. */
const fewBins = 6;
const fewTriangles = 48;
/** Below this depth, nodes are halved by count: that bounds the depth whatever the triangles look like. */
const heuristicDepth = 40;
/** Deepest possible node: 40 levels by heuristic, then 32 halvings of at most 2³² triangles. */
export const maximumDepth = heuristicDepth + 32;
/** Twice the area over the longest side squared: below it, float64 can't tell the normal from rounding. */
const flatness = 1e-14;

export const noSurface = 'The mesh has no triangle with an area: there is nothing to measure to.';

/** @throws KernelError BAD_INPUT when an index points past the vertices */
export function checkCorners({
  positions,
  indices,
}: {
  positions: Float32Array;
  indices: Uint32Array;
}): void {
  const vertices = positions.length / 3;
  for (let i = 0; i < indices.length; i++) {
    if (indices[i] < vertices) continue;
    throw new KernelError(
      'BAD_INPUT',
      `Triangle ${Math.floor(i / 3)} names vertex ${indices[i]}, but the mesh has ${vertices} vertices.`,
    );
  }
}

/**
 * Builds the tree. O(n log n).
 * @param mesh positions in mm, counter-clockwise triangles seen from outside
 * @throws KernelError BAD_INPUT when no triangle has an area, or an index points past the vertices
 */
export function buildBvh(mesh: { positions: Float32Array; indices: Uint32Array }): TriangleBvh {
  const { positions, indices } = mesh;
  const all = Math.floor(indices.length / 3);
  checkCorners(mesh);
  const boxes = new Float32Array(6 * all);
  const order = new Uint32Array(all);
  let count = 0;
  for (let t = 0; t < all; t++) {
    const [a, b, c] = [indices[3 * t], indices[3 * t + 1], indices[3 * t + 2]];
    if (!hasArea(positions, 3 * a, 3 * b, 3 * c)) continue;
    for (let k = 0; k < 3; k++) {
      const [x, y, z] = [positions[3 * a + k], positions[3 * b + k], positions[3 * c + k]];
      boxes[6 * t + k] = Math.min(x, y, z);
      boxes[6 * t + 3 + k] = Math.max(x, y, z);
    }
    order[count++] = t;
  }
  if (count === 0) {
    throw new KernelError('BAD_INPUT', noSurface);
  }
  const { bounds, links } = split(boxes, order.subarray(0, count));
  const corners = new Float32Array(9 * count);
  for (let slot = 0; slot < count; slot++) {
    for (let corner = 0; corner < 3; corner++) {
      const vertex = 3 * indices[3 * order[slot] + corner];
      for (let k = 0; k < 3; k++) corners[9 * slot + 3 * corner + k] = positions[vertex + k];
    }
  }
  return {
    bounds,
    links,
    corners,
    triangles: order.slice(0, count),
    extentMm: Math.max(bounds[3] - bounds[0], bounds[4] - bounds[1], bounds[5] - bounds[2]),
  };
}

function hasArea(p: Float32Array, a: number, b: number, c: number): boolean {
  const ux = p[b] - p[a];
  const uy = p[b + 1] - p[a + 1];
  const uz = p[b + 2] - p[a + 2];
  const vx = p[c] - p[a];
  const vy = p[c + 1] - p[a + 1];
  const vz = p[c + 2] - p[a + 2];
  const wx = vx - ux;
  const wy = vy - uy;
  const wz = vz - uz;
  const nx = uy * vz - uz * vy;
  const ny = uz * vx - ux * vz;
  const nz = ux * vy - uy * vx;
  const longest = Math.max(
    ux * ux + uy * uy + uz * uz,
    vx * vx + vy * vy + vz * vz,
    wx * wx + wy * wy + wz * wz,
  );
  // False for NaN and infinity, too.
  const area = Math.sqrt(nx * nx + ny * ny + nz * nz);
  return area > flatness * longest && area < Number.POSITIVE_INFINITY;
}

/** Orders the triangles leaf by leaf, in place, and gives the nodes. */
function split(boxes: Float32Array, order: Uint32Array): { bounds: Float32Array; links: Uint32Array } {
  const bounds = new Float32Array(12 * order.length);
  const links = new Uint32Array(4 * order.length);
  let nodes = 1;
  const binCount = new Uint32Array(3 * maximumBins);
  const binBox = new Float32Array(3 * maximumBins * 6);
  const low = new Float64Array(3);
  const scale = new Float64Array(3);
  const rightArea = new Float64Array(maximumBins);
  const rightCount = new Uint32Array(maximumBins);
  const box = new Float32Array(6);
  const work: { node: number; from: number; to: number; depth: number }[] = [
    { node: 0, from: 0, to: order.length, depth: 0 },
  ];
  for (let next = work.pop(); next; next = work.pop()) {
    const { node, from, to, depth } = next;
    const size = to - from;
    const bins = size <= fewTriangles ? fewBins : maximumBins;
    const range = { boxes, order, from, to };
    const binning = { bins, low, scale };
    nodeBounds(range, bounds, 6 * node, binning);
    let middle = from;
    if (size > maximumLeaf) {
      let axis = -1;
      let best = Number.POSITIVE_INFINITY;
      let cut = 0;
      if (depth < heuristicDepth && (scale[0] > 0 || scale[1] > 0 || scale[2] > 0)) {
        fillBins(range, binning, binCount, binBox);
        for (let k = 0; k < 3; k++) {
          if (scale[k] === 0) continue;
          emptyBox(box, 0);
          let counted = 0;
          for (let bin = bins - 1; bin > 0; bin--) {
            growBox(box, 0, binBox, 6 * (k * bins + bin));
            counted += binCount[k * bins + bin];
            rightArea[bin] = halfArea(box);
            rightCount[bin] = counted;
          }
          emptyBox(box, 0);
          counted = 0;
          for (let bin = 1; bin < bins; bin++) {
            growBox(box, 0, binBox, 6 * (k * bins + bin - 1));
            counted += binCount[k * bins + bin - 1];
            if (counted === 0 || rightCount[bin] === 0) continue;
            const cost = halfArea(box) * counted + rightArea[bin] * rightCount[bin];
            if (cost < best) {
              best = cost;
              axis = k;
              cut = bin;
            }
          }
        }
      }
      middle = axis < 0 ? from + (size >> 1) : partition(range, axis, cut, binning);
    }
    if (middle === from) {
      links[2 * node] = from;
      links[2 * node + 1] = size;
      continue;
    }
    links[2 * node] = nodes;
    links[2 * node + 1] = 0;
    work.push({ node: nodes + 1, from: middle, to, depth: depth + 1 });
    work.push({ node: nodes, from, to: middle, depth: depth + 1 });
    nodes += 2;
  }
  return { bounds: bounds.slice(0, 6 * nodes), links: links.slice(0, 2 * nodes) };
}

/** Some triangles in their order, with the boxes of all. */
interface TriangleRange {
  boxes: Float32Array;
  order: Uint32Array;
  from: number;
  to: number;
}

/** By axis: where the middles of a node's triangles begin (twice that), and how many bins a mm is; 0: all in one place. */
interface Binning {
  bins: number;
  low: Float64Array;
  scale: Float64Array;
}

/** The node's box, and where its triangles' middles begin and how they map to bins; scale 0: all in one place. */
function nodeBounds(
  { boxes, order, from, to }: TriangleRange,
  bounds: Float32Array,
  at: number,
  { bins, low, scale }: Binning,
): void {
  for (let k = 0; k < 3; k++) {
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    let first = Number.POSITIVE_INFINITY;
    let last = Number.NEGATIVE_INFINITY;
    for (let i = from; i < to; i++) {
      const a = boxes[6 * order[i] + k];
      const b = boxes[6 * order[i] + 3 + k];
      if (a < min) min = a;
      if (b > max) max = b;
      if (a + b < first) first = a + b;
      if (a + b > last) last = a + b;
    }
    bounds[at + k] = min;
    bounds[at + 3 + k] = max;
    low[k] = first;
    scale[k] = last > first ? bins / (last - first) : 0;
  }
}

function fillBins(
  { boxes, order, from, to }: TriangleRange,
  { bins, low, scale }: Binning,
  binCount: Uint32Array,
  binBox: Float32Array,
): void {
  binCount.fill(0);
  for (let i = 0; i < 3 * bins; i++) emptyBox(binBox, 6 * i);
  for (let i = from; i < to; i++) {
    const triangle = 6 * order[i];
    for (let k = 0; k < 3; k++) {
      if (scale[k] === 0) continue;
      const bin = k * bins + findBin(boxes[triangle + k] + boxes[triangle + 3 + k], low[k], scale[k], bins);
      binCount[bin]++;
      growBox(binBox, 6 * bin, boxes, triangle);
    }
  }
}

const findBin = (middle2: number, low: number, scale: number, bins: number) =>
  Math.min(bins - 1, Math.floor((middle2 - low) * scale));

/** Triangles of the bins before `cut` first; where the others begin. */
function partition(
  { boxes, order, from, to }: TriangleRange,
  axis: number,
  cut: number,
  { bins, low, scale }: Binning,
): number {
  let left = from;
  let right = to - 1;
  while (left <= right) {
    const triangle = order[left];
    const middle2 = boxes[6 * triangle + axis] + boxes[6 * triangle + 3 + axis];
    if (findBin(middle2, low[axis], scale[axis], bins) < cut) left++;
    else {
      order[left] = order[right];
      order[right--] = triangle;
    }
  }
  return left;
}

function emptyBox(box: Float32Array, at: number): void {
  box[at] = box[at + 1] = box[at + 2] = Number.POSITIVE_INFINITY;
  box[at + 3] = box[at + 4] = box[at + 5] = Number.NEGATIVE_INFINITY;
}

function growBox(box: Float32Array, at: number, other: Float32Array, from: number): void {
  for (let k = 0; k < 3; k++) {
    if (other[from + k] < box[at + k]) box[at + k] = other[from + k];
    if (other[from + 3 + k] > box[at + 3 + k]) box[at + 3 + k] = other[from + 3 + k];
  }
}

/** Half the surface of a box; 0 for an empty one. */
function halfArea(box: Float32Array): number {
  const x = box[3] - box[0];
  const y = box[4] - box[1];
  const z = box[5] - box[2];
  return x >= 0 ? x * y + y * z + z * x : 0;
}
