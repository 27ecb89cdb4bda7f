/** What the slices preview of an analysis while its form is filled in. Pure. */
import type { AnalysisDeclaration } from '#contract/analyses/declaration.ts';
import { isUneven } from '#contract/analyses/grey-rules.ts';
import { formatNumber } from '#contract/base/format-number.ts';
import { otsuLevel } from '#kernels/grid/histogram.ts';
import { midways, otsuMaterials } from '#kernels/grid/materials.ts';
import type { BoxMm } from '#kernels/grid/region.ts';
import type { DataObject, VolumeDataObject } from '#web/api/generated/types.gen.ts';
import type { SurfacePlan } from '#web/viewer/state/surface-plan.ts';
import type { FormValues } from './form-model.ts';

export interface FormPlan {
  /** the scan shown; null = the input is not a scan */
  volumeId: string | null;
  /** null if the form determines no surface, or it can't be predicted */
  surface: SurfacePlan | null;
  /** initial pose before the alignment; 4 × 4 row-major, scan → reference */
  pose: { referenceId: string; matrix: readonly number[] } | null;
  /** what is shown, and how the run differs from it */
  notes: string[];
}

const identity: readonly number[] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const isVolume = (dataObject: DataObject): dataObject is VolumeDataObject => dataObject.kind === 'volume';

/**
 * @param chosen input and reference, chosen or by default; a reference of another project is not among the data objects
 */
export function planForm(
  { restsOn }: Pick<AnalysisDeclaration, 'restsOn'>,
  values: FormValues,
  dataObjects: readonly DataObject[],
  chosen: { sourceId: string | null; referenceId: string | null },
): FormPlan {
  const source = dataObjects.find(({ id }) => id === chosen.sourceId);
  const volume = source && isVolume(source) ? source : null;
  const pose = planPose(values, chosen.referenceId);
  const notes = [...(pose === 'found' ? ['The run finds the pose; the reference is shown after it.'] : [])];
  const shown = pose === 'found' ? null : pose;
  if (shown && !dataObjects.some(({ id }) => id === shown.referenceId))
    notes.push('The reference belongs to another project; it is shown after the run.');
  if (!volume || restsOn === undefined || restsOn === 'pose')
    return { volumeId: volume?.id ?? null, surface: null, pose: shown, notes };
  const level = planLevels(values, volume);
  if (!level)
    notes.push(
      readChoice(values).mode === 'value'
        ? 'Give a grey value to see the surface.'
        : 'The surface can’t be previewed for this scan.',
    );
  const surface = level && { ...level.plan, ...planFilter(values, notes), region: readRegion(values.region) };
  return { volumeId: volume.id, surface, pose: shown, notes: [...(level?.notes ?? []), ...notes] };
}

/** `found`: the run determines the pose; null: the form needs none. */
function planPose(values: FormValues, referenceId: string | null): FormPlan['pose'] | 'found' {
  const mode = values.initial ?? values.alignment;
  if (mode === undefined) return null;
  if (referenceId === null) return null;
  if (mode === 'none') return { referenceId, matrix: identity };
  if (mode !== 'matrix') return 'found';
  const { matrix } = values;
  const isWhole = Array.isArray(matrix) && matrix.length === 16 && matrix.every(Number.isFinite);
  return isWhole ? { referenceId, matrix: matrix as number[] } : null;
}

type Levels = Pick<SurfacePlan, 'levels' | 'firstLevel'>;

