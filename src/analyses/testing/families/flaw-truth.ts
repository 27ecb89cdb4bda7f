/** The truth of voids and inclusions of any shape, and the error allowed for an analysis. */
import { detectionLimit } from '#kernels/integrity/describe-defect.ts';
import type { Body } from '#kernels/testing/bodies.ts';
import type { FlawTruth } from '#kernels/testing/families/bodies.ts';
import { fillBox, findDepths, rollBall } from '#kernels/testing/families/roll-ball.ts';
import type { Expected, FamilyCase, Truth } from './family.ts';

/** Diameter in voxels of the ball that distinguishes hollows from the shape of the part. */
const ballVoxels = 20;
/**
 * Allowed error of a grey level as a share of the contrast, and the distance in voxels to which a void's grey values
 * spread.
 */
const [levelError, reach] = [0.02, 2.3];

interface Flaw {
  volumeMm3: number;
  bound: number;
  isOpen: boolean;
  /** its mouth is wider than the rounding of its edges by blur and grid */
  isMouthSure: boolean;
  /** blur and noise leave enough of it to detect */
  isSure: boolean;
}

interface Physics {
  /** radius to which grid and blur round edges, in mm */
  radius: number;
  /** as a share of the contrast */
  noise: number;
}

/**
 * - A void is certain to be detected when at least as many of its voxels as a ball at the detection limit has lie
 * beyond half height by twice the noise. Other voids may or may not be found, in any number of pieces.
 * - The level counts with the volume that a void's grey values spread to, noise with the square root of it.
 * - Blur and grid round the rim of an open void's mouth by r, which costs (1 − π/4) r² per length, and a voxelized ball
 * sinks in 0.3 voxels deeper. A mouth of that width may close.
 * - Hollows that a ball of twenty voxels reaches, such as a chipped edge, cannot be distinguished from a chamfer
 * without a nominal shape.
 */
export function listFlaws(
  { part, parameters }: Pick<FamilyCase, 'part' | 'parameters'>,
  flaws: FlawTruth,
  truth: Truth,
  physics: Physics,
): Expected[] {
  const cut = flaws.voids.map((each) => describeFlaw(each, flaws, truth, physics));
  const kinds: unknown = Reflect.get(Object(parameters), 'kinds');
  // A second material is not searched for unless requested.
  const phases = Array.isArray(kinds) && kinds.includes('inclusion') ? part.phases : [];
  const dense = phases.map(({ body, share }) => describeFlaw(body, flaws, truth, physics, share));
  const sum = (some: readonly Flaw[], of: (each: Flaw) => number) =>
    some.reduce((total, each) => total + of(each), 0);
  const renderVolume = (some: readonly Flaw[]) => sum(some, (each) => each.volumeMm3);
  const findBound = (some: readonly Flaw[]) =>
    sum(some, (each) => Math.max(each.bound, each.isSure ? 0 : each.volumeMm3));
  const whole = truth.volumeMm3 + renderVolume(cut);
  const kind = 'runIntegrityAnalysis' as const;
  const narrow = cut.filter(({ isMouthSure }) => !isMouthSure);
  const expectShare = (path: string, some: readonly Flaw[], others: readonly Flaw[] = []): Expected => ({
    kind,
    path,
    truth: renderVolume(some) / whole,
    bound: 2e-4 + (findBound(some) + renderVolume(others)) / whole,
  });
  const doubtful = (some: readonly Flaw[]) => some.filter(({ isSure }) => !isSure).length;
  const all = [...cut, ...dense];
  const largest = all.reduce<Flaw | null>((a, b) => (a && a.volumeMm3 > b.volumeMm3 ? a : b), null);
  const open = cut.filter(({ isOpen }) => isOpen);
  return [
    expectShare('porosity', cut),
    expectShare(
      'closedPorosity',
      cut.filter(({ isOpen }) => !isOpen),
      narrow,
    ),
    expectShare('openPorosity', open, narrow),
    { kind, path: 'defectCount', truth: all.length, bound: doubtful(all) },
    { kind, path: 'surfaceConnectedCount', truth: open.length, bound: doubtful(open) + narrow.length },
    {
      kind,
      path: 'largestVolumeMm3',
      truth: largest?.volumeMm3 ?? 0,
      bound: (largest ? findBound([largest]) : 0) + 3 * truth.voxelSizeMm.reduce((a, b) => a * b),
    },
    {
      kind,
      path: 'inclusionVolumeMm3',
      truth: renderVolume(dense),
      bound: findBound(dense),
    },
  ];
}

