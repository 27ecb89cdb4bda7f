/**
 * A scan and its reference held against each other both ways. From the scan alone, material that is missing has no place to
 * be measured at, and what is left of the part around it says too little of how much.
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
import { findNominalVoids, findVoids, type Voids, voidsOfPoints } from './scan-voids.ts';
import { openVertices } from './shared-corners.ts';

export interface BothWaysInput {
  /** the scan's whole surface, pores and what closes it at the border of its volume included; faces outward */
  scan: TriangleMesh;
  /** of the volume that the scan is; null for a mesh */
  grid: Grid | null;
  /** a mesh with holes: what the reference has there may be missing, or just not have been scanned */
  isOpen: boolean;
  /** the same of the reference: which side of it is inside can't be told everywhere */
  isReferenceOpen: boolean;
  /** faces outward */
  reference: TriangleMesh;
  maxDistanceMm: number;
  /** rounds of makeProbe for the scan's surface */
  facingRounds: number;
  /** the reference is looked at in places no further apart than this, but for the most places */
  spacingMm: number;
  /** deviations that differ by less are the same place's, seen from either side: the scan's resolution */
  sameMm: number;
}

export interface BothWays {
  /** the scan without pores and without what closes it at the border */
  scan: MeshPart;
  /** scan → reference, 1 a vertex of that */
  forward: Deviation;
  /** of what has no counterpart within the search distance, how far it is, where that is known; else NaN */
  farMm: Float32Array;
  /** 1 a vertex of the scan */
  areaMm2: Float32Array;
  /** of a mesh, 0 for each vertex between bodies that touch, where there is nothing to be seen */
  hasSay: Uint8Array | undefined;
  /** voids of the scan that the reference doesn't have */
  pores: number;
  /** reference → scan */
  backward: ReferencePlaces;
}

/** How far some places of both surfaces are off, with the share of the whole that each stands for. */
export interface PoseErrors {
  squaresMm2: Float64Array;
  weights: Float64Array;
}

export interface Comparison {
  /** the reference in triangles small enough, in its own frame: each of its vertices is a place that is looked at */
  places: RefinedMesh;
  placesAreaMm2: Float32Array;
  measure(pose: readonly number[]): Promise<BothWays>;
  squaredErrors(pose: readonly number[]): Promise<PoseErrors>;
  /** Whether a pose takes the reference to where it is already, as far as can be told. */
  isSymmetry(pose: readonly number[], toMm: number): Promise<boolean>;
  close(): Promise<void>;
}

/** Places that the reference is looked at in, about; up to four times as many where its triangles are halved to fit. */
const mostPlaces = 80_000;
/** Of the way between places: bodies that are no further apart touch. */
const gapShare = 0.25;
/** Places of each surface by which poses are told from one another. */
const somePlaces = 20_000;
/** Of the side of a square as large as the reference's surface. */
const farShare = 0.05;
/** Vertices of the scan without a counterpart: how far more than these are is not measured, which takes seconds. */
const mostFar = 100_000;

export const nothingInView = () =>
  new KernelError(
    'NO_SURFACE',
    'All of the part’s surface lies at the border of the scan: nothing of it can be compared.',
  );

