import { findFacing, flattestFirst } from './facing.ts';
import { listNeighbours, noNeighbour } from './neighbours.ts';
import { FlatTriangles } from './overlap.ts';

/** A mesh split into charts that are flat without overlaps, each projected along one direction. */
export interface Charts {
  /** chart number of each triangle */
  chartOf: Uint32Array;
  /** unit vectors u, v (in the chart's plane) and n (viewed along −n) of each chart; 9 per chart */
  axes: Float64Array;
  count: number;
  /** whether an edge of the triangle is a chart border: 1 per triangle */
  atBorder: Uint8Array;
  /** ratio of lengths on the surface to lengths in the chart, in the worst direction; the mean is area-weighted */
  stretch: { mean: number; max: number };
}

type Mesh = { positions: Float32Array; indices: Uint32Array };

/** The neighbourhood must face within 50° of the chart's direction … */
const coneCosine = Math.cos((50 * Math.PI) / 180);
/** … and the triangle itself within 66°: no length shrinks below four tenths. */
export const largestStretch = 2.5;
/** Similarity and largest number of the triangles that determine a chart's direction. */
const flatCosine = Math.cos((12 * Math.PI) / 180);
const deciding = 600;

const unset = 0xffffffff;

/**
 * Splits a surface into charts, from the flattest places outward, while the surface keeps about the same direction, no
 * triangle is stretched by more than `largestStretch`, and none overlaps another of its chart. Every triangle belongs
 * to exactly one chart. Serial and therefore deterministic.
 */
export function growCharts(mesh: Mesh, progress: (fraction: number) => void = () => undefined): Charts {
  const { positions, indices } = mesh;
  const triangles = indices.length / 3;
  const neighbours = listNeighbours(positions.length / 3, indices);
  const facing = findFacing(positions, indices, neighbours);
  const { own, even, areas } = facing;
  const chartOf = new Uint32Array(triangles).fill(unset);
  const flat = new FlatTriangles(positions, indices, cellFor(mesh), chartOf);
  const axesOfCharts: number[] = [];
  const axes = new Float64Array(9);
  const queue = new Uint32Array(triangles);
  const seen = new Uint32Array(triangles).fill(unset);
  let count = 0;
  let done = 0;
  let reported = 0;

  const faces = (t: number, normals: Float32Array, x: number, y: number, z: number) =>
    normals[3 * t] * x + normals[3 * t + 1] * y + normals[3 * t + 2] * z;

  /** Mean normal of the flat region around a triangle. */
  const directionAt = (seed: number): [number, number, number] => {
    const [sx, sy, sz] = [even[3 * seed], even[3 * seed + 1], even[3 * seed + 2]];
    const taken = [seed];
    const known = new Set(taken);
    let [x, y, z] = [0, 0, 0];
    for (let i = 0; i < taken.length && i < deciding; i++) {
      const t = taken[i];
      x += areas[t] * even[3 * t];
      y += areas[t] * even[3 * t + 1];
      z += areas[t] * even[3 * t + 2];
      for (let k = 0; k < 3; k++) {
        const other = neighbours[3 * t + k];
        if (other === noNeighbour || chartOf[other] !== unset || known.has(other)) continue;
        if (faces(other, even, sx, sy, sz) < flatCosine) continue;
        known.add(other);
        taken.push(other);
      }
    }
    const length = Math.hypot(x, y, z);
    return length > 0 ? [x / length, y / length, z / length] : [sx, sy, sz];
  };

  const fits = (t: number): boolean => {
    if (!(areas[t] > 0)) return true;
    if (faces(t, own, axes[6], axes[7], axes[8]) * largestStretch < 1) return false;
    if (faces(t, even, axes[6], axes[7], axes[8]) < coneCosine) return false;
    return flat.addUnlessCovered(t, count, axes);
  };

  for (const seed of flattestFirst(facing, neighbours)) {
    if (chartOf[seed] !== unset) continue;
    setAxes(axes, directionAt(seed));
    let end = 0;
    if (fits(seed)) queue[end++] = seed;
    else {
      // A sliver that is tilted away from its surroundings becomes a chart of its own, viewed perpendicularly.
      setAxes(axes, [own[3 * seed], own[3 * seed + 1], own[3 * seed + 2]]);
      flat.addUnlessCovered(seed, count, axes);
      queue[end++] = seed;
    }
    chartOf[seed] = count;
    for (let at = 0; at < end; at++) {
      for (let k = 0; k < 3; k++) {
        const other = neighbours[3 * queue[at] + k];
        if (other === noNeighbour || chartOf[other] !== unset || seen[other] === count) continue;
        seen[other] = count;
        if (!fits(other)) continue;
        chartOf[other] = count;
        queue[end++] = other;
      }
    }
    axesOfCharts.push(...axes);
    count++;
    done += end;
    if (done - reported > triangles / 50) {
      reported = done;
      progress(done / triangles);
    }
  }
  const cut = cutWide(mesh, { chartOf, axes: axesOfCharts, count, areas, neighbours });
  return {
    chartOf,
    axes: Float64Array.from(axesOfCharts),
    count: cut,
    atBorder: listBorders(chartOf, neighbours),
    stretch: findStretch(own, areas, chartOf, axesOfCharts),
  };
}

