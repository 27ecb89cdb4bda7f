/** What blur takes from edges whose faces meet at much less than a right angle: blades, tips of stars, rims of lenses, and grooves alike. */
import { add, cross, dot, minus, scale, unit } from '../grid/vectors.ts';
import type { Vector3 } from '../grid/volume.ts';
import { eachBend, lookStep, type SurfaceMesh } from './surface-uncertainty.ts';

export interface AcuteLoss {
  areaMm2: number;
  volumeMm3: number;
}

/** Places on edges that are looked at, and how near to the line of one its rim is, in voxels. */
const [mostSeeds, ofLine] = [400, 2];
/** How far around each, in voxels and in deviations of an edge beside these: faces are flat from there on that blur has bent nearer by. */
const [reachVoxels, reachEdges] = [4, 2.5];
/** Triangles of its surroundings whose normals are compared. */
const mostCompared = 48;
/** What is bent by more than this over a voxel may be an edge that voxels and blur have rounded, where it is bent across alone. */
const [rimBend, mostTurned] = [0.12, 0.5];
/** Faces that open by less are those of a plate; from the other on an edge loses no more than others do. In radians. */
const [leastOpening, mostOpening] = [0.07, 1.3];
/** Cosine of what normals of one face differ by, and of what two such faces differ by at least. */
const [ofOneFace, leastTurn] = [0.95, -0.25];
/** Share of the surroundings that a face takes at least. */
const leastOfFace = 0.15;
/**
 * A blade is cut off where it is 1.36 standard deviations of its blur thick. An edge that ends farther from where its faces meet
 * than so many times that, and a voxel, was never sharp.
 */
const [halfTip, mostTips] = [0.68, 2];

/**
 * What edges would have beyond the surface, were they sharp. Of a wedge that opens by 2 a, blurred by a Gauss function of deviation s, the
 * outline at half of the grey value is by 1.35 s cos(a)^1.5 / tan(a) shorter than the wedge's, and holds by (0.6 + 0.54 sin²(a)) s² / tan(a)
 * less (both to 5 % from 5° to 90°). Of a groove, likewise. O(triangles).
 * @param voxelMm edge of a voxel; edgeMm: deviation of an edge
 */