/**
 * Makes both surfaces ready for as many poses as there are to look at.
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
    return { part, probe: probeOfPart(part, whole), tree: await openTree(part.mesh) };
  };
  const outer = await open((number) => number < 0);
  const inner = voids && (await open((number) => number >= 0));
  const area = makeProbe(reference).areaMm2.reduce((sum, each) => sum + each, 0);
  const spacingMm = Math.max(input.spacingMm, Math.sqrt(area / mostPlaces));
  const refined = refineMesh(reference, spacingMm, 16 * mostPlaces);
  const places = makeProbe(refined.mesh);
  const tree = await openTree(refined.mesh);
  const hidden = hiddenPlaces(reference, tree, refined, places, gapShare * spacingMm, openTree);

  /** 1 for each void that the reference has, too, as the scan lies now */
  async function nominalVoids(found: Voids, surface: Surface, toOuter: Deviation, back: readonly number[]) {
    const toVoids = await measureDeviation(places, surface.tree, { pose: back, maxDistanceMm });
    const numbers = voidsOfPoints(found, toVoids.closestTriangles, surface.part);
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
    const { farMm, hasSay } = await resolveScan(
      surface,
      { ...input, tree, openTree, spacingMm },
      forward,
      onScan,
      pose,
    );
    const backward = await resolvePlaces(surface, toScan, onReference, back);
    if (surface !== outer) await surface.tree.close();
    const areaMm2 = hasSay ? probe.areaMm2.map((each, v) => each * hasSay[v]) : probe.areaMm2;
    return { scan: part, forward, farMm, areaMm2, hasSay, pores, backward };
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
      // Behind a hole in the scan there is nothing that could be measured.
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
  // As far off as any place of a small part can be.
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

/** What the scan is held against, and what makes trees of its bodies. */
type ScanContext = BothWaysInput & { tree: SurfaceTree; openTree: OpenTree };

/** Gives the scan's surface without an answer its distance from the reference; what is beyond reach comes back. */
async function resolveScan(
  { part, probe, tree: ownTree }: Surface,
  { tree, openTree, spacingMm, grid, maxDistanceMm, isReferenceOpen }: ScanContext,
  { deviationMm, closestTriangles }: Deviation,
  answerMm: Float32Array,
  pose: readonly number[],
): Promise<Pick<BothWays, 'farMm' | 'hasSay'>> {
  const farMm = new Float32Array(deviationMm.length).fill(Number.NaN);
  let open = listIndices(answerMm, (v) => Number.isNaN(answerMm[v]));
  let hasSay: Uint8Array | undefined;
  if (grid === null && open.length > 0) {
    // A scan has no surface within its material, but a mesh may.
    const pieceOf = Uint32Array.from({ length: part.mesh.indices.length / 3 }, (_, t) => t);
    const gapMm = gapShare * spacingMm;
    const own = hiddenPlaces(part.mesh, ownTree, { mesh: part.mesh, pieceOf }, probe, gapMm, openTree);
    const isHidden = await own.find(open);
    hasSay = new Uint8Array(deviationMm.length).fill(1);
    for (let i = 0; i < open.length; i++) hasSay[open[i]] = 1 - isHidden[i];
    for (const v of open) if (hasSay[v] === 0) deviationMm[v] = Number.NaN;
    open = open.filter((v) => hasSay?.[v] === 1);
  }
  // Of what nothing faces within reach, and of what stands out of a place that doesn't say so.
  open = open.filter((v) => !(deviationMm[v] <= 0));
  if (isReferenceOpen || open.length > mostFar) return { farMm, hasSay };
  const far = await measureFar(probe, open, tree, ownTree, pose);
  open.forEach((v, i) => {
    const value = far.distanceMm[i];
    if (!Number.isNaN(deviationMm[v]) && value <= 0) return;
    const isNear = Math.abs(value) <= maxDistanceMm;
    deviationMm[v] = isNear ? value : Number.NaN;
    closestTriangles[v] = isNear ? far.triangles[i] : noTriangle;
    farMm[v] = isNear ? Number.NaN : value;
  });
  return { farMm, hasSay };
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

/** With the directions that it has as a part of the whole. */
function probeOfPart({ mesh, vertices }: MeshPart, whole: Probe): Probe {
  const directions = new Float32Array(3 * vertices.length);
  for (let v = 0; v < vertices.length; v++) {
    for (let k = 0; k < 3; k++) directions[3 * v + k] = whole.directions[3 * vertices[v] + k];
  }
  return { ...makeProbe(mesh), directions };
}

/** Every so many of a surface's vertices, and the share of the area of both surfaces that each stands for. */
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
