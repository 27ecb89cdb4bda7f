/** What whoever relies on a result has to know, with a code that programs can act on. */
import { z } from 'zod';

/** Every code with its meaning. A code is never renamed or taken away: clients act on it. */
export const warningCodes = {
  SCAN_TURNED: 'the scan’s mesh was inside out and was turned',
  REFERENCE_TURNED: 'the reference’s mesh was inside out and was turned',
  POSE_AMBIGUOUS: 'the part fits its reference as well in other poses',
  FACES_DISAGREE: 'neighbouring triangles of a mesh disagree on which side the material is',
  SCAN_CUT: 'the part reaches beyond the scan’s field of view',
  COMPARISON_OPEN: 'the comparison itself has no verdict, or an open one, for more than its guard band',
  SEVERAL_MATERIALS: 'the part is of several materials, and its outer surface was taken',
  GAPS_COUNTED: 'hollows that look like gaps, grooves or bores of the part’s own shape count as open defects',
  SURFACE_HOLLOWS: 'hollows of the surface may be open defects or the part’s own shape',
  INCLUSIONS_FAINT: 'inclusions were looked for whose grey value no peak of the histogram tells',
  SURFACE_LEVEL: 'the part is too thin everywhere to tell the grey value of its material',
  SCAN_NOISE: 'the contrast of the scan is low for its noise',
  SCAN_FILLED: 'material fills the whole scan, with no air around it: there is no outer surface',
  SCAN_THIN_WALLS: 'the part has walls of fewer than four voxels',
  SCAN_NARROW_GAPS: 'the part has gaps of fewer than two voxels',
  SCAN_SKIN: 'the part has a thin skin of a denser material',
  SCAN_MATERIALS: 'the scan shows several materials',
  SCAN_LEVEL: 'the grey value that parts air from material lies next to one of them',
  SCAN_UNEVEN: 'the grey value of the material varies over the part, as cupping makes it',
  SCAN_GRADIENT: 'the background of the scan rises from one side to the other',
  SCAN_RINGS: 'the scan has rings',
  SCAN_BANDS: 'slices are brighter or darker than those near them',
  SCAN_SATURATED: 'grey values are cut off at the highest',
  SCAN_AIR_CUT: 'grey values are cut off at the lowest, and that of air is not known',
  SCAN_HAZE: 'air beside the part is brighter than farther out',
  SCAN_GREY_CURVE: 'grey values of the scan went through a curve, or were cut off within the noise',
  SCAN_DOUBLE_EDGES: 'edges of the scan rise in two steps',
  SCAN_SPECKS: 'single voxels of the scan stand far off all around them, and were replaced',
  SCAN_GREY_STEPS: 'grey values of the scan are rounded to few steps',
  SCAN_LOST_SLICES: 'slices of the scan are empty or repeated',
  SCAN_SLICES_MOVED:
    'slices of the scan, or rows or columns in them, are out of order or moved against each other, or slices are doubled or missing',
  SCAN_BLUR: 'edges of the scan are blurred over more than two voxels',
  SCAN_FILTERED: 'the scan went through a filter that evens noise out and keeps edges',
  SCAN_FEW_DEEP: 'hardly any place of the part is full of material, which tells its grey value',
  SCAN_UNJUDGED: 'what the scan can carry is not known',
  SCAN_ONE_LEVEL: 'nothing lies deep enough in the part to tell its grey value place by place',
  ANGLES_MISSING: 'the projections do not cover all directions',
  FEW_PROJECTIONS: 'fewer projections than the detector’s columns ask for: streaks',
  FREE_BEAM_ASSUMED: 'there are no flat images; the free beam was taken from the projections’ borders',
  DEAD_PIXELS: 'pixels of the detector were filled in from their neighbours',
  CENTER_ASSUMED: 'the centre of rotation could not be measured and was taken from the geometry',
  RINGS_NOT_FOUND: 'pixels of the detector err by no more than noise, and no rings were removed',
  HARDENING_NOT_FOUND: 'no correction of beam hardening was found that makes the material even',
  CENTER_DIFFERS:
    'the radiographs put the centre of rotation elsewhere than the given geometry, which was used',
  CENTER_MEASURED:
    'the radiographs put the centre of rotation beside the detector’s middle, and theirs was used',
  EDGES_INWARD: 'blur and strong absorption put the edges of the part too far inside',
  HARDENING_LEFT: 'a strongly absorbing part was reconstructed without a correction of beam hardening',
  RINGS_REMOVED: 'rings were removed; what is as weak and as fine as they were is changed too',
  FIELD_TRUNCATED: 'the part reaches beyond the detector at its sides',
  IMPORT: 'the file left something open, or something in it was changed or left out on import',
  OTHER: 'of a result that an earlier version made, before warnings had codes',
} as const satisfies Record<string, string>;
export type WarningCode = keyof typeof warningCodes;

export const Warning = z
  .object({
    code: z.enum(Object.keys(warningCodes) as [WarningCode, ...WarningCode[]]),
    message: z.string(),
    measures: z.array(z.string()).meta({ description: 'paths of the measures that it is about' }),
    invalidates: z.boolean().optional().meta({
      description: 'true: these measures can’t be relied on, and a gate on one of them is indeterminate',
    }),
  })
  .meta({ id: 'Warning' });
export type Warning = z.infer<typeof Warning>;
