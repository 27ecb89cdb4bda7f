/** Area and volume that blur removes at acute edges (blades, star tips, lens rims) and likewise at acute grooves. */
import { add, cross, dot, minus, scale, unit } from '../grid/vectors.ts';
import type { Vector3 } from '../grid/volume.ts';
import { eachBend, lookStep, type SurfaceMesh } from './surface-uncertainty.ts';

export interface AcuteLoss {
  areaMm2: number;
  volumeMm3: number;
}

/**
 * Number of edge triangles sampled at most, and the distance within which a triangle counts to the same edge line, in
 * voxels.
 */
const [maxSeeds, ofLine] = [400, 2];
/**
 * Radius searched around each sample: voxels plus multiples of the edge's standard deviation. Beyond it blur no longer
 * bends the faces.
 */
const [reachVoxels, reachEdges] = [4, 2.5];
/** Triangles per neighbourhood whose normals are compared. */
const maxCompared = 48;
/**
 * Curvature per voxel above which a triangle may belong to an edge rounded by voxels and blur, provided that it is
 * curved in one direction only.
 */
const [rimBend, maxTurned] = [0.12, 0.5];
/**
 * Opening angles in radians: below the first, the two faces are those of a plate; above the second, an edge loses no
 * more than ordinary edges do.
 */
const [minOpening, maxOpening] = [0.07, 1.3];
/**
 * Cosines: normals of one face differ by less than the first; the two faces of a wedge differ by more than the second.
 */
const [ofOneFace, minTurn] = [0.95, -0.25];
/** Smallest share of the neighbourhood's area that a face covers. */
const minFaceShare = 0.15;
/**
 * Blur cuts a blade off where it is 1.36 standard deviations thick. An edge that ends further from the intersection of
 * its faces than this multiple of that distance plus one voxel was never sharp.
 */
const [halfTip, maxTips] = [0.68, 2];

/**
 * Area and volume that the edges would have beyond the surface if they were sharp. A wedge with opening angle 2 a,
 * blurred by a Gaussian of standard deviation s: its contour at half maximum is 1.35 s cos(a)^1.5 / tan(a) shorter than
 * the wedge, and encloses (0.6 + 0.54 sin²(a)) s² / tan(a) less (both within 5 % from 5° to 90°). The same holds for
 * grooves. O(triangles).
 * @param voxelMm edge length of a voxel
 * @param edgeMm standard deviation of an edge
 */
export function findAcuteLoss(mesh: SurfaceMesh, voxelMm: number, edgeMm: number): AcuteLoss {
  const seen: [t: number, area: number][] = [];
  eachRim(mesh, rimBend / voxelMm, null, (t, area) => seen.push([t, area]));
  const step = Math.max(1, Math.ceil(seen.length / maxSeeds));
  const seeds = seen.filter((_, i) => i % step === 0);
  const near = new Near(
    mesh,
    seeds.map(([t]) => t),
    reachVoxels * voxelMm + reachEdges * edgeMm,
  );
  /** of each triangle; 0 = not curved like an edge */
  const rims = new Float32Array(mesh.indices.length / 3);
  eachRim(mesh, rimBend / voxelMm, near.triangles, (t, area) => {
    rims[t / 3] = area;
  });
  const loss: AcuteLoss = { areaMm2: 0, volumeMm3: 0 };
  let seedArea = 0;
  for (const [seed, signed] of seeds) {
    seedArea += Math.abs(signed);
    const around = near.listAround(seed);
    const faces = around.filter((t) => rims[t / 3] === 0);
    const wedge = findWedge(mesh, seed, faces, { sign: Math.sign(signed), voxelMm });
    if (!wedge) continue;
    const slope = Math.tan(wedge.opening / 2);
    if (wedge.missing > maxTips * ((halfTip * edgeMm) / slope) + voxelMm) continue;
    // Length of edge per area of rim around the sample.
    const middle = findMiddle(mesh, seed);
    let [from, to, ofRim] = [0, 0, 0];
    for (const t of around) {
      const area = rims[t / 3] ?? 0;
      if (area === 0) continue;
      const away = minus(findMiddle(mesh, t), middle);
      const place = dot(away, wedge.alongEdge);
      if (Math.sqrt(Math.max(0, dot(away, away) - place ** 2)) > ofLine * voxelMm) continue;
      from = Math.min(from, place);
      to = Math.max(to, place);
      ofRim += Math.abs(area);
    }
    const length = (Math.abs(signed) * (to - from)) / ofRim;
    loss.areaMm2 += (length * 1.35 * edgeMm * Math.cos(wedge.opening / 2) ** 1.5) / slope;
    loss.volumeMm3 += (length * (0.6 + 0.54 * Math.sin(wedge.opening / 2) ** 2) * edgeMm ** 2) / slope;
  }
  const rimArea = seen.reduce((sum, [, area]) => sum + Math.abs(area), 0) * (lookStep(mesh) / 3);
  const ofAll = seedArea > 0 ? rimArea / seedArea : 0;
  return { areaMm2: loss.areaMm2 * ofAll, volumeMm3: loss.volumeMm3 * ofAll };
}

