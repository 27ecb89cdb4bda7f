/** Warnings about a result, each with a code that programs can act on. */
import { z } from 'zod';

/** Every code with its meaning. Codes are never renamed or removed, because clients depend on them. */
export const warningCodes = {
  SCAN_TURNED: 'the scan’s mesh was inside out and was turned',
  REFERENCE_TURNED: 'the reference’s mesh was inside out and was turned',
  POSE_AMBIGUOUS: 'the part fits its reference equally well in other poses',
  FACES_DISAGREE: 'neighbouring triangles of a mesh disagree on which side the material is',
  SCAN_CUT: 'the part reaches beyond the scan’s field of view',
  COMPARISON_OPEN:
    'the comparison itself has no verdict, or an indeterminate one, and not only because of its guard band',
  SEVERAL_MATERIALS: 'the part consists of several materials; its outer surface was used',
  GAPS_COUNTED: 'hollows that look like gaps, grooves or bores of the part’s own shape count as open defects',
  VOIDS_FILLED: 'closed voids are not empty: they are filled, or scatter brightens them',
  SURFACE_HOLLOWS: 'hollows of the surface may be open defects or the part’s own shape',
  INCLUSIONS_FAINT:
    'the grey value of the inclusions searched for has no peak in the histogram, or the material itself reaches it',
  SURFACE_LEVEL: 'the part is nowhere thick enough to determine the grey value of its material',
  SCAN_NOISE: 'the contrast of the scan is low compared with its noise',
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
  SCAN_SATURATED: 'grey values are cut off at the highest value',
  SCAN_AIR_CUT: 'grey values are cut off at the lowest value, and the grey value of air is unknown',
  SCAN_HAZE: 'air near the part is brighter than further out',
  SCAN_FAINT_PLACES:
    'places beside the part are brighter than air, and count as air: foam, seals, liquids, powder or scatter',
  SCAN_GREY_CURVE:
    'a curve was applied to the grey values of the scan, or they were cut off within the noise',
  SCAN_DOUBLE_EDGES: 'edges of the scan rise in two steps or lean to one side',
  SCAN_SPECKS: 'single voxels of the scan differed strongly from their neighbours and were replaced',
  SCAN_GREY_STEPS: 'grey values of the scan are rounded to few steps',
  SCAN_LOST_SLICES: 'slices of the scan are empty or repeated',
  SCAN_SLICES_MOVED:
    'slices of the scan, or rows or columns in them, are out of order or shifted against each other, or slices are doubled or missing',
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
  RINGS_NOT_FOUND: 'detector pixels deviate by no more than noise, and no rings were removed',
  HARDENING_NOT_FOUND: 'no beam hardening correction was found that makes the material even',
  CENTER_DIFFERS:
    'the centre of rotation measured in the radiographs differs from the given geometry, which was used',
  CENTER_MEASURED:
    'the centre of rotation measured in the radiographs, beside the middle of the detector, was used',
  EDGES_INWARD: 'blur and strong absorption move the edges of the part inwards',
  HARDENING_LEFT: 'a strongly absorbing part was reconstructed without beam hardening correction',
  RINGS_REMOVED: 'rings were removed; other details as weak and fine as these rings are affected, too',
  FIELD_TRUNCATED: 'the part reaches beyond the detector at its sides',
  BEAM_SATURATED: 'the detector was saturated beside the part',
  BEAM_ABSORBED: 'nothing but noise was left of the beam behind the densest places of the part',
  ROW_REPEATED: 'a row of the radiographs is the same as the one before it',
  IMPORT: 'the file was ambiguous, or something in it was changed or left out on import',
  OTHER: 'warning of a result made by an earlier version, before warnings had codes',
} as const satisfies Record<string, string>;
export type WarningCode = keyof typeof warningCodes;

export const Warning = z
  .object({
    code: z.enum(Object.keys(warningCodes) as [WarningCode, ...WarningCode[]]),
    message: z.string(),
    measures: z.array(z.string()).meta({ description: 'paths of the affected measures' }),
    invalidates: z.boolean().optional().meta({
      description: 'true: these measures are unreliable, and gates on them are indeterminate',
    }),
  })
  .meta({ id: 'Warning' });
export type Warning = z.infer<typeof Warning>;
