/** Fields added to version 2 later; a view without them shows neither a comparison nor an alignment. */
const laterDefaults = { compare: null, alignmentId: null };

/** Defects without limits, in the order of the list. */
export const allDefects = { filter: [], order: null, histogram: { column: null, log: true } };

/** Values that version 1 implied for fields it did not have, so that an old view looks as before. */
const firstDefaults = {
  layout: 'grid',
  oblique: null,
  scene: { edges: false, occlusion: false, gradient: false },
  referenceVisible: true,
  smooth: true,
  measurements: { visible: true, selectedId: null },
  selectedDefectId: null,
  defects: allDefects,
  volume: { visible: null, style: 'surface', curve: null },
  ...laterDefaults,
};

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Fills in missing fields of an object; other values are returned as they are, for the schema to refuse. */
const fill = (value: unknown, defaults: Fields): unknown =>
  isFields(value) ? { ...defaults, ...value } : value;

/**
 * Converts a view state of version 1 (from an old bookmark or link) to version 2, and adds fields that version 2 gained
 * later. Returns anything else unchanged. Does not validate: the schema of version 2 does, and it also refuses what
 * version 1 would have refused.
 */
export function migrateViewState(state: unknown): unknown {
  if (isFields(state) && state['version'] === 2) return fillLater({ ...laterDefaults, ...state });
  if (!isFields(state) || state['v'] !== 1) return state;
  const { v: _, clip, planes, slices, surface, labels, ...rest } = state;
  return fillLater({
    ...firstDefaults,
    ...rest,
    version: 2,
    planes: fill(planes, { oblique: null }),
    surface: fill(surface, { brush: null, shaded: true }),
    slices: fill(slices ?? { surface: true, reference: true }, {
      whiskers: false,
      magnification: null,
      walls: false,
    }),
    labels: Array.isArray(labels) ? labels.map((label) => fill(label, { note: '' })) : (labels ?? []),
    clips: migrateClip(clip),
  });
}

/** Earlier comparisons had no paused blink, and earlier links did not state the histogram of the defects. */
const fillLater = (state: Fields): Fields => ({
  ...state,
  compare: fill(state['compare'], { held: null }),
  defects: fill(state['defects'], { histogram: allDefects.histogram }),
});

/** Version 1 had a single clip plane; a cut stored before sections could be filled stays open. */
function migrateClip(clip: unknown): unknown {
  const none = { box: null, planes: [], beforePlace: null, section: 'grey' };
  if (!isFields(clip)) return clip === null ? none : clip;
  const { filled = false, ...plane } = clip;
  if (typeof filled !== 'boolean') return clip;
  return { ...none, planes: [plane], section: filled ? 'grey' : 'open' };
}