/** About an edge length; at least a thousandth of the mesh, because large triangles would otherwise fill the table. */
function cellFor({ positions, indices }: Mesh): number {
  let sum = 0;
  for (let t = 0; t < indices.length; t += 3) {
    const [a, b] = [3 * indices[t], 3 * indices[t + 1]];
    sum += Math.hypot(
      positions[b] - positions[a],
      positions[b + 1] - positions[a + 1],
      positions[b + 2] - positions[a + 2],
    );
  }
  let reach = 0;
  for (let k = 0; k < 3; k++) {
    let [low, high] = [Infinity, -Infinity];
    for (let i = k; i < positions.length; i += 3) {
      low = Math.min(low, positions[i]);
      high = Math.max(high, positions[i]);
    }
    reach = Math.max(reach, high - low);
  }
  return Math.max((1.2 * sum) / Math.max(1, indices.length / 3), reach / 1000, Number.MIN_VALUE);
}

/** Sets u and v for a direction n; arbitrary for n = 0 0 0 (a triangle without area). */
function setAxes(axes: Float64Array, [x, y, z]: readonly [number, number, number]): void {
  const length = Math.hypot(x, y, z);
  const n = length > 0 ? [x / length, y / length, z / length] : [0, 0, 1];
  // The axis that n leans to least; exact zeros stay, so that faces along the grid lie straight in their chart.
  const least =
    Math.abs(n[0]) <= Math.abs(n[1]) && Math.abs(n[0]) <= Math.abs(n[2])
      ? 0
      : Math.abs(n[1]) <= Math.abs(n[2])
        ? 1
        : 2;
  const u = [0, 0, 0];
  for (let k = 0; k < 3; k++) u[k] = (k === least ? 1 : 0) - n[least] * n[k];
  const scale = 1 / Math.hypot(u[0], u[1], u[2]);
  for (let k = 0; k < 3; k++) u[k] *= scale;
  axes.set([...u, n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0], ...n]);
}

interface Grown {
  chartOf: Uint32Array;
  axes: number[];
  count: number;
  areas: Float32Array;
  neighbours: Uint32Array;
}

/** Charts that fill less of their bounding rectangle are cut in two, recursively. */
const minFilled = 0.45;
/** Charts whose rectangle is a smaller share of all rectangles are not cut: the gain would be negligible. */
const worthCutting = 0.002;

/**
 * Cuts charts that leave most of their rectangle empty (rings, frames, spirals) across their longer side, and splits
 * each half into connected pieces. Triangles that did not overlap before don't overlap afterwards.
 * @returns the number of charts
 */
function cutWide(mesh: Mesh, grown: Grown): number {
  const { chartOf, axes, neighbours } = grown;
  const triangles = chartOf.length;
  const members = listMembers(chartOf, grown.count);
  const worthMm2 = worthCutting * grown.areas.reduce((sum, area) => sum + area, 0);
  let count = grown.count;
  const pending = members.map((own, chart) => ({ own, chart }));
  const side = new Uint8Array(triangles);
  // The piece in which a triangle still waits to be assigned to a half; 0 = none.
  const waiting = new Uint32Array(triangles);
  let pieces = 0;
  const take = (t: number): boolean => {
    if (waiting[t] !== pieces) return false;
    waiting[t] = 0;
    return true;
  };
  for (let piece = pending.pop(); piece; piece = pending.pop()) {
    const { own, chart } = piece;
    if (own.length < 8) continue;
    const frame = axes.slice(9 * chart, 9 * chart + 9);
    const rectangle = makeRectangle(mesh, own, frame);
    if (rectangle.width * rectangle.height < worthMm2) continue;
    if (rectangle.areaMm2 >= minFilled * rectangle.width * rectangle.height) continue;
    const middle = rectangle.low + rectangle.width / 2;
    let beyond = 0;
    for (const t of own) {
      side[t] = findPlace(mesh, t, rectangle.along) > middle ? 1 : 0;
      beyond += side[t];
    }
    if (beyond === 0 || beyond === own.length) continue;
    // Connected pieces of either side; the first keeps the chart's number.
    pieces++;
    for (const t of own) waiting[t] = pieces;
    let isFirst = true;
    for (const start of own) {
      if (!take(start)) continue;
      const connected = [start];
      for (let i = 0; i < connected.length; i++) {
        for (let k = 0; k < 3; k++) {
          const other = neighbours[3 * connected[i] + k];
          if (other === noNeighbour || side[other] !== side[start] || !take(other)) continue;
          connected.push(other);
        }
      }
      const number = isFirst ? chart : count++;
      if (!isFirst) {
        axes.push(...frame);
        for (const t of connected) chartOf[t] = number;
      }
      isFirst = false;
      pending.push({ own: Uint32Array.from(connected).sort(), chart: number });
    }
  }
  return count;
}

