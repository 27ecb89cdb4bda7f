/** The analyses that can be a step of a recipe. */
import { Uncertainty } from '../metadata/uncertainty.ts';
import { autoAlign } from './auto-align.ts';
import { surfaceMesh } from './create-mesh.ts';
import { texturedMesh } from './create-textured-mesh.ts';
import type { Measure } from './declaration.ts';
import { decomposeMeshCompare } from './decompose-mesh-compare.ts';
import { integrity } from './integrity.ts';
import { meshCompare } from './mesh-compare.ts';
import { convertTo } from './quantities.ts';
import { reconstructionPreview } from './reconstruction-preview.ts';
import { wallThickness } from './wall-thickness.ts';

export const stepAnalyses = [
  surfaceMesh,
  texturedMesh,
  wallThickness,
  integrity,
  autoAlign,
  meshCompare,
  decomposeMeshCompare,
  reconstructionPreview,
] as const;

export type StepDeclaration = (typeof stepAnalyses)[number];
export type StepKind = StepDeclaration['key'];
export const stepKinds = stepAnalyses.map(({ key }) => key) as [StepKind, ...StepKind[]];

export const isStepKind = (operation: string): operation is StepKind =>
  (stepKinds as string[]).includes(operation);

export type StepOf<Kind extends StepKind> = Extract<StepDeclaration, { key: Kind }>;

export const getStep = <Kind extends StepKind>(kind: Kind) =>
  stepAnalyses.find(({ key }) => key === kind) as StepOf<Kind>;

/** `step.path` split at its first dot. */
export function splitMeasure(measure: string): { step: string; path: string } {
  const dot = measure.indexOf('.');
  return dot < 0
    ? { step: measure, path: '' }
    : { step: measure.slice(0, dot), path: measure.slice(dot + 1) };
}

export const listMeasures = (kind: StepKind): readonly Measure[] => getStep(kind).measures;

export const findMeasure = (kind: StepKind, path: string): Measure | undefined =>
  listMeasures(kind).find((measure) => measure.path === path);

/** The value at a path of a result; undefined when the path does not exist. */
export function readPath(result: object, path: string): unknown {
  let value: unknown = result;
  for (const name of path.split('.'))
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return value;
}

/** Uncertainty of a measured number, in its own unit; undefined when the result states none. */
export function readUncertainty(result: object, { path }: Measure): Uncertainty | undefined {
  const all = readPath(result, 'uncertainties');
  return typeof all === 'object' && all !== null
    ? Uncertainty.safeParse(Reflect.get(all, path)).data
    : undefined;
}

/** Expanded uncertainty in the requested unit; null when the result states none. */
export function readExpanded(result: object, measure: Measure, unit: string): number | null {
  const known = readUncertainty(result, measure);
  return known === undefined ? null : convertTo(unit, known.expanded, measure.quantity);
}

/**
 * The value of a measure in the requested unit; null when the result has none.
 * @param unit a unit of the measure's quantity; an unknown one is treated as the unit used in results
 */
export function readMeasure(result: object, { path, quantity }: Measure, unit: string): number | null {
  const value = readPath(result, path);
  return typeof value === 'number' && Number.isFinite(value) ? convertTo(unit, value, quantity) : null;
}
