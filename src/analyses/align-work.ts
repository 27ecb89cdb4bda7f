/**
 * Aligns a scan's surface with its reference. Runs on a thread; distances are computed by a pool that the caller
 * provides.
 */
import { type Alignment, alignPoints, type FirstGuess } from '#kernels/alignment/align.ts';
import { surfacePoints } from '#kernels/alignment/surface-points.ts';
import type { BothWaysInput } from '#kernels/compare/both-ways.ts';
import { findPointsIn, type MeshPart, pickTriangles } from '#kernels/compare/pick-triangles.ts';
import { refineMesh } from '#kernels/compare/refine-mesh.ts';
import { type FacingMesh, facingOutward } from '#kernels/compare/repair-mesh.ts';
import { verticesInView } from '#kernels/compare/scan-border.ts';
import type { BoxMm } from '#kernels/grid/region.ts';
import type { Grid } from '#kernels/grid/volume.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import { measureBounds } from '#kernels/mesh/bounds.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import type { OpenTree } from '#kernels/spatial/surface-tree.ts';
import type { MeshInput, Report } from './analysis.ts';

const scanPoints = 20_000;
const referencePoints = 5_000;
/** Triangles are split to at most this share of the mesh's extent, so that faces have vertices inside. */
const sidesAcross = 200;

export interface CompareWarning {
  code: 'SCAN_TURNED' | 'REFERENCE_TURNED' | 'POSE_AMBIGUOUS' | 'FACES_DISAGREE' | 'SCAN_CUT';
  message: string;
}

/** The two surfaces to align. */
export interface Pair {
  /** surface of the scan */
  mesh: TriangleMesh;
  /** grid of the volume the surface belongs to; null for a mesh, which may have large triangles */
  grid: Grid | null;
  reference: MeshInput;
  /** use only this box of the scan */
  region: BoxMm | undefined;
}
export interface AlignInput extends Pair {
  guess: FirstGuess;
}
export interface AlignOutput {
  alignment: Alignment;
  warnings: CompareWarning[];
}

export interface PreparedPair extends Pick<BothWaysInput, 'scan' | 'grid' | 'isOpen' | 'isReferenceOpen'> {
  /** 1 for each scan vertex on the part itself, 0 where the scan ends; undefined: all are on the part */
  inView: Uint8Array | undefined;
  reference: MeshInput;
  region: BoxMm | undefined;
  warnings: CompareWarning[];
}

/** Orients both surfaces outward, splits large triangles so that vertices sample the faces, and collects warnings. */
export function preparePair({ mesh, grid, reference, region }: Pair): PreparedPair {
  const warnings: CompareWarning[] = [];
  const warn = (whose: 'scan' | 'reference', { turned, isTwisted }: FacingMesh) => {
    const code = whose === 'scan' ? 'SCAN_TURNED' : 'REFERENCE_TURNED';
    const which = turned === 'all' ? '' : 'Some triangles of ';
    const verb = turned === 'all' ? 'was inside out and has' : 'faced into the material and have';
    const the = which ? 'the' : 'The';
    if (turned !== 'none')
      warnings.push({ code, message: `${which}${the} ${whose}’s mesh ${verb} been turned.` });
    if (isTwisted) {
      const message = `Neighbouring triangles of the ${whose}’s mesh disagree on which side the material is: where they do, nothing may be found, or the wrong side.`;
      warnings.push({ code: 'FACES_DISAGREE', message });
    }
  };
  // Surfaces of volumes are closed and oriented outward by construction.
  const facing = grid ? undefined : facingOutward(mesh);
  if (facing) warn('scan', facing);
  const scan = facing ? refineMesh(facing.mesh, measureExtent(mesh) / sidesAcross).mesh : mesh;
  const nominal = facingOutward(reference.mesh);
  warn('reference', nominal);
  const inView = grid ? verticesInView(scan.positions, grid) : undefined;
  if (inView) {
    const message =
      'The part reaches beyond the scan’s field of view. What lies outside was not scanned and is not judged.';
    warnings.push({ code: 'SCAN_CUT', message });
  }
  return {
    scan,
    grid,
    isOpen: (facing?.openSides ?? 0) > 0,
    isReferenceOpen: nominal.openSides > 0,
    inView,
    reference: { ...reference, mesh: nominal.mesh },
    region,
    warnings,
  };
}

