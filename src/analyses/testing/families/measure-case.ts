/**
 * Runs the analyses on a case with the product's defaults, and classifies each number as right, marked or silently
 * wrong.
 */
import type { StepKind } from '#contract/analyses/steps.ts';
import type { Uncertainty } from '#contract/metadata/uncertainty.ts';
import type { Warning } from '#contract/metadata/warning.ts';
import type { KernelPool } from '#kernels/arena.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import { addArtefacts } from '#kernels/testing/families/artefacts.ts';
import { impairPart } from '#kernels/testing/families/impair.ts';
import { renderPart } from '#kernels/testing/families/render-part.ts';
import { runOnScan } from '../scan-run.ts';
import { listExpected } from './expected.ts';
import type { Expected, FamilyCase, Truth } from './family.ts';
import { reconstructCase, renderScan, type ScannedVolume } from './reconstruct-case.ts';

export type Class = 'right' | 'marked' | 'silent';
export interface Judgement extends Expected {
  case: string;
  /** null when the analysis refused the scan */
  measured: number | null;
  class: Class;
  /** a warning names this number, right or wrong */
  isWarned: boolean;
  /** half width of its interval */
  expanded: number | null;
  /** its standard uncertainty contributions (k = 1), by name */
  contributions: Uncertainty['contributions'];
  codes: string[];
}

export async function measureCase(each: FamilyCase, pool: KernelPool): Promise<Judgement[]> {
  const { truth, input, quality } = await makeScan(each, pool);
  const judgements: Judgement[] = [];
  for (const [kind, expected] of Map.groupBy(listExpected(each, truth), ({ kind: own }) => own)) {
    const parameters = kind === 'runIntegrityAnalysis' ? (each.parameters ?? {}) : {};
    const made = await runStep(kind, parameters, { input, quality }, pool);
    for (const one of expected) judgements.push({ case: each.name, ...one, ...classify(one, made) });
  }
  return judgements;
}

/** The volume with the findings of its judge, and the truth of the part in it. */
async function makeScan(each: FamilyCase, pool: KernelPool): Promise<ScannedVolume & { truth: Truth }> {
  const { part, dimensions, voxelSizeMm, blurMm, blurAcrossMm = blurMm, simulated } = each;
  if (simulated) {
    const { volumeMm3, areaMm2 } = part.body;
    return { ...(await reconstructCase(simulated, pool)), truth: { volumeMm3, areaMm2, voxelSizeMm } };
  }
  const truth = renderPart(part, dimensions, voxelSizeMm, [blurMm, blurMm, blurAcrossMm]);
  const dirty = each.artefacts ? addArtefacts(truth, each.artefacts) : truth;
  const scanned = impairPart(dirty, each.impairments);
  return { ...(await renderScan(each.process?.(scanned) ?? scanned, pool)), truth };
}

interface Made {
  metadata: object;
  warnings: readonly Warning[];
}

/** @returns null when the analysis refuses the scan with a message */
async function runStep(
  kind: StepKind,
  parameters: object,
  { input, quality }: ScannedVolume,
  pool: KernelPool,
): Promise<Made | null> {
  try {
    const { dataObjects, warnings } = await runOnScan(kind, parameters, input, {
      pool,
      quality: async () => quality,
    });
    const [first] = dataObjects;
    return first ? { metadata: first.metadata, warnings } : null;
  } catch (error) {
    if (error instanceof KernelError) return null;
    throw error;
  }
}

function classify({ path, truth, bound }: Expected, made: Made | null) {
  const none = { measured: null, isWarned: true, expanded: null, contributions: [], codes: ['refused'] };
  if (!made) return { ...none, class: 'marked' as const };
  const value: unknown = path
    .split('.')
    .reduce<unknown>((at, name) => Reflect.get(Object(at), name), made.metadata);
  if (typeof value !== 'number') return { ...none, class: 'marked' as const, codes: ['no value'] };
  const uncertainties: Partial<Record<string, Uncertainty>> =
    Reflect.get(made.metadata, 'uncertainties') ?? {};
  const { expanded = null, contributions = [] } = uncertainties[path] ?? {};
  const codes = made.warnings.filter(({ measures }) => measures.includes(path)).map(({ code }) => code);
  const error = Math.abs(value - truth);
  const isHeld = expanded !== null && error <= expanded;
  const isWarned = codes.length > 0;
  const found: Class = error <= bound ? 'right' : isWarned || isHeld ? 'marked' : 'silent';
  return { measured: value, class: found, isWarned, expanded, contributions, codes };
}