/**
 * Visits the triangles curved in one direction only, with their areas (negative where concave); out of `some`, or of
 * evenly spaced triangles.
 */
function eachRim(
  mesh: SurfaceMesh,
  least: number,
  some: Uint32Array | null,
  work: (t: number, areaMm2: number) => void,
): void {
  const visit = (t: number, bend: number, twice: number, turned: number) => {
    if (Math.abs(bend) > least * twice && turned * twice < maxTurned * bend ** 2)
      work(t, (Math.sign(bend) * twice) / 2);
  };
  eachBend(mesh, lookStep(mesh), visit, some);
}

const readCorner = ({ positions, indices }: SurfaceMesh, corner: number): Vector3 => {
  const at = 3 * (indices[corner] ?? 0);
  return [positions[at] ?? 0, positions[at + 1] ?? 0, positions[at + 2] ?? 0];
};
const findMiddle = (mesh: SurfaceMesh, t: number): Vector3 =>
  scale(add(add(readCorner(mesh, t), readCorner(mesh, t + 1)), readCorner(mesh, t + 2)), 1 / 3);
/** Not normalized: its length is twice the area. */
const findNormal = (mesh: SurfaceMesh, t: number): Vector3 => {
  const a = readCorner(mesh, t);
  return cross(minus(readCorner(mesh, t + 1), a), minus(readCorner(mesh, t + 2), a));
};

/** Bits of a cell key used by the first lookup. */
const anyBits = 0xfffff;

/** Finds the triangles around the seeds in one pass over all triangles. */
class Near {
  /** their first corners, cell by cell */
  readonly triangles: Uint32Array;
  readonly #mesh: SurfaceMesh;
  readonly #reachMm: number;
  /** number of the cell with each key */
  readonly #cells = new Map<number, number>();
  /** where the triangles of each cell begin, and where the last ones end */
  readonly #begins: Uint32Array;
  readonly #middles: Float32Array;

