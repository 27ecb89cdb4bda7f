import { dropCoveredMeasures } from '#contract/analyses/scan-findings.ts';
import { getStep, type StepKind, type StepOf } from '#contract/analyses/steps.ts';
import type { Warning } from '#contract/metadata/warning.ts';
import { requireGreySpan } from '#kernels/grid/grey-span.ts';
import { withoutOutliers } from '#kernels/grid/outliers.ts';
import { readUntil } from '#kernels/grid/read-until.ts';
import { withoutSpecks } from '#kernels/grid/specks.ts';
import { withAirUnseen } from '#kernels/grid/unseen-field.ts';
import { stoppedBy } from '#kernels/pool.ts';
import type { Analysis, AnalysisContext, AnalysisInputs, AnalysisResult, VolumeInput } from './analysis.ts';
import { autoAlignAnalysis } from './auto-align.ts';
import { createMeshAnalysis } from './create-mesh.ts';
import { createTexturedMeshAnalysis } from './create-textured-mesh.ts';
import { areWallsKnown, hasKnownLevel } from './found-level.ts';
import { integrityAnalysis } from './integrity.ts';
import { decomposeMeshCompareAnalysis, meshCompareAnalysis } from './mesh-compare.ts';
import { reconstructionPreviewAnalysis } from './reconstruction-preview.ts';
import { doubtLevel, findDoubts, isFollowing, listZeros } from './scan-doubts.ts';
import { wallThicknessAnalysis } from './wall-thickness.ts';

const implemented = [
  createMeshAnalysis,
  createTexturedMeshAnalysis,
  wallThicknessAnalysis,
  integrityAnalysis,
  autoAlignAnalysis,
  meshCompareAnalysis,
  decomposeMeshCompareAnalysis,
  reconstructionPreviewAnalysis,
] as const;

/** Compile-time error that names any declared analysis missing from the list. */
const complete: { [Missing in Exclude<StepKind, (typeof implemented)[number]['key']>]: never } = {};
void complete;

/**
 * Runs an analysis with parameters as received; the contract fills in defaults.
 * @throws ZodError for invalid parameters, KernelError when a result cannot be computed, and the signal's reason when
 * aborted
 */
export async function runAnalysis<Kind extends StepKind>(
  kind: Kind,
  parameters: unknown,
  inputs: AnalysisInputs,
  context: Omit<AnalysisContext, 'doubts' | 'judged'>,
): Promise<AnalysisResult<StepOf<Kind>>> {
  const { run } = implemented.find(({ key }) => key === kind) as unknown as Analysis<StepOf<Kind>>;
  const step = getStep(kind);
  const quality = await context.quality(inputs.sourceDataObjectId);
  const toSeen = async (id: string, volume: VolumeInput) => {
    requireGreySpan(volume);
    const judged = await context.quality(id);
    const whole = withoutOutliers(readUntil(volume, context.signal));
    if (!judged || judged === 'unjudged') return whole;
    const scan = judged.specks ? withoutSpecks(whole, judged.specks) : whole;
    return judged.unseen ? withAirUnseen(scan, judged.unseen, judged.airGrey) : scan;
  };
  let known = { isLevelKnown: false, areWallsKnown: false };
  const within = {
    ...context,
    pool: stoppedBy(context.pool, context.signal),
    surface: async (...[id, basis, determine]: Parameters<AnalysisContext['surface']>) => {
      const found = await context.surface(id, basis, determine);
      const { metadata } = found;
      if (id === inputs.sourceDataObjectId) {
        known = {
          isLevelKnown: hasKnownLevel(metadata),
          areWallsKnown:
            within.judged !== null && !metadata.localLevels && areWallsKnown(metadata, within.judged),
        };
      }
      return found;
    },
    volume: async (id: string) => toSeen(id, await context.volume(id)),
    part: async (id: string, deflectionMm?: number) => {
      const part = await context.part(id, deflectionMm);
      return 'volume' in part ? { volume: await toSeen(id, part.volume) } : part;
    },
    radiographs: async (id: string) => {
      const radiographs = await context.radiographs(id);
      return { ...radiographs, projections: readUntil(radiographs.projections, context.signal) };
    },
    doubts: [],
    judged: quality === 'unjudged' ? null : quality,
  };
  const parsed = step.parameters.parse(parameters) as never;
  const doubts = await findDoubts(step, parsed, inputs, within);
  const result = await run(parsed, inputs, { ...within, doubts });
  const [first] = result.dataObjects;
  const isFollowed = first !== undefined && isFollowing(first.metadata);
  const zeros = first ? listZeros(step, first.metadata) : [];
  const left = await findDoubts(step, parsed, inputs, within, { isFollowed, zeros, ...known });
  const ofLevel = await doubtLevel(step, parsed, inputs, within, result);
  const all = joinWarnings(
    result.warnings,
    [...ofLevel, ...left],
    Reflect.get(parsed, 'region') !== undefined,
  );
  const ofPiece = step.restsOn === 'defects' ? step.measures.filter(isShare).map(({ path }) => path) : [];
  const dataObjects = result.dataObjects.map((made) => withoutDenied(made, all, ofPiece));
  const intervals: unknown = dataObjects[0] && Reflect.get(dataObjects[0].metadata, 'uncertainties');
  // The intervals of deviations have not been verified on such scans.
  const warnings =
    step.restsOn === 'deviation' ? all : dropCoveredMeasures(all, Object.keys(Object(intervals)));
  return { ...result, dataObjects, warnings: warnings as never[] };
}

