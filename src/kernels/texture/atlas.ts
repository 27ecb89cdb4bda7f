import { KernelError } from '../kernel-error.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import { type Charts, growCharts, listMembers, makeRectangle } from './charts.ts';
import { packRectangles } from './pack.ts';

/** A mesh with texture coordinates for every triangle in a square picture. */
export interface Atlas {
  /** vertices along chart borders are duplicated for each chart */
  mesh: TriangleMesh & { normals: Float32Array };
  /** u to the right and v down, 0 to 1 over the picture; 2 · vertices */
  coordinates: Float32Array;
  /** whether an edge of the triangle is a chart border: 1 per triangle */
  atBorder: Uint8Array;
  facts: AtlasFacts;
}

export interface AtlasFacts {
  sizePx: number;
  /** edge length of a texel in the plane of its chart, mm */
  texelMm: number;
  charts: number;
  /** pixels around each chart reserved for it */
  gutterPx: number;
  /** share of the picture covered by triangles */
  usedShare: number;
  /** length on the surface divided by length in its chart, in the worst direction */
  stretch: { mean: number; max: number };
}

/** Wider gutters keep mip levels clean, as long as they are a small share of the picture. */
const gutters = [4, 2, 1];
const gutterShare = 0.15;
/** Smallest width of a chart without gutter, in pixels. */
const minPx = 2;

/**
 * Unwraps a surface into a square picture: charts of bounded stretch, each in its own rectangle with a gutter, all at
 * the same, largest possible scale.
 * @param sizePx edge length of the picture
 * @throws KernelError TOO_LARGE when there are more charts than the picture has room for
 */
export function makeAtlas(
  mesh: TriangleMesh & { normals: Float32Array },
  sizePx: number,
  progress: (fraction: number) => void = () => undefined,
): Atlas {
  const charts = growCharts(mesh, (fraction) => progress(0.75 * fraction));
  progress(0.75);
  const members = listMembers(charts.chartOf, charts.count);
  const rectangles = members.map((own, chart) =>
    makeRectangle(mesh, own, Array.from(charts.axes.subarray(9 * chart, 9 * chart + 9))),
  );
  progress(0.85);
  const gutterPx =
    gutters.find((px) => charts.count * (minPx + 2 * px) ** 2 < gutterShare * sizePx ** 2) ?? gutters[2];
  const countPixels = (lengthMm: number, texelMm: number) =>
    Math.min(0x7fff, Math.ceil(lengthMm / texelMm) + 1) + 2 * gutterPx;
  const tryWith = (texelMm: number) => {
    const widths = Int32Array.from(rectangles, ({ width }) => countPixels(width, texelMm));
    const heights = Int32Array.from(rectangles, ({ height }) => countPixels(height, texelMm));
    return packRectangles(widths, heights, sizePx);
  };
  const wholeMm2 = rectangles.reduce((sum, { width, height }) => sum + width * height, 0);
  let low = Math.sqrt(wholeMm2) / sizePx || 1e-6;
  let high = low;
  let packed = tryWith(high);
  for (let i = 0; !packed && i < 40; i++) {
    low = high;
    high *= 1.5;
    packed = tryWith(high);
  }
  if (!packed) {
    throw new KernelError(
      'TOO_LARGE',
      `The surface falls into ${charts.count} pieces, more than a texture of ${sizePx} × ${sizePx} pixels has room for: choose a larger texture, more smoothing or fewer triangles.`,
    );
  }
  for (let i = 0; i < 8; i++) {
    const texelMm = Math.sqrt(low * high);
    const tighter = tryWith(texelMm);
    if (tighter) {
      packed = tighter;
      high = texelMm;
    } else low = texelMm;
  }
  progress(0.95);
  const texelMm = high;
  const areaMm2 = rectangles.reduce((sum, each) => sum + each.areaMm2, 0);
  const flat = splitVertices(mesh, charts);
  const coordinates = new Float32Array((2 * flat.mesh.positions.length) / 3);
  const { positions } = flat.mesh;
  for (let v = 0; v < flat.chartOfVertex.length; v++) {
    const chart = flat.chartOfVertex[v];
    const { along, across, low: u0, lowAcross: v0 } = rectangles[chart];
    const [x, y, z] = [positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]];
    const u = (along[0] * x + along[1] * y + along[2] * z - u0) / texelMm;
    const w = (across[0] * x + across[1] * y + across[2] * z - v0) / texelMm;
    // Half a pixel: the chart starts at the centre of its first pixel.
    coordinates[2 * v] = (packed.x[chart] + gutterPx + 0.5 + u) / sizePx;
    coordinates[2 * v + 1] = (packed.y[chart] + gutterPx + 0.5 + w) / sizePx;
  }
  return {
    mesh: flat.mesh,
    coordinates,
    atBorder: charts.atBorder,
    facts: {
      sizePx,
      texelMm,
      charts: charts.count,
      gutterPx,
      usedShare: areaMm2 / (texelMm * sizePx) ** 2,
      stretch: charts.stretch,
    },
  };
}

/** Duplicates vertices for each chart that uses them, in the order of the triangles, whose order is kept. */
function splitVertices(mesh: TriangleMesh & { normals: Float32Array }, { chartOf }: Charts) {
  const { positions, normals, indices } = mesh;
  const vertices = positions.length / 3;
  // Copies of each vertex as linked lists: first copy of the vertex, next copy of a copy.
  const firstCopy = new Int32Array(vertices).fill(-1);
  const nextCopy = new Int32Array(indices.length);
  const original = new Uint32Array(indices.length);
  const chartOfCopy = new Uint32Array(indices.length);
  const corners = new Uint32Array(indices.length);
  let count = 0;
  for (let i = 0; i < indices.length; i++) {
    const vertex = indices[i];
    const chart = chartOf[Math.floor(i / 3)];
    let copy = firstCopy[vertex];
    while (copy >= 0 && chartOfCopy[copy] !== chart) copy = nextCopy[copy];
    if (copy < 0) {
      copy = count++;
      original[copy] = vertex;
      chartOfCopy[copy] = chart;
      nextCopy[copy] = firstCopy[vertex];
      firstCopy[vertex] = copy;
    }
    corners[i] = copy;
  }
  const pick = (values: Float32Array, width: number) => {
    const out = new Float32Array(width * count);
    for (let v = 0; v < count; v++) {
      for (let k = 0; k < width; k++) out[width * v + k] = values[width * original[v] + k];
    }
    return out;
  };
  const scalars = Object.entries(mesh.scalars ?? {}).map(([name, values]) => [name, pick(values, 1)]);
  return {
    mesh: {
      positions: pick(positions, 3),
      normals: pick(normals, 3),
      indices: corners,
      ...(scalars.length > 0 ? { scalars: Object.fromEntries(scalars) as Record<string, Float32Array> } : {}),
    },
    chartOfVertex: chartOfCopy.subarray(0, count),
  };
}