/** The triangles of each chart, in their order. */
export function listMembers(chartOf: Uint32Array, count: number): Uint32Array[] {
  const sizes = new Uint32Array(count);
  for (const chart of chartOf) sizes[chart]++;
  const members = Array.from(sizes, (size) => new Uint32Array(size));
  const used = new Uint32Array(count);
  for (let t = 0; t < chartOf.length; t++) members[chartOf[t]][used[chartOf[t]]++] = t;
  return members;
}

/** Centroid of a triangle along a direction. */
function findPlace({ positions, indices }: Mesh, t: number, [x, y, z]: number[]): number {
  let sum = 0;
  for (let k = 0; k < 3; k++) {
    const at = 3 * indices[3 * t + k];
    sum += x * positions[at] + y * positions[at + 1] + z * positions[at + 2];
  }
  return sum / 3;
}

const turns = 16;

/**
 * The smallest rectangle around some triangles of a chart, among those rotated by sixteenths of a right angle.
 * @param frame u, v, n of the chart
 * @returns its sides in mm, the longer one first, their directions and origins; the area of the triangles in it
 */
export function makeRectangle(
  { positions, indices }: Mesh,
  triangles: Uint32Array,
  frame: readonly number[],
) {
  let area2 = 0;
  const lowU = new Float64Array(turns).fill(Infinity);
  const highU = new Float64Array(turns).fill(-Infinity);
  const lowV = new Float64Array(turns).fill(Infinity);
  const highV = new Float64Array(turns).fill(-Infinity);
  const cosines = Array.from({ length: turns }, (_, i) => Math.cos((i * Math.PI) / (2 * turns)));
  const sines = Array.from({ length: turns }, (_, i) => Math.sin((i * Math.PI) / (2 * turns)));
  const flat = [0, 0, 0, 0, 0, 0];
  for (const t of triangles) {
    for (let k = 0; k < 3; k++) {
      const at = 3 * indices[3 * t + k];
      const x = positions[at];
      const y = positions[at + 1];
      const z = positions[at + 2];
      const p = frame[0] * x + frame[1] * y + frame[2] * z;
      const q = frame[3] * x + frame[4] * y + frame[5] * z;
      flat[2 * k] = p;
      flat[2 * k + 1] = q;
      for (let i = 0; i < turns; i++) {
        const u = cosines[i] * p + sines[i] * q;
        const v = cosines[i] * q - sines[i] * p;
        if (u < lowU[i]) lowU[i] = u;
        if (u > highU[i]) highU[i] = u;
        if (v < lowV[i]) lowV[i] = v;
        if (v > highV[i]) highV[i] = v;
      }
    }
    area2 += (flat[2] - flat[0]) * (flat[5] - flat[1]) - (flat[4] - flat[0]) * (flat[3] - flat[1]);
  }
  let best = 0;
  const sizeAt = (i: number) => (highU[i] - lowU[i]) * (highV[i] - lowV[i]);
  // A rotation must bring a gain: equally good rectangles stay unrotated.
  for (let i = 1; i < turns; i++) if (sizeAt(i) < 0.999 * sizeAt(best)) best = i;
  const [c, s] = [cosines[best], sines[best]];
  const u = [0, 1, 2].map((k) => c * frame[k] + s * frame[3 + k]);
  const v = [0, 1, 2].map((k) => c * frame[3 + k] - s * frame[k]);
  const [width, height] = [highU[best] - lowU[best], highV[best] - lowV[best]];
  const areaMm2 = area2 / 2;
  return width >= height
    ? { along: u, across: v, low: lowU[best], lowAcross: lowV[best], width, height, areaMm2 }
    : { along: v, across: u, low: lowV[best], lowAcross: lowU[best], width: height, height: width, areaMm2 };
}

function listBorders(chartOf: Uint32Array, neighbours: Uint32Array): Uint8Array {
  const atBorder = new Uint8Array(chartOf.length);
  for (let side = 0; side < neighbours.length; side++) {
    const other = neighbours[side];
    const t = Math.floor(side / 3);
    if (other === noNeighbour || chartOf[other] !== chartOf[t]) atBorder[t] = 1;
  }
  return atBorder;
}

function findStretch(own: Float32Array, areas: Float32Array, chartOf: Uint32Array, axes: number[]) {
  let [sum, weight, max] = [0, 0, 1];
  for (let t = 0; t < chartOf.length; t++) {
    if (!(areas[t] > 0)) continue;
    const n = 9 * chartOf[t] + 6;
    const cosine = own[3 * t] * axes[n] + own[3 * t + 1] * axes[n + 1] + own[3 * t + 2] * axes[n + 2];
    sum += areas[t] / cosine;
    weight += areas[t];
    max = Math.max(max, 1 / cosine);
  }
  return { mean: weight > 0 ? sum / weight : 1, max };
}
