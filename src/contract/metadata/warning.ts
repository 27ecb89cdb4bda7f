/** What whoever relies on a result has to know, with a code that programs can act on. */
import { z } from 'zod';

/** Every code with its meaning. A code is never renamed or taken away: clients act on it. */
export const warningCodes = {
  SCAN_TURNED: 'the scan’s mesh was inside out and was turned',
  REFERENCE_TURNED: 'the reference’s mesh was inside out and was turned',
  POSE_AMBIGUOUS: 'the part fits its reference equally well in other poses',
  FACES_DISAGREE: 'neighbouring triangles of a mesh disagree on which side the material is',
  SCAN_CUT: 'the part reaches beyond the scan’s field of view',
  COMPARISON_OPEN:
    'the comparison itself has no verdict, or an indeterminate one, and not only because of its guard band',
  SEVERAL_MATERIALS: 'the part is of several materials, and its outer surface was taken',
  GAPS_COUNTED: 'hollows that look like gaps, grooves or bores of the part’s own shape count as open defects',
  VOIDS_FILLED: 'closed voids are not empty: something fills them, or scatter makes them pale',
  SURFACE_HOLLOWS: 'hollows of the surface may be open defects or the part’s own shape',
  INCLUSIONS_FAINT: 'inclusions were searched whose grey value has no peak in the histogram',
  SURFACE_LEVEL: 'the part is nowhere thick enough to determine the grey value of its material',
  SCAN_NOISE: 'the contrast of the scan is low for its noise',
  SCAN_FILLED: 'material fills the whole scan, without air around it: there is no outer surface',
  SCAN_THIN_WALLS: 'the part has walls of fewer than four voxels',
  SCAN_NARROW_GAPS: 'the part has gaps of fewer than two voxels',
  SCAN_SKIN: 'the part has a thin skin of a denser material',
  SCAN_MATERIALS: 'the scan shows several materials',
  SCAN_LEVEL: 'the grey value that separates air from material lies close to one of them',
  SCAN_UNEVEN: 'the grey value of the material varies over the part, as with cupping',
  SCAN_GRADIENT: 'the background of the scan rises from one side to the other',
  SCAN_RINGS: 'the scan has rings',
  SCAN_BANDS: 'slices are brighter or darker than their neighbours',
  SCAN_SATURATED: 'grey values are cut off at the highest',
  SCAN_AIR_CUT: 'grey values are cut off at the lowest, and that of air is not known',
  SCAN_HAZE: 'air near the part is brighter than further out',
  SCAN_GREY_CURVE: 'grey values of the scan went through a curve, or were cut off within the noise',
  SCAN_DOUBLE_EDGES: 'edges of the scan rise in two steps',
  SCAN_SPECKS: 'single voxels of the scan differed strongly from their neighbours and were replaced',
  SCAN_GREY_STEPS: 'grey values of the scan are rounded to few steps',
  SCAN_LOST_SLICES: 'slices of the scan are empty or repeated',
  SCAN_SLICES_MOVED:
    'slices of the scan, or rows or columns in them, are out of order or moved against each other, or slices are doubled or missing',
  SCAN_BLUR: 'edges of the scan are blurred over more than two voxels',
  SCAN_FILTERED: 'the scan was smoothed with an edge-preserving filter',
  SCAN_FEW_DEEP: 'the part has few places thick enough to determine the grey value of its material',
  SCAN_UNJUDGED: 'the quality of the scan is not known',
  SCAN_ONE_LEVEL: 'the part is nowhere thick enough to determine its grey value locally',
  ANGLES_MISSING: 'the projections do not cover all directions',
  FEW_PROJECTIONS: 'fewer projections than the width of the detector requires: streaks',
  FREE_BEAM_ASSUMED: 'there are no flat images; the free beam was taken from the projections’ borders',
  DEAD_PIXELS: 'pixels of the detector were filled in from their neighbours',
  CENTER_ASSUMED: 'the centre of rotation could not be measured and was taken from the geometry',
  RINGS_NOT_FOUND: 'pixels of the detector err by no more than noise, and no rings were removed',
  HARDENING_NOT_FOUND: 'no beam hardening correction was found that makes the material even',
  CENTER_DIFFERS:
    'the radiographs put the centre of rotation elsewhere than the given geometry, which was used',
  CENTER_MEASURED:
    'the radiographs put the centre of rotation beside the middle of the detector; theirs was used',
  EDGES_INWARD: 'blur and strong absorption move the edges of the part inwards',
  HARDENING_LEFT: 'a strongly absorbing part was reconstructed without beam hardening correction',
  RINGS_REMOVED: 'rings were removed; what is as weak and as fine as they were is changed too',
  FIELD_TRUNCATED: 'the part reaches beyond the detector at its sides',
  IMPORT: 'the file was ambiguous, or something in it was changed or left out on import',
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