function planLevels(values: FormValues, volume: VolumeDataObject): { plan: Levels; notes: string[] } | null {
  const iso = findIso50(volume);
  const grey = (value: number) => formatNumber(value, Math.abs(value) < 10 ? 4 : 0);
  const materials = planMaterials(values, volume);
  if (materials)
    return {
      plan: { levels: materials, firstLevel: materials[0] as number },
      notes: [
        `On the slices: ${materials.length} materials from about grey values ${materials.map(grey).join(', ')}. The run measures them again, deep inside each.`,
      ],
    };
  const choice = readChoice(values);
  const mode = chooseMode(choice.mode, volume);
  if (mode === 'value') {
    const { value } = choice;
    if (typeof value !== 'number') return null;
    return {
      plan: { levels: [value], firstLevel: value },
      notes: [`On the slices: the grey value ${grey(value)}.`],
    };
  }
  const level = mode === 'otsu' ? findOtsu(volume) : iso;
  if (level === null) return null;
  if (mode === 'local')
    return {
      plan: { levels: 'local', firstLevel: level },
      notes: [
        'On the slices: midway between air and material around each place, estimated from the preview. The run reads every voxel.',
      ],
    };
  const isThin = mode === 'iso50' && (volume.metadata.quality?.thinShare ?? 0) > mostlyThin;
  return {
    plan: { levels: [level], firstLevel: level },
    notes: [
      `On the slices: ${mode === 'otsu' ? 'Otsu' : 'ISO 50'}, ${isThin ? 'about ' : ''}grey value ${grey(level)}.${isThin ? ' The part is thin: the run takes the level from the profiles of its walls.' : ''}`,
    ],
  };
}

/** The threshold choice under either of its names. */
const readChoice = (values: FormValues) => ({
  mode: values['surface.mode'] ?? values['threshold.mode'],
  value: values['surface.value'] ?? values['threshold.value'],
});

/** From this share of thin walls, grey values deep in the part may not determine the level. */
const mostlyThin = 0.5;

/** The surface mode for this scan; `auto` is resolved by the same rule as in the analysis. */
function chooseMode(mode: unknown, { metadata }: VolumeDataObject): 'iso50' | 'otsu' | 'value' | 'local' {
  if (mode === 'iso50' || mode === 'otsu' || mode === 'value' || mode === 'local') return mode;
  return isUneven(metadata.quality ?? null) ? 'local' : 'iso50';
}

/**
 * Midway between the grey values measured deep in air and in the lightest material; without quality figures the ISO 50
 * of the histogram.
 */
export function findIso50({ metadata: { quality, isoValue } }: VolumeDataObject): number | null {
  const [lightest] = quality?.hasContrast ? quality.materials : [];
  return quality && lightest ? (quality.airGrey + lightest.grey) / 2 : isoValue;
}

const findOtsu = ({ metadata: { histogram, otsuValue } }: VolumeDataObject): number | null =>
  otsuValue ?? otsuLevel(histogram);

/** Lower grey value of each material; null if the form requests only the outer surface. */
function planMaterials(values: FormValues, { metadata }: VolumeDataObject): number[] | null {
  const wanted = values.materials;
  if (typeof wanted === 'number' && wanted > 1)
    return otsuMaterials(metadata.histogram, wanted)?.levels ?? null;
  const found = metadata.quality?.materials ?? [];
  if (wanted !== 'auto' || found.length < 2 || !metadata.quality) return null;
  return midways([metadata.quality.airGrey, ...found.map(({ grey }) => grey)]);
}

function planFilter(values: FormValues, notes: string[]): Pick<SurfacePlan, 'median' | 'sigmaVoxels'> {
  const median = values.noiseFilter === 'median';
  const smoothing = values.smoothing;
  const sigmaVoxels = typeof smoothing === 'number' ? smoothing : 0;
  if (median || sigmaVoxels > 0)
    notes.push('The filter is shown within each slice; the run filters in all three directions.');
  return { median, sigmaVoxels };
}

/** Parses a box with min below max on each axis; null while incomplete. */
function readRegion(value: unknown): BoxMm | null {
  if (typeof value !== 'object' || value === null) return null;
  const [min, max] = [Reflect.get(value, 'min'), Reflect.get(value, 'max')];
  const isTriple = (each: unknown): each is BoxMm['min'] =>
    Array.isArray(each) && each.length === 3 && each.every((mm) => typeof mm === 'number');
  if (!isTriple(min) || !isTriple(max)) return null;
  return min.every((mm, axis) => mm < (max[axis] ?? mm)) ? { min, max } : null;
}