  constructor(mesh: SurfaceMesh, seeds: readonly number[], reachMm: number) {
    this.#mesh = mesh;
    this.#reachMm = reachMm;
    for (const seed of seeds)
      for (const key of this.#keysAround(seed))
        if (!this.#cells.has(key)) this.#cells.set(key, this.#cells.size);
    // Most triangles lie in none of the cells; this bitmap rejects them faster than the map.
    const isAny = new Uint8Array(anyBits + 1);
    const mix = (key: number) => (key ^ (key >>> 10) ^ (key >>> 17)) & anyBits;
    for (const key of this.#cells.keys()) isAny[mix(key)] = 1;
    const { positions, indices } = mesh;
    const findCell = (at: number, axis: number) => Math.floor((positions[at + axis] ?? 0) / reachMm);
    const [found, cells]: [number[], number[]] = [[], []];
    for (let t = 0; t < indices.length && seeds.length > 0; t += 3) {
      const at = 3 * (indices[t] ?? 0);
      const key = this.#findKey(findCell(at, 0), findCell(at, 1), findCell(at, 2));
      const cell = isAny[mix(key)] === 1 ? this.#cells.get(key) : undefined;
      if (cell === undefined) continue;
      found.push(t);
      cells.push(cell);
    }
    this.#begins = new Uint32Array(this.#cells.size + 1);
    for (const cell of cells) this.#begins[cell + 1]++;
    for (let cell = 0; cell < this.#cells.size; cell++) this.#begins[cell + 1] += this.#begins[cell];
    const next = this.#begins.slice();
    this.triangles = new Uint32Array(found.length);
    found.forEach((t, i) => {
      this.triangles[next[cells[i]]++] = t;
    });
    this.#middles = new Float32Array(3 * found.length);
    this.triangles.forEach((t, i) => {
      this.#middles.set(findMiddle(mesh, t), 3 * i);
    });
  }

  /** Those whose middles are within reach of a triangle's. */
  listAround(seed: number): number[] {
    const [x, y, z] = findMiddle(this.#mesh, seed);
    const around: number[] = [];
    for (const key of this.#keysAround(seed)) {
      const cell = this.#cells.get(key) ?? 0;
      for (let i = this.#begins[cell]; i < this.#begins[cell + 1]; i++) {
        const dx = this.#middles[3 * i] - x;
        const dy = this.#middles[3 * i + 1] - y;
        const dz = this.#middles[3 * i + 2] - z;
        if (dx * dx + dy * dy + dz * dz < this.#reachMm ** 2) around.push(this.triangles[i]);
      }
    }
    return around;
  }

  /** Distant cells may share a key. */
  #findKey(x: number, y: number, z: number): number {
    return ((x & 0x3ff) << 20) | ((y & 0x3ff) << 10) | (z & 0x3ff);
  }

  #keysAround(seed: number): number[] {
    const [x, y, z] = findMiddle(this.#mesh, seed).map((mm) => Math.floor(mm / this.#reachMm)) as [
      number,
      number,
      number,
    ];
    return Array.from({ length: 27 }, (_, i) =>
      this.#findKey(x + (i % 3) - 1, y + (Math.floor(i / 3) % 3) - 1, z + Math.floor(i / 9) - 1),
    );
  }
}

interface DirectedTriangle {
  t: number;
  normal: Vector3;
  /** twice its area */
  area: number;
}
interface Face {
  normal: Vector3;
  middle: Vector3;
}
interface Wedge {
  opening: number;
  alongEdge: Vector3;
  /** distance from the edge to the intersection of its faces */
  missing: number;
}

/**
 * The two faces around an edge that differ most in direction; null when they do not form a wedge.
 * @param sign negative for a groove
 */
function findWedge(
  mesh: SurfaceMesh,
  seed: number,
  around: readonly number[],
  { sign, voxelMm }: { sign: number; voxelMm: number },
): Wedge | null {
  const faces: DirectedTriangle[] = [];
  for (const t of around) {
    const [x, y, z] = findNormal(mesh, t);
    const area = Math.sqrt(x * x + y * y + z * z);
    const k = sign / area;
    if (area > 0) faces.push({ t, normal: [x * k, y * k, z * k], area });
  }
  const one = findFace(mesh, faces, () => true);
  const other = one && findFace(mesh, faces, (normal) => dot(normal, one.normal) < minTurn);
  if (!one || !other) return null;
  const opening = Math.PI - Math.acos(Math.max(-1, Math.min(1, dot(one.normal, other.normal))));
  const apart = minus(other.middle, one.middle);
  const isConvex = dot(apart, one.normal) < 0 && dot(apart, other.normal) > 0;
  if (!isConvex || !(opening > minOpening && opening < maxOpening)) return null;
  const outward = unit(add(one.normal, other.normal));
  const at = findMiddle(mesh, seed);
  // Distance to either plane along the outward direction; the two are equal when the place lies midway between the
  // planes.
  const [toOne, toOther] = [one, other].map(
    ({ middle, normal }) => dot(minus(middle, at), normal) / dot(outward, normal),
  );
  const aside = (Math.abs(toOne - toOther) / 2) * Math.tan(opening / 2);
  if (aside > voxelMm) return null;
  const missing = (toOne + toOther) / 2;
  return { opening, alongEdge: unit(cross(one.normal, other.normal)), missing };
}

/**
 * The largest group of triangles with one direction, out of those that `isAllowed` accepts; null when it covers too
 * little area.
 */
function findFace(
  mesh: SurfaceMesh,
  triangles: readonly DirectedTriangle[],
  isAllowed: (normal: Vector3) => boolean,
): Face | null {
  const step = Math.max(1, Math.ceil(triangles.length / maxCompared));
  let [best, like, all]: [number, Vector3 | null, number] = [0, null, 0];
  for (let i = 0; i < triangles.length; i += step) {
    const { normal, area } = triangles[i];
    all += area;
    if (!isAllowed(normal)) continue;
    let support = 0;
    for (let j = 0; j < triangles.length; j += step)
      if (dot(normal, triangles[j].normal) > ofOneFace) support += triangles[j].area;
    if (support > best) [best, like] = [support, normal];
  }
  if (!like || best < minFaceShare * all) return null;
  let [vector, middle, weight]: [Vector3, Vector3, number] = [[0, 0, 0], [0, 0, 0], 0];
  for (const { t, normal, area } of triangles) {
    if (dot(normal, like) < ofOneFace) continue;
    vector = add(vector, scale(normal, area));
    middle = add(middle, scale(findMiddle(mesh, t), area));
    weight += area;
  }
  return { normal: unit(vector), middle: scale(middle, 1 / weight) };
}
