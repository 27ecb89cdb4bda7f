/**
 * Compares a scan and its reference in both directions. From the scan alone, missing material has no place to be
 * measured at, and the remaining surface around it does not show how much is missing.
 */
import { invertPose, movedPoints } from '../alignment/pose.ts';
import type { Grid } from '../grid/volume.ts';
import { KernelError } from '../kernel-error.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import type { OpenTree, SurfaceTree } from '../spatial/surface-tree.ts';
import { noTriangle } from '../spatial/surface-tree.ts';
import { findAnswers, measureFar } from './answers.ts';
import { type Deviation, measureDeviation } from './compare-meshes.ts';
import { hiddenPlaces } from './hidden-places.ts';
import { type MeshPart, pickTriangles } from './pick-triangles.ts';
import { makeProbe, type Probe } from './probe.ts';
import { placeStates, type ReferencePlaces } from './reference-places.ts';
import { type RefinedMesh, refineMesh } from './refine-mesh.ts';
import { pointsInView, verticesInView } from './scan-border.ts';
import { findNominalVoids, findPointVoids, findVoids, type Voids } from './scan-voids.ts';
import { openVertices } from './shared-corners.ts';

export interface BothWaysInput {
  /**
   * the scan's whole surface, including pores and the faces that close it at the border of its volume; faces outward
   */
  scan: TriangleMesh;
  /** grid of the scanned volume; null for a mesh */
  grid: Grid | null;
  /** a mesh with holes: parts of the reference there may be missing or just not scanned */
  isOpen: boolean;
  /** the reference has holes, so its inside cannot be determined everywhere */
  isReferenceOpen: boolean;
  /** faces outward */
  reference: TriangleMesh;
  maxDistanceMm: number;
  /** smoothing rounds of makeProbe for the scan's surface */
  facingRounds: number;
  /** largest distance between places on the reference, except as limited by the largest number of places */
  spacingMm: number;
  /** deviations that differ by less are the same place seen from either side: the scan's resolution */
  sameMm: number;
}

export interface BothWays {
  /** the scan without pores and without the faces that close it at the border */
  scan: MeshPart;
  /** scan → reference, one value per vertex of the scan */
  forward: Deviation;
  /** distance of places without a counterpart within the search distance, when known; otherwise NaN */
  farMm: Float32Array;
  /** one value per vertex of the scan */
  areaMm2: Float32Array;
  /** for a mesh: 0 for each vertex between touching bodies, where nothing is visible */
  isCounted: Uint8Array | undefined;
  /** number of voids in the scan that the reference does not have */
  pores: number;
  /** reference → scan */
  backward: ReferencePlaces;
}

/** Squared deviations at sampled places of both surfaces, and the share of the whole that each represents. */
export interface PoseErrors {
  squaresMm2: Float64Array;
  weights: Float64Array;
}

export interface Comparison {
  /** the reference in small triangles, in its own frame; each vertex is a place to measure */
  places: RefinedMesh;
  placesAreaMm2: Float32Array;
  measure(pose: readonly number[]): Promise<BothWays>;
  squaredErrors(pose: readonly number[]): Promise<PoseErrors>;
  /** Whether a pose maps the reference onto itself, within `toMm`. */
  isSymmetry(pose: readonly number[], toMm: number): Promise<boolean>;
  close(): Promise<void>;
}

/** Approximate number of places on the reference; up to four times as many when its triangles are halved to fit. */
const maxPlaces = 80_000;
/** Bodies closer together than this share of the distance between places count as touching. */
const gapShare = 0.25;
/** Places per surface used to compare poses. */
const somePlaces = 20_000;
/** As a share of the side of a square with the reference's area. */
const farShare = 0.05;
/** With more scan vertices without a counterpart, their distances are not measured, since that would take seconds. */
const maxFarPlaces = 100_000;

export const nothingInView = () =>
  new KernelError(
    'NO_SURFACE',
    'All of the part’s surface lies at the border of the scan: nothing of it can be compared.',
  );

/**
 * Prepares both surfaces for measuring in any number of poses.
 * @throws KernelError NO_SURFACE
 */