const isShare = ({ quantity }: { quantity: string }): boolean => quantity === 'share';

/**
 * Removes the intervals of numbers that a warning declares unreliable, since the interval would claim what the warning
 * denies. For a scan that could not be judged, all intervals are removed.
 * @param ofPiece measures that are known equally well for the scanned piece of a cut part as for a whole part
 */
function withoutDenied<Made extends { metadata: object }>(
  made: Made,
  warnings: readonly Warning[],
  ofPiece: readonly string[],
): Made {
  const all: object | undefined = Reflect.get(made.metadata, 'uncertainties');
  if (!all) return made;
  const denials = warnings.filter(({ code, invalidates }) => invalidates || code === 'SCAN_UNJUDGED');
  const denied = new Set(
    denials.flatMap(({ code, measures }) =>
      code === 'SCAN_CUT' ? measures.filter((path) => !ofPiece.includes(path)) : measures,
    ),
  );
  const uncertainties = Object.fromEntries(Object.entries(all).filter(([path]) => !denied.has(path)));
  return { ...made, metadata: { ...made.metadata, uncertainties } };
}

/**
 * An analysis' own warnings replace general ones with the same code, unless these invalidate numbers in a region that
 * the analysis would trust; several materials are reported once.
 */
function joinWarnings(own: readonly Warning[], others: readonly Warning[], hasRegion: boolean): Warning[] {
  const codes = new Set(own.map(({ code }) => code));
  const replaces = ({ code, invalidates }: Warning) =>
    own.some((each) => each.code === code && (each.invalidates || !invalidates || !hasRegion));
  const ofMaterials = others.find(({ code }) => code === 'SCAN_MATERIALS');
  const isReportedTwice = codes.has('SEVERAL_MATERIALS') && ofMaterials !== undefined;
  const lesser = !isReportedTwice ? null : ofMaterials.invalidates ? 'SEVERAL_MATERIALS' : 'SCAN_MATERIALS';
  // With several materials one level is intended.
  const needless = codes.has('SEVERAL_MATERIALS') ? [lesser, 'SCAN_ONE_LEVEL'] : [lesser];
  return [...own, ...others.filter((each) => !replaces(each))].filter(({ code }) => !needless.includes(code));
}
