/** What the analyses say of a case as the product runs them by default, and which of it is right, marked or silently wrong. */
import type { StepKind } from '#contract/analyses/steps.ts';
import type { Uncertainty } from '#contract/metadata/uncertainty.ts';
import type { Warning } from '#contract/metadata/warning.ts';
import { greyPeaks } from '#kernels/grid/histogram.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import type { KernelPool } from '#kernels/pool.ts';
import { judgeScan } from '#kernels/quality/judge-scan.ts';
import { impairPart } from '#kernels/testing/families/impair.ts';
import { renderPart } from '#kernels/testing/families/render-part.ts';
import type { AnalysisContext } from '../../analysis.ts';
import { inputOf, runOnScan } from '../scan-run.ts';
import { type Expected, listExpected } from './expected.ts';
import type { FamilyCase } from './list.ts';

export type Class = 'right' | 'marked' | 'silent';
export interface Judgement extends Expected {
  case: string;
  /** null where the analysis refused the scan */
  measured: number | null;
  class: Class;
  /** a warning names it, right or wrong */
  isWarned: boolean;
  /** half width of its interval */
  expanded: number | null;
  codes: string[];
}

export async function measureCase(each: FamilyCase, pool: KernelPool): Promise<Judgement[]> {
  const rendered = renderPart(each.part, each.dimensions, each.voxelSizeMm, each.blurMm);
  const input = await inputOf(impairPart(rendered, each.impairments), pool);
  const { histogram, range } = input;
  const quality = (await judgeScan(input, { range, peaks: greyPeaks(histogram) })) ?? 'unjudged';
  const judgements: Judgement[] = [];
  for (const [kind, expected] of Map.groupBy(listExpected(each, rendered), ({ kind: own }) => own)) {
    const made = await runStep(kind, input, quality, pool);
    for (const one of expected) judgements.push({ case: each.name, ...one, ...classify(one, made) });
  }
  return judgements;
}

interface Made {
  metadata: object;
  warnings: readonly Warning[];
}

/** @returns null for what the analysis refused by a sentence */
async function runStep(
  kind: StepKind,
  input: Awaited<ReturnType<typeof inputOf>>,
  quality: Awaited<ReturnType<AnalysisContext['quality']>>,
  pool: KernelPool,
): Promise<Made | null> {
  try {
    const { dataObjects, warnings } = await runOnScan(kind, {}, input, {
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
  const none = { measured: null, isWarned: true, expanded: null, codes: ['refused'] };
  if (!made) return { ...none, class: 'marked' as const };
  const value: unknown = path
    .split('.')
    .reduce<unknown>((at, name) => Reflect.get(Object(at), name), made.metadata);
  if (typeof value !== 'number') return { ...none, class: 'marked' as const, codes: ['no value'] };
  const uncertainties: Partial<Record<string, Uncertainty>> =
    Reflect.get(made.metadata, 'uncertainties') ?? {};
  const expanded = uncertainties[path]?.expanded ?? null;
  const codes = made.warnings.filter(({ measures }) => measures.includes(path)).map(({ code }) => code);
  const error = Math.abs(value - truth);
  const isHeld = expanded !== null && error <= expanded;
  const isWarned = codes.length > 0;
  const found: Class = error <= bound ? 'right' : isWarned || isHeld ? 'marked' : 'silent';
  return { measured: value, class: found, isWarned, expanded, codes };
}
