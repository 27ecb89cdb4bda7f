/** What views of version 2 have carried since later; without it they show none. */
const laterDefaults = { compare: null, alignmentId: null };

/** The defaults that version 1 had for what it did not carry: a picture stays as it was. */
const firstDefaults = {
  layout: 'grid',
  oblique: null,
  scene: { edges: false, occlusion: false, gradient: false },
  referenceVisible: true,
  smooth: true,
  measurements: { visible: true, selectedId: null },
  selectedDefectId: null,
  defects: { filter: [], order: null },
  volume: { visible: null, style: 'surface', curve: null },
  ...laterDefaults,
};

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** The value with fields that it may lack; what is no object is left to the schema to refuse. */
const fill = (value: unknown, defaults: Fields): unknown =>
  isFields(value) ? { ...defaults, ...value } : value;

/**
 * A view state of version 1, from a bookmark or a link of before, as one of version 2, one of before comparisons or
 * alignments as one that shows none; anything else as it is. Checks nothing: the schema of version 2 does, and refuses
 * what was none of version 1 either.
 */
export function migrateViewState(state: unknown): unknown {
  if (isFields(state) && state['version'] === 2) return { ...laterDefaults, ...state };
  if (!isFields(state) || state['v'] !== 1) return state;
  const { v: _, clip, planes, slices, surface, labels, ...rest } = state;
  return {
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
  };
}

/** The one plane that there was; a cut of before sections were filled stays open. */
function migrateClip(clip: unknown): unknown {
  const none = { box: null, planes: [], beforePlace: null, section: 'grey' };
  if (!isFields(clip)) return clip === null ? none : clip;
  const { filled = false, ...plane } = clip;
  if (typeof filled !== 'boolean') return clip;
  return { ...none, planes: [plane], section: filled ? 'grey' : 'open' };
}
