/** Laying a scan's surface on its reference: work on a thread of its own; distances come from whoever has threads for them. */
import { type Alignment, alignPoints, type FirstGuess } from '#kernels/alignment/align.ts';
import { surfacePoints } from '#kernels/alignment/surface-points.ts';
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
/** A mesh gets vertices as close as this share of its extent, so that there are some on its faces. */
const sidesAcross = 200;

export interface CompareWarning {
  code: 'SCAN_TURNED' | 'REFERENCE_TURNED' | 'POSE_AMBIGUOUS' | 'FACES_DISAGREE' | 'SCAN_CUT';
  message: string;
}

/** What is laid on one another. */
export interface Pair {
  /** the scan's surface */
  mesh: TriangleMesh;
  /** of the volume that it is the surface of; null for a mesh, which may have large triangles */
  grid: Grid | null;
  reference: MeshInput;
  /** only this box of the scan */
  region: BoxMm | undefined;
}
export interface AlignInput extends Pair {
  guess: FirstGuess;
}
export interface AlignOutput {
  alignment: Alignment;
  warnings: CompareWarning[];
}

export interface PreparedPair {
  scan: TriangleMesh;
  grid: Grid | null;
  /** the scan is a mesh with holes */
  isOpen: boolean;
  isReferenceOpen: boolean;
  /** 1 for each vertex of the scan that is the part's own and not the end of the scan; undefined: all are */
  inView: Uint8Array | undefined;
  reference: MeshInput;
  region: BoxMm | undefined;
  warnings: CompareWarning[];
}

/** Both surfaces with one way out, fine enough to be measured at their vertices, and what there is to say about that. */
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
  // A volume's surface is closed and faces outward as it is made.
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

/** The longest side of the box around a mesh. */
export function measureExtent({ positions }: TriangleMesh): number {
  const { min, max } = measureBounds(positions);
  return Math.max(max[0] - min[0], max[1] - min[1], max[2] - min[2]);
}

/**
 * What lies in a box.
 * @throws KernelError EMPTY_REGION
 */
export function pickRegion(scan: TriangleMesh, region: BoxMm): MeshPart {
  const inside = findPointsIn(scan.positions, region);
  const part = pickTriangles(scan, (a, b, c) => inside[a] === 1 && inside[b] === 1 && inside[c] === 1);
  if (part.vertices.length > 0) return part;
  throw new KernelError('EMPTY_REGION', 'No part of the scan’s surface lies in the region.');
}

/**
 * What closes a cut scan at its border is left out, unless the rest alone can't be aligned: a reference that was cut
 * alike has the same there.
 * @param region that alone is laid on the reference
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

/** What is found against a scan that shows only a part of the body may come of just that. */
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
 * @param verdicts others that a comparison has in the other poses
 * @param isGrouped figures of single groups are of one pose only
 */
export function ambiguityWarning(verdicts: readonly string[], isGrouped: boolean): CompareWarning {
  const fits =
    'The part fits its reference as well in other poses: it is symmetric, or what would decide is too small to tell.';
  const said =
    verdicts.length > 0
      ? ` In some of them the verdict is ${verdicts.join(' or ')}.`
      : ' The verdict is the same in all of them.';
  const groups = isGrouped ? ' Which of the groups that are alike is which can’t be told.' : '';
  return { code: 'POSE_AMBIGUOUS', message: `${fits}${said}${groups}` };
}

const poseWarning: CompareWarning = {
  code: 'POSE_AMBIGUOUS',
  message:
    'The part fits its reference as well in other poses (it is symmetric): check that the right one was taken, or give a first guess.',
};

/**
 * The pose in which the scan lies on its reference.
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