export function findAcuteLoss(mesh: SurfaceMesh, voxelMm: number, edgeMm: number): AcuteLoss {
  const seen = [...listRims(mesh, rimBend / voxelMm)];
  const step = Math.max(1, Math.ceil(seen.length / mostSeeds));
  const seeds = seen.flatMap(([t], i) => (i % step === 0 ? [t] : []));
  const near = new Near(mesh, seeds, reachVoxels * voxelMm + reachEdges * edgeMm);
  const rims = listRims(mesh, rimBend / voxelMm, near.list());
  const loss: AcuteLoss = { areaMm2: 0, volumeMm3: 0 };
  let seedArea = 0;
  for (const seed of seeds) {
    const signed = rims.get(seed) ?? 0;
    seedArea += Math.abs(signed);
    const around = near.listAround(seed);
    const faces = around.filter((t) => !rims.has(t));
    const wedge = findWedge(mesh, seed, faces, { sign: Math.sign(signed), voxelMm });
    if (!wedge) continue;
    const slope = Math.tan(wedge.opening / 2);
    if (wedge.missing > mostTips * ((halfTip * edgeMm) / slope) + voxelMm) continue;
    // How long the rim around is for its area.
    const middle = findMiddle(mesh, seed);
    let [from, to, ofRim] = [0, 0, 0];
    for (const t of around) {
      const area = rims.get(t);
      if (area === undefined) continue;
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

/** Triangles, of some or of evenly spread ones, that are bent across alone, with their areas: below 0 where the surface is hollow. */
function listRims(mesh: SurfaceMesh, least: number, some?: readonly number[]): Map<number, number> {
  const rims = new Map<number, number>();
  const keepRim = (t: number, bend: number, twice: number, turned: number) => {
    if (Math.abs(bend) > least * twice && turned * twice < mostTurned * bend ** 2)
      rims.set(t, (Math.sign(bend) * twice) / 2);
  };
  eachBend(mesh, lookStep(mesh), keepRim, some);
  return rims;
}

const readCorner = ({ positions, indices }: SurfaceMesh, corner: number): Vector3 => {
  const at = 3 * (indices[corner] ?? 0);
  return [positions[at] ?? 0, positions[at + 1] ?? 0, positions[at + 2] ?? 0];
};
const findMiddle = (mesh: SurfaceMesh, t: number): Vector3 =>
  scale(add(add(readCorner(mesh, t), readCorner(mesh, t + 1)), readCorner(mesh, t + 2)), 1 / 3);
/** Twice its area long. */
const findNormal = (mesh: SurfaceMesh, t: number): Vector3 => {
  const a = readCorner(mesh, t);
  return cross(minus(readCorner(mesh, t + 1), a), minus(readCorner(mesh, t + 2), a));
};

/** Bits of a cell's key that are looked up first. */
const anyBits = 0xfffff;

/** The triangles around some of them, from one pass over all. */
class Near {
  readonly #mesh: SurfaceMesh;
  readonly #reachMm: number;
  readonly #cells = new Map<number, number[]>();

  constructor(mesh: SurfaceMesh, seeds: readonly number[], reachMm: number) {
    this.#mesh = mesh;
    this.#reachMm = reachMm;
    for (const seed of seeds) for (const key of this.#keysAround(seed)) this.#cells.set(key, []);
    if (seeds.length === 0) return;
    // Of most triangles that tells sooner than the map that they are of none of the cells.
    const isAny = new Uint8Array(anyBits + 1);
    const mix = (key: number) => (key ^ (key >>> 10) ^ (key >>> 17)) & anyBits;
    for (const key of this.#cells.keys()) isAny[mix(key)] = 1;
    const { positions, indices } = mesh;
    const findCell = (at: number, axis: number) => Math.floor((positions[at + axis] ?? 0) / reachMm);
    for (let t = 0; t < indices.length; t += 3) {
      const at = 3 * (indices[t] ?? 0);
      const key = this.#findKey(findCell(at, 0), findCell(at, 1), findCell(at, 2));
      if (isAny[mix(key)] === 1) this.#cells.get(key)?.push(t);
    }
  }

  list(): number[] {
    return [...this.#cells.values()].flat();
  }

  listAround(seed: number): number[] {
    const middle = findMiddle(this.#mesh, seed);
    return this.#keysAround(seed).flatMap((key) =>
      (this.#cells.get(key) ?? []).filter((t) => {
        const away = minus(findMiddle(this.#mesh, t), middle);
        return dot(away, away) < this.#reachMm ** 2;
      }),
    );
  }

  /** Cells far apart may share one. */
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

interface Face {
  normal: Vector3;
  middle: Vector3;
}
interface Wedge {
  opening: number;
  alongEdge: Vector3;
  /** from the edge to where its faces meet */
  missing: number;
}

/** The two faces around an edge that turn away from each other the most; null where they are none of a wedge. @param sign below 0 of a groove */
function findWedge(
  mesh: SurfaceMesh,
  seed: number,
  around: readonly number[],
  { sign, voxelMm }: { sign: number; voxelMm: number },
): Wedge | null {
  const faces = around.flatMap((t) => {
    const vector = scale(findNormal(mesh, t), sign);
    const area = Math.hypot(...vector);
    return area > 0 ? [{ t, normal: scale(vector, 1 / area), area }] : [];
  });
  const one = findFace(mesh, faces, () => true);
  const other = one && findFace(mesh, faces, (normal) => dot(normal, one.normal) < leastTurn);
  if (!one || !other) return null;
  const opening = Math.PI - Math.acos(Math.max(-1, Math.min(1, dot(one.normal, other.normal))));
  const apart = minus(other.middle, one.middle);
  const isConvex = dot(apart, one.normal) < 0 && dot(apart, other.normal) > 0;
  if (!isConvex || !(opening > leastOpening && opening < mostOpening)) return null;
  const outward = unit(add(one.normal, other.normal));
  const at = findMiddle(mesh, seed);
  // Along the outward direction to either plane: the same where the place lies midway between them.
  const [toOne, toOther] = [one, other].map(
    ({ middle, normal }) => dot(minus(middle, at), normal) / dot(outward, normal),
  );
  const aside = (Math.abs(toOne - toOther) / 2) * Math.tan(opening / 2);
  if (aside > voxelMm) return null;
  const missing = (toOne + toOther) / 2;
  return { opening, alongEdge: unit(cross(one.normal, other.normal)), missing };
}

/** Of triangles that turn one way, and of these that turn so, the face that most of them belong to; null where that is hardly one. */
function findFace(
  mesh: SurfaceMesh,
  triangles: readonly { t: number; normal: Vector3; area: number }[],
  isAllowed: (normal: Vector3) => boolean,
): Face | null {
  const step = Math.max(1, Math.ceil(triangles.length / mostCompared));
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
  if (!like || best < leastOfFace * all) return null;
  let [vector, middle, weight]: [Vector3, Vector3, number] = [[0, 0, 0], [0, 0, 0], 0];
  for (const { t, normal, area } of triangles) {
    if (dot(normal, like) < ofOneFace) continue;
    vector = add(vector, scale(normal, area));
    middle = add(middle, scale(findMiddle(mesh, t), area));
    weight += area;
  }
  return { normal: unit(vector), middle: scale(middle, 1 / weight) };
}
