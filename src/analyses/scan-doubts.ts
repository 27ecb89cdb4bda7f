/** What is known against the scans that an analysis works on: refusals before it, warnings after it. */
import type { AnalysisDeclaration } from '#contract/analyses/declaration.ts';
import { checkLevel, listFindings, noContrast, warnOf } from '#contract/analyses/scan-findings.ts';
import type { Warning } from '#contract/metadata/warning.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import type { AnalysisContext, AnalysisInputs } from './analysis.ts';

type Declaration = Pick<AnalysisDeclaration, 'restsOn' | 'measures'>;

/** A grey value that was asked for is nothing that the scan has to answer for. */
function hasOwnLevel(parameters: object): boolean {
  return Object.values(parameters).some(
    (value) => typeof value === 'object' && value !== null && 'mode' in value && value.mode === 'value',
  );
}

/**
 * The warnings that each result on these scans carries.
 * @throws KernelError NO_SURFACE for a scan of nothing but noise
 */
export async function findDoubts(
  { restsOn, measures }: Declaration,
  parameters: object,
  { sourceDataObjectId, referenceDataObjectId }: AnalysisInputs,
  { quality }: AnalysisContext,
): Promise<Warning[]> {
  if (!restsOn) return [];
  const paths = measures.map(({ path }) => path);
  const scan = await quality(sourceDataObjectId);
  const reference = referenceDataObjectId === undefined ? null : await quality(referenceDataObjectId);
  for (const each of [scan, reference])
    if (each && !each.hasContrast && !hasOwnLevel(parameters))
      throw new KernelError('NO_SURFACE', noContrast);
  return [
    ...listFindings(scan).flatMap((finding) => warnOf(finding, restsOn, paths)),
    ...listFindings(reference)
      .flatMap((finding) => warnOf(finding, restsOn, paths))
      .map((warning) => ({ ...warning, message: `Reference: ${warning.message}` })),
  ];
}

/** The warning about the level at which the result was taken, where it parts no material from air. */
export async function doubtLevel(
  { restsOn, measures }: Declaration,
  parameters: object,
  { sourceDataObjectId }: AnalysisInputs,
  { quality }: AnalysisContext,
  metadata: object,
): Promise<Warning[]> {
  const level: unknown = Reflect.get(metadata, 'isoValue') ?? Reflect.get(metadata, 'threshold');
  if (!restsOn || typeof level !== 'number' || hasOwnLevel(parameters)) return [];
  const scan = await quality(sourceDataObjectId);
  if (!scan) return [];
  const finding = checkLevel(scan, level);
  return finding
    ? warnOf(
        finding,
        restsOn,
        measures.map(({ path }) => path),
      )
    : [];
}