/** @param share height of an inclusion above air; 0 = a void */
function describeFlaw(
  body: Body,
  { outside, voids }: FlawTruth,
  truth: Truth,
  { radius, noise }: Physics,
  share = 0,
): Flaw {
  const { distanceMm, boundsMm } = body;
  const { voxelSizeMm } = truth;
  const voxelMm3 = voxelSizeMm[0] * voxelSizeMm[1] * voxelSizeMm[2];
  const spread = reach * Math.cbrt(voxelMm3);
  const isVoid = share === 0;
  const ball = ballVoxels * Math.max(...voxelSizeMm);
  let beyond = 0;
  fillBox(boundsMm, step, 0).each((_, x, y, z) => {
    if (isVoid && distanceMm(x, y, z) < 0 && outside.distanceMm(x, y, z) > 0) beyond++;
  });
  const isOpen = beyond > 0;
  const box = fillBox(boundsMm, step, isOpen ? ball + spread : spread);
  const isAir = (x: number, y: number, z: number) =>
    outside.distanceMm(x, y, z) > 0 || voids.some((each) => each.distanceMm(x, y, z) < 0);
  const rolled = isOpen ? rollBall(box, isAir, ball) : null;
  const depths = rolled ? findDepths(box, rolled) : null;
  let [left, volume, blurred, mouth, rim, deepest] = [0, 0, 0, 0, 0, 0];
  box.each((at, x, y, z) => {
    const d = distanceMm(x, y, z);
    if (d > spread) return;
    const out = outside.distanceMm(x, y, z);
    if (out < 0) blurred++;
    const inside = Math.min(1, Math.max(0, 0.5 - d / step)) * Math.min(1, Math.max(0, 0.5 - out / step));
    volume += inside;
    if (!rolled?.[at]) left += inside;
    if (d < 0 && out < 0) deepest = Math.max(deepest, depths?.[at] ?? 0);
    if (Math.abs(out) > step || d > step) return;
    if (d < 0) mouth += 0.5;
    if (d > -step) rim += 0.25;
  });
  const spreadMm3 = blurred * step ** 3;
  const contrast = isVoid ? 1 : share - 1;
  const ofLevel = (levelError * spreadMm3) / contrast;
  const ofNoise = ((2 * noise) / contrast) * Math.sqrt(spreadMm3 * voxelMm3);
  const [mouthMm2, rimMm] = [mouth * step ** 2, rim * step];
  const ofMouth = isOpen ? sinks * mouthMm2 + (1 - Math.PI / 4) * radius ** 2 * rimMm : 0;
  // Half the width of a slot corresponds to half the radius of a round mouth.
  const isMouthSure = !isOpen || (2 * mouthMm2) / rimMm > radius;
  const isLevelKnown = !isOpen || (deepest > minDepth * Math.cbrt(voxelMm3) && left > mostlyLeft * volume);
  return {
    volumeMm3: volume * step ** 3,
    bound: Math.hypot(ofLevel, ofNoise) + ofMouth,
    isOpen,
    isMouthSure,
    isSure: isLevelKnown && countSure(body, truth, noise, share) >= sureVoxels,
  };
}

/** In voxels; noise and the grid leave no reliable shape at smaller depths below the ball. */
const minDepth = 3;
/** Least share of a void that the ball must not reach; below it, the outline of the part there is undefined. */
const mostlyLeft = 0.7;
/** Edge of the cells in which volumes are counted, mm. */
const step = 0.4;
/** How much deeper a voxelized ball sinks into a mouth than a round one, in voxels. */
const sinks = 0.3;

const sureVoxels = (Math.PI / 6) * detectionLimit.plain ** 3;

/** Counts its voxels that remain beyond half height after blur, by twice the noise. */
function countSure(
  { distanceMm, boundsMm: { min, max } }: Body,
  { heights, dimensions, voxelSizeMm }: Truth,
  noise: number,
  share: number,
): number {
  if (!heights || !dimensions) return 0;
  const cellAt = (mm: number, k: number) => mm / (voxelSizeMm[k] ?? 1) + ((dimensions[k] ?? 1) - 1) / 2;
  const [from, to] = [
    min.map((mm, k) => Math.max(0, Math.floor(cellAt(mm, k)))),
    max.map((mm, k) => Math.min((dimensions[k] ?? 1) - 1, Math.ceil(cellAt(mm, k)))),
  ];
  const mmAt = (cell: number, k: number) => (cell - ((dimensions[k] ?? 1) - 1) / 2) * (voxelSizeMm[k] ?? 1);
  const middle = (1 + share) / 2;
  // Each voxel of an inclusion must exceed the noise.
  const least = share === 0 ? 2 * noise : Math.max(2 * noise, 1 + 5 * noise - middle);
  let count = 0;
  for (let z = from[2] ?? 0; z <= (to[2] ?? 0); z++) {
    for (let y = from[1] ?? 0; y <= (to[1] ?? 0); y++) {
      for (let x = from[0] ?? 0; x <= (to[0] ?? 0); x++) {
        if (distanceMm(mmAt(x, 0), mmAt(y, 1), mmAt(z, 2)) > 0) continue;
        const height = heights[(z * dimensions[1] + y) * dimensions[0] + x] ?? 1;
        if ((middle - height) * Math.sign(1 - share) > least) count++;
      }
    }
  }
  return count;
}