export async function openComparison(input: BothWaysInput, openTree: OpenTree): Promise<Comparison> {
  const { scan, grid, reference, maxDistanceMm } = input;
  const whole = makeProbe(scan, input.facingRounds);
  const voids = findVoids(scan, whole.areaMm2);
  const inView = grid ? verticesInView(scan.positions, grid) : undefined;
  const open = async (isKept: (voidNumber: number) => boolean): Promise<Surface> => {
    const isPart = (v: number) => inView?.[v] !== 0 && isKept(voids?.ofVertex[v] ?? -1);
    const part = pickTriangles(scan, (a, b, c) => isPart(a) && isPart(b) && isPart(c));
    if (part.vertices.length === 0) throw nothingInView();
    return { part, probe: cutProbe(part, whole), tree: await openTree(part.mesh) };
  };
  const outer = await open((number) => number < 0);
  const inner = voids && (await open((number) => number >= 0));
  const area = makeProbe(reference).areaMm2.reduce((sum, each) => sum + each, 0);
  const spacingMm = Math.max(input.spacingMm, Math.sqrt(area / maxPlaces));
  const refined = refineMesh(reference, spacingMm, 16 * maxPlaces);
  const places = makeProbe(refined.mesh);
  const tree = await openTree(refined.mesh);
  const hidden = hiddenPlaces(reference, tree, refined, places, gapShare * spacingMm, openTree);

  /** 1 for each void that the reference also has, with the scan in its current pose */
  async function nominalVoids(found: Voids, surface: Surface, toOuter: Deviation, back: readonly number[]) {
    const toVoids = await measureDeviation(places, surface.tree, { pose: back, maxDistanceMm });
    const numbers = findPointVoids(found, toVoids.closestTriangles, surface.part);
    return findNominalVoids(found, toOuter.deviationMm, toVoids.deviationMm, numbers, places.areaMm2);
  }

  async function measure(pose: readonly number[]): Promise<BothWays> {
    const back = invertPose(pose);
    let surface = outer;
    let toScan = await measureDeviation(places, outer.tree, { pose: back, maxDistanceMm });
    const nominal = voids && inner && (await nominalVoids(voids, inner, toScan, back));
    const pores = nominal?.reduce((count, isNominal) => count + 1 - isNominal, 0) ?? 0;
    if (nominal?.includes(1)) {
      surface = await open((number) => number < 0 || nominal[number] === 1);
      toScan = await measureDeviation(places, surface.tree, { pose: back, maxDistanceMm });
    }
    const { part, probe } = surface;
    const forward = await measureDeviation(probe, tree, { pose, maxDistanceMm });
    // Where a place lies outside of the scan, the scan has less material than it should.
    toScan.deviationMm = toScan.deviationMm.map((value) => -value);
    const sides = { forward, toScan, scan: part.mesh.indices, reference: refined.mesh.indices };
    const onScan = findAnswers(forward, { indices: sides.reference, ...toScan }, input.sameMm);
    const onReference = findAnswers(toScan, { indices: sides.scan, ...forward }, input.sameMm);
    const { farMm, isCounted } = await resolveScan(
      surface,
      { ...input, tree, openTree, spacingMm },
      forward,
      onScan,
      pose,
    );
    const backward = await resolvePlaces(surface, toScan, onReference, back);
    if (surface !== outer) await surface.tree.close();
    const areaMm2 = isCounted ? probe.areaMm2.map((each, v) => each * isCounted[v]) : probe.areaMm2;
    return { scan: part, forward, farMm, areaMm2, isCounted, pores, backward };
  }

  async function resolvePlaces(
    { part, tree: scanTree }: Surface,
    { deviationMm, closestTriangles }: Deviation,
    answerMm: Float32Array,
    back: readonly number[],
  ): Promise<ReferencePlaces> {
    const { answered, unanswered, notFound, notScanned } = placeStates;
    const farMm = new Float32Array(deviationMm.length).fill(Number.NaN);
    const isShown = grid && inView && pointsInView(movedPoints(back, places.positions), grid);
    const states = Uint8Array.from(answerMm, (answer, p) =>
      isShown?.[p] === 0 ? notScanned : Number.isNaN(answer) ? unanswered : answered,
    );
    const hiddenOf = listIndices(states, (p) => states[p] === unanswered);
    const isHidden = await hidden.find(hiddenOf);
    hiddenOf.forEach((p, i) => {
      if (isHidden[i]) states[p] = placeStates.hidden;
    });
    const open = listIndices(states, (p) => states[p] === unanswered);
    if (input.isOpen) {
      // Behind a hole in the scan nothing can be measured.
      const isAtHole = openVertices(part.mesh);
      for (const p of open) {
        const triangle = closestTriangles[p];
        const corners =
          triangle === noTriangle ? [] : part.mesh.indices.subarray(3 * triangle, 3 * triangle + 3);
        if (corners.length === 0 || corners.some((v) => isAtHole[v] === 1)) states[p] = notFound;
      }
    } else {
      const far = await measureFar(places, open, scanTree, tree, back);
      open.forEach((p, i) => {
        const value = -far.distanceMm[i];
        closestTriangles[p] = far.triangles[i];
        if (Math.abs(value) <= maxDistanceMm) deviationMm[p] = value;
        else {
          states[p] = notFound;
          farMm[p] = value;
        }
      });
    }
    for (let p = 0; p < states.length; p++) {
      if (states[p] > unanswered) deviationMm[p] = answerMm[p] = Number.NaN;
      else if (states[p] === unanswered) answerMm[p] = deviationMm[p];
    }
    return { deviationMm, answerMm, farMm, states, closestTriangles };
  }

  const some = { scan: pickSome(outer.probe), reference: pickSome(places) };
  // Largest deviation that counts; for a small part it is below the search distance.
  const reachMm = Math.min(maxDistanceMm, farShare * Math.sqrt(area));

  async function squaredErrors(pose: readonly number[]): Promise<PoseErrors> {
    const off = [
      await measureDeviation(some.scan, tree, { pose, maxDistanceMm: reachMm }),
      await measureDeviation(some.reference, outer.tree, { pose: invertPose(pose), maxDistanceMm: reachMm }),
    ];
    return weighErrors(off, [...some.scan.weights, ...some.reference.weights], reachMm);
  }

  async function isSymmetry(pose: readonly number[], toMm: number): Promise<boolean> {
    const { deviationMm } = await measureDeviation(some.reference, tree, { pose, maxDistanceMm: toMm });
    return !deviationMm.some(Number.isNaN);
  }

  return {
    places: refined,
    placesAreaMm2: places.areaMm2,
    measure,
    squaredErrors,
    isSymmetry,
    async close() {
      await Promise.all([outer.tree, tree, inner?.tree].map((each) => each?.close()));
    },
  };
}

