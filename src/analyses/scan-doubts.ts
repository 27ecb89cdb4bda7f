/** Known doubts about the scans of an analysis: refusals before it runs, warnings after it. */
import type { AnalysisDeclaration } from '#contract/analyses/declaration.ts';
import {
  checkLevel,
  explainNoContrast,
  explainThinWalls,
  followLevels,
  forgiveSpecks,
  listFindings,
  oneLevel,
  unjudged,
  warnAbout,
} from '#contract/analyses/scan-findings.ts';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import type { Warning } from '#contract/metadata/warning.ts';
import { type BoxMm, cellsIn } from '#kernels/grid/region.ts';
import type { SlabSource } from '#kernels/grid/volume.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import type { AnalysisContext, AnalysisInputs } from './analysis.ts';
import { touchesMissing } from './missing-voxels.ts';

type Declaration = Pick<AnalysisDeclaration, 'restsOn' | 'measures'>;

/**
 * Local levels follow unevenness if at least this share of the surface determines them and they vary by at most this
 * much.
 */
const [mostlyLocal, maxSpread] = [0.9, 0.5];

export function isFollowing(metadata: object): boolean {
  const levels: unknown = Reflect.get(metadata, 'localLevels');
  if (typeof levels !== 'object' || levels === null) return false;
  return (
    Number(Reflect.get(levels, 'localShare')) > mostlyLocal &&
    Number(Reflect.get(levels, 'contrastSpread')) < maxSpread
  );
}

const collectFindings = (quality: Awaited<ReturnType<AnalysisContext['quality']>>) =>
  quality === 'unjudged' ? [unjudged] : listFindings(quality);

const hasMode = (parameters: object, mode: string): boolean =>
  Object.values(parameters).some(
    (value) => typeof value === 'object' && value !== null && 'mode' in value && value.mode === mode,
  );

/** A requested grey value is not the scan's responsibility. */
const hasOwnLevel = (parameters: object): boolean => hasMode(parameters, 'value');

/** If the requested region cuts the part, the analysis itself reports it; voxels without a value inside it do, too. */
async function isCutByRegionOnly(
  parameters: object,
  quality: ScanQuality | null,
  loadVolume: () => Promise<SlabSource>,
): Promise<boolean> {
  const region: BoxMm | undefined = Reflect.get(parameters, 'region');
  if (region === undefined || quality === null || quality.border.length === 0) return region !== undefined;
  const [lightest] = quality.materials;
  if (quality.airGrey === null || !lightest) return true;
  const volume = await loadVolume();
  const level = (quality.airGrey + lightest.grey) / 2;
  return !(await touchesMissing(volume, cellsIn(volume.grid, region), level));
}

/** Voids of the size of replaced specks are left out as noise. */
const leavesOutSpecks = (parameters: object): boolean => Number(Reflect.get(parameters, 'minVoxels')) > 2;

/** Facts known only after the surface was determined. */
interface Known {
  /** the surface is at local levels, which follow unevenness */
  isFollowed: boolean;
  /** the level of a part with hardly any place full of material came from those few places or from its walls */
  isLevelKnown: boolean;
  /** its thin walls are thick enough for that level */
  areWallsKnown: boolean;
  /** paths of the measures that are 0 */
  zeros: readonly string[];
}

/** Paths of the measures that are 0 in a result. */
export const listZeros = ({ measures }: Declaration, metadata: object): string[] =>
  measures.map(({ path }) => path).filter((path) => Reflect.get(metadata, path) === 0);

/**
 * Warnings for every result on these scans.
 * @throws KernelError NO_SURFACE for a scan without contrast
 */
export async function findDoubts(
  { restsOn, measures }: Declaration,
  parameters: object,
  { sourceDataObjectId, referenceDataObjectId }: AnalysisInputs,
  { quality, volume }: Pick<AnalysisContext, 'quality' | 'volume'>,
  { isFollowed, isLevelKnown, areWallsKnown, zeros }: Known = {
    isFollowed: false,
    isLevelKnown: false,
    areWallsKnown: false,
    zeros: [],
  },
): Promise<Warning[]> {
  if (!restsOn) return [];
  const paths = measures.map(({ path }) => path);
  const scan = await quality(sourceDataObjectId);
  const reference = referenceDataObjectId === undefined ? null : await quality(referenceDataObjectId);
  for (const each of [scan, reference])
    if (each && each !== 'unjudged' && !each.hasContrast && !hasOwnLevel(parameters))
      throw new KernelError('NO_SURFACE', explainNoContrast(each));
  const isOwnCut = await isCutByRegionOnly(parameters, scan === 'unjudged' ? null : scan, () =>
    volume(sourceDataObjectId),
  );
  return [
    ...collectFindings(scan)
      .filter(({ code }) => !(isLevelKnown && code === 'SCAN_FEW_DEEP'))
      .filter(({ code }) => !(isOwnCut && code === 'SCAN_CUT'))
      .map((finding) => (isFollowed ? followLevels(finding) : finding))
      .map((finding) => (areWallsKnown ? explainThinWalls(finding) : finding))
      .map((finding) => (leavesOutSpecks(parameters) ? forgiveSpecks(finding) : finding))
      .flatMap((finding) => warnAbout(finding, restsOn, paths, zeros)),
    ...collectFindings(reference)
      .flatMap((finding) => warnAbout(finding, restsOn, paths))
      .map((warning) => ({ ...warning, message: `Reference: ${warning.message}` })),
  ];
}

/** A result, as far as it states its levels. */
interface Made {
  dataObjects: readonly { metadata: object }[];
}

/** Warnings about the level used: it does not separate material from air, or one level is used for all places. */
export async function doubtLevel(
  { restsOn, measures }: Declaration,
  parameters: object,
  { sourceDataObjectId }: AnalysisInputs,
  { quality }: AnalysisContext,
  { dataObjects }: Made,
): Promise<Warning[]> {
  const metadata = dataObjects[0]?.metadata ?? {};
  const level: unknown = Reflect.get(metadata, 'isoValue') ?? Reflect.get(metadata, 'threshold');
  if (!restsOn || typeof level !== 'number' || hasOwnLevel(parameters)) return [];
  const scan = await quality(sourceDataObjectId);
  if (!scan) return [];
  const isOne = Reflect.get(metadata, 'oneLevel') === 'notTold';
  const finding = scan === 'unjudged' ? null : checkLevel(scan, level);
  const paths = measures.map(({ path }) => path);
  const zeros = listZeros({ restsOn, measures }, metadata);
  return [...(isOne ? [oneLevel] : []), ...(finding ? [finding] : [])].flatMap((each) =>
    warnAbout(each, restsOn, paths, zeros),
  );
}