/** Longest side of the bounding box of a mesh. */
export function measureExtent({ positions }: TriangleMesh): number {
  const { min, max } = measureBounds(positions);
  return Math.max(max[0] - min[0], max[1] - min[1], max[2] - min[2]);
}

/**
 * The part of a mesh inside a box.
 * @throws KernelError EMPTY_REGION
 */
export function pickRegion(scan: TriangleMesh, region: BoxMm): MeshPart {
  const inside = findPointsIn(scan.positions, region);
  const part = pickTriangles(scan, (a, b, c) => inside[a] === 1 && inside[b] === 1 && inside[c] === 1);
  if (part.vertices.length > 0) return part;
  throw new KernelError('EMPTY_REGION', 'No part of the scan’s surface lies in the region.');
}

/**
 * Aligns without the faces that close a cut scan at its border, unless the rest alone cannot be aligned: a reference
 * cut at the same place has these faces too.
 * @param region if given, only this region is aligned
 * @throws KernelError NOT_ALIGNED, BAD_INPUT, EMPTY_REGION
 */
export async function alignPair(
  { scan, inView, reference }: PreparedPair,
  region: BoxMm | undefined,
  guess: FirstGuess,
  openTree: OpenTree,
  progress: (fraction: number) => void,
): Promise<Alignment> {
  const points = surfacePoints(reference.mesh, referencePoints);
  const lay = async (whole: TriangleMesh) => {
    const laid = region ? pickRegion(whole, region).mesh : whole;
    const tree = await openTree(reference.mesh);
    try {
      return await alignPoints(surfacePoints(laid, scanPoints), { tree, points }, guess, progress);
    } finally {
      await tree.close();
    }
  };
  const own =
    inView && pickTriangles(scan, (a, b, c) => inView[a] === 1 && inView[b] === 1 && inView[c] === 1);
  if (!own || own.vertices.length === 0) return lay(scan);
  try {
    return await lay(own.mesh);
  } catch (error) {
    if (!(error instanceof KernelError && ['NOT_ALIGNED', 'EMPTY_REGION'].includes(error.code))) throw error;
    return layWhole(() => lay(scan));
  }
}

/** Errors against a scan that shows only part of the body may be caused by just that, so they say so. */
async function layWhole(lay: () => Promise<Alignment>): Promise<Alignment> {
  try {
    return await lay();
  } catch (error) {
    if (!(error instanceof KernelError && error.code === 'NOT_ALIGNED')) throw error;
    const hint =
      'The part reaches beyond the scan: where too little of it shows, give its pose as a matrix, or scan it whole.';
    throw new KernelError('NOT_ALIGNED', `${hint} ${error.message}`);
  }
}

/**
 * @param verdicts verdicts of the comparison in the other equally good poses
 * @param isGrouped whether there are figures per group, which hold for one pose only
 */
export function ambiguityWarning(verdicts: readonly string[], isGrouped: boolean): CompareWarning {
  const fits =
    'The part fits its reference as well in other poses: it is symmetric, or the features that tell them apart are too small.';
  const verdict =
    verdicts.length > 0
      ? ` In some of them the verdict is ${verdicts.join(' or ')}.`
      : ' The verdict is the same in all of them.';
  const groups = isGrouped ? ' Groups of the same shape may be interchanged.' : '';
  return { code: 'POSE_AMBIGUOUS', message: `${fits}${verdict}${groups}` };
}

const poseWarning: CompareWarning = {
  code: 'POSE_AMBIGUOUS',
  message:
    'The part fits its reference as well in other poses (it is symmetric): check that the right one was taken, or give a first guess.',
};

/**
 * Finds the pose of the scan relative to its reference.
 * @throws KernelError NOT_ALIGNED, BAD_INPUT, EMPTY_REGION
 */
export async function alignSurfaces(
  input: AlignInput,
  report: Report,
  openTree: OpenTree,
): Promise<AlignOutput> {
  report(0, 'Preparing the surfaces');
  const pair = preparePair(input);
  const alignment = await alignPair(pair, pair.region, input.guess, openTree, (fraction) =>
    report(0.1 + 0.9 * fraction, 'Aligning'),
  );
  const { warnings } = pair;
  return { alignment, warnings: alignment.ambiguous ? [...warnings, poseWarning] : warnings };
}