/** The reference that the scan is compared with, and the function that builds trees of its bodies. */
type ScanContext = BothWaysInput & { tree: SurfaceTree; openTree: OpenTree };

/** Gives scan places without an answer their distance from the reference; returns those beyond the search distance. */
async function resolveScan(
  { part, probe, tree: ownTree }: Surface,
  { tree, openTree, spacingMm, grid, maxDistanceMm, isReferenceOpen }: ScanContext,
  { deviationMm, closestTriangles }: Deviation,
  answerMm: Float32Array,
  pose: readonly number[],
): Promise<Pick<BothWays, 'farMm' | 'isCounted'>> {
  const farMm = new Float32Array(deviationMm.length).fill(Number.NaN);
  let open = listIndices(answerMm, (v) => Number.isNaN(answerMm[v]));
  let isCounted: Uint8Array | undefined;
  if (grid === null && open.length > 0) {
    // The surface of a scanned volume never lies within its material, but that of a mesh may.
    const pieceOf = Uint32Array.from({ length: part.mesh.indices.length / 3 }, (_, t) => t);
    const gapMm = gapShare * spacingMm;
    const own = hiddenPlaces(part.mesh, ownTree, { mesh: part.mesh, pieceOf }, probe, gapMm, openTree);
    const isHidden = await own.find(open);
    isCounted = new Uint8Array(deviationMm.length).fill(1);
    for (let i = 0; i < open.length; i++) isCounted[open[i]] = 1 - isHidden[i];
    for (const v of open) if (isCounted[v] === 0) deviationMm[v] = Number.NaN;
    open = open.filter((v) => isCounted?.[v] === 1);
  }
  // Only places that nothing faces within reach, and places that stand out from a place which does not confirm it.
  open = open.filter((v) => !(deviationMm[v] <= 0));
  if (isReferenceOpen || open.length > maxFarPlaces) return { farMm, isCounted };
  const far = await measureFar(probe, open, tree, ownTree, pose);
  open.forEach((v, i) => {
    const value = far.distanceMm[i];
    if (!Number.isNaN(deviationMm[v]) && value <= 0) return;
    const isNear = Math.abs(value) <= maxDistanceMm;
    deviationMm[v] = isNear ? value : Number.NaN;
    closestTriangles[v] = isNear ? far.triangles[i] : noTriangle;
    farMm[v] = isNear ? Number.NaN : value;
  });
  return { farMm, isCounted };
}

function weighErrors(off: readonly Deviation[], weights: readonly number[], reachMm: number): PoseErrors {
  const squared = (value: number) => (Number.isNaN(value) ? reachMm : value) ** 2;
  return {
    squaresMm2: Float64Array.from(off.flatMap(({ deviationMm }) => Array.from(deviationMm, squared))),
    weights: Float64Array.from(weights),
  };
}

interface Surface {
  part: MeshPart;
  probe: Probe;
  tree: SurfaceTree;
}

/** Keeps the directions that the vertices have on the whole surface. */
function cutProbe({ mesh, vertices }: MeshPart, whole: Probe): Probe {
  const directions = new Float32Array(3 * vertices.length);
  for (let v = 0; v < vertices.length; v++) {
    for (let k = 0; k < 3; k++) directions[3 * v + k] = whole.directions[3 * vertices[v] + k];
  }
  return { ...makeProbe(mesh), directions };
}

/** Evenly spaced vertices of a surface, and the share of both surfaces' area that each represents. */
function pickSome({ positions, directions, areaMm2 }: Probe) {
  const step = Math.max(1, Math.floor(areaMm2.length / somePlaces));
  const places = listIndices(areaMm2, (v) => v % step === 0 && areaMm2[v] > 0);
  const pick = (values: Float32Array) =>
    Float32Array.from(
      { length: 3 * places.length },
      (_, i) => values[3 * places[Math.floor(i / 3)] + (i % 3)],
    );
  const area = places.reduce((sum, v) => sum + areaMm2[v], 0);
  return {
    positions: pick(positions),
    directions: pick(directions),
    weights: places.map((v) => areaMm2[v] / (2 * area)),
  };
}

function listIndices(values: { length: number }, isMeant: (index: number) => boolean): number[] {
  const found: number[] = [];
  for (let i = 0; i < values.length; i++) if (isMeant(i)) found.push(i);
  return found;
}
