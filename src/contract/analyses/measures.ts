/**
 * What each analysis measures: the numbers of its data object's metadata that a gate of a recipe can hold against a
 * limit, with the units in which the limit may be given.
 */
import type { DataObjectKind } from './kinds.ts';
import type { StepKind } from './step-parameters.ts';

/** Units of a quantity, the one of the metadata first, with the factor from that one. */
const quantities = {
  length: { mm: 1, µm: 1000 },
  area: { 'mm²': 1 },
  volume: { 'mm³': 1 },
  /** of the metadata 0 to 1; people say percent */
  share: { '': 1, '%': 100 },
  count: { '': 1 },
  ratio: { '': 1 },
} as const satisfies Record<string, Record<string, number>>;
export type Quantity = keyof typeof quantities;

export interface Measure {
  /** path in the metadata, steps apart by dots */
  field: string;
  label: string;
  quantity: Quantity;
}

const percentiles = ['p1', 'p5', 'p50', 'p95', 'p99'] as const;
const percentilesOf = (what: string): Measure[] =>
  percentiles.map((name) => ({
    field: `percentilesMm.${name}`,
    label: `${what}, ${name.slice(1)}${name === 'p1' ? 'st' : 'th'} percentile`,
    quantity: 'length',
  }));

const mesh: Measure[] = [
  { field: 'volumeMm3', label: 'Volume', quantity: 'volume' },
  { field: 'areaMm2', label: 'Surface area', quantity: 'area' },
  { field: 'components', label: 'Connected parts', quantity: 'count' },
  { field: 'triangles', label: 'Triangles', quantity: 'count' },
];

const deviation: Measure[] = [
  { field: 'inToleranceShare', label: 'Share of the surface in tolerance', quantity: 'share' },
  { field: 'rmsMm', label: 'Deviation, root mean square', quantity: 'length' },
  { field: 'meanMm', label: 'Deviation, mean', quantity: 'length' },
  { field: 'sdMm', label: 'Deviation, standard deviation', quantity: 'length' },
  { field: 'minMm', label: 'Deviation, lowest', quantity: 'length' },
  { field: 'maxMm', label: 'Deviation, highest', quantity: 'length' },
  ...percentilesOf('Deviation'),
  { field: 'measuredShare', label: 'Share of the scan with a counterpart', quantity: 'share' },
  { field: 'coveredShare', label: 'Share of the reference that was scanned', quantity: 'share' },
  { field: 'regionCount', label: 'Regions out of tolerance', quantity: 'count' },
];

/** Of a part of several materials, the lightest first; a part of one has none of these. */
const materials: Measure[] = [0, 1, 2].flatMap((i): Measure[] => [
  { field: `materials.${i}.volumeMm3`, label: `Volume of material ${i + 1}`, quantity: 'volume' },
  { field: `materials.${i}.areaMm2`, label: `Surface area of material ${i + 1}`, quantity: 'area' },
  { field: `materials.${i}.components`, label: `Connected parts of material ${i + 1}`, quantity: 'count' },
]);

export const measures = {
  createMesh: [...mesh, ...materials],
  createTexturedMesh: mesh,
  runWallThickness: [
    { field: 'minMm', label: 'Thinnest wall', quantity: 'length' },
    { field: 'meanMm', label: 'Mean thickness', quantity: 'length' },
    { field: 'sdMm', label: 'Thickness, standard deviation', quantity: 'length' },
    { field: 'maxMm', label: 'Thickest wall', quantity: 'length' },
    ...percentilesOf('Thickness'),
    { field: 'belowMinimumShare', label: 'Share below the minimum thickness', quantity: 'share' },
    { field: 'regionCount', label: 'Regions below the minimum thickness', quantity: 'count' },
  ],
  runIntegrityAnalysis: [
    { field: 'porosity', label: 'Porosity', quantity: 'share' },
    { field: 'defectCount', label: 'Defects', quantity: 'count' },
    { field: 'largestVolumeMm3', label: 'Volume of the largest defect', quantity: 'volume' },
    { field: 'voidVolumeMm3', label: 'Volume of all voids', quantity: 'volume' },
    { field: 'inclusionVolumeMm3', label: 'Volume of all inclusions', quantity: 'volume' },
    { field: 'materialVolumeMm3', label: 'Volume of the material', quantity: 'volume' },
    { field: 'surfaceConnectedCount', label: 'Defects open to the surface', quantity: 'count' },
    { field: 'belowDetectionLimitCount', label: 'Defects below the detection limit', quantity: 'count' },
  ],
  runAutoAlignLite: [
    { field: 'rmsMm', label: 'Distance to the reference, root mean square', quantity: 'length' },
    { field: 'inlierShare', label: 'Share of the scan on the reference', quantity: 'share' },
    { field: 'scale', label: 'Scale that would fit best', quantity: 'ratio' },
  ],
  runMeshCompare: deviation,
  runDecomposeMeshCompare: [
    ...deviation,
    { field: 'groupCount', label: 'Groups', quantity: 'count' },
    { field: 'unmeasuredGroupCount', label: 'Groups that were not scanned', quantity: 'count' },
  ],
  runReconstructionPreview: [],
} as const satisfies Record<StepKind, readonly Measure[]>;

/** What kind of data object each analysis makes that its measures are of, and that later steps can work on. */
export const outputKinds = {
  createMesh: 'mesh',
  createTexturedMesh: 'mesh',
  runWallThickness: 'wallThickness',
  runIntegrityAnalysis: 'integrity',
  runAutoAlignLite: 'alignment',
  runMeshCompare: 'meshCompare',
  runDecomposeMeshCompare: 'meshCompare',
  runReconstructionPreview: 'volume',
} as const satisfies Record<StepKind, DataObjectKind>;

export const unitsOf = ({ quantity }: Measure): string[] => Object.keys(quantities[quantity]);

/** The unit that people use for it: percent for a share, else the unit of the metadata. */
export const usualUnit = (measure: Measure): string =>
  measure.quantity === 'share' ? '%' : unitsOf(measure)[0];

/** `step.field` split at its first dot. */
export function splitMeasure(measure: string): { step: string; field: string } {
  const dot = measure.indexOf('.');
  return dot < 0
    ? { step: measure, field: '' }
    : { step: measure.slice(0, dot), field: measure.slice(dot + 1) };
}

export const findMeasure = (kind: StepKind, field: string): Measure | undefined =>
  (measures[kind] as readonly Measure[]).find((measure) => measure.field === field);

/**
 * The number behind a measure, in the unit asked for; null when the metadata has none.
 * @param unit one of `unitsOf(measure)`; any other counts as the first
 */
export function readMeasure(
  metadata: Record<string, unknown>,
  measure: Measure,
  unit: string,
): number | null {
  let at: unknown = metadata;
  for (const name of measure.field.split('.')) {
    at = typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined;
  }
  if (typeof at !== 'number' || !Number.isFinite(at)) return null;
  const factors: Record<string, number> = quantities[measure.quantity];
  return at * (factors[unit] ?? 1);
}
