/** What was found out about a scan on import, before anything is measured on it. */
import { z } from 'zod';
import type { WarningCode } from './warning.ts';

export const scanFaces = ['x-', 'x+', 'y-', 'y+', 'z-', 'z+'] as const;

/** What a reconstruction says of its radiographs that whoever measures in its volume has to know. */
export const viewDoubts = [
  'ANGLES_MISSING',
  'FEW_PROJECTIONS',
  'CENTER_ASSUMED',
  'CENTER_DIFFERS',
  'FIELD_TRUNCATED',
  'EDGES_INWARD',
  'HARDENING_LEFT',
  'RINGS_REMOVED',
] as const satisfies WarningCode[];

/** What of a scan can be shown, by the names of what was found. */
export const shownNames = [
  'noise',
  'blur',
  'filtered',
  'fewDeep',
  'thinWalls',
  'narrowGaps',
  'skin',
  'materials',
  'cut',
  'uneven',
  'gradient',
  'rings',
  'bands',
  'saturated',
  'airCut',
  'lostSlices',
  'slicesMoved',
] as const;
export type ShownName = (typeof shownNames)[number];

const PlaneBox = z
  .tuple([z.int(), z.int(), z.int(), z.int()])
  .meta({ description: 'from column, row to before column, row' });

const ShownPlace = z
  .object({
    axis: z.enum(['x', 'y', 'z']).meta({
      description:
        'that the plane lies across; of x columns go along y and rows along z, of y along x and z, of z along x and y',
    }),
    index: z.int().meta({ description: 'of the plane, in voxels' }),
    boxes: z.array(PlaneBox).meta({ description: 'what to look at in it' }),
    circleVoxels: z
      .number()
      .optional()
      .meta({ description: 'radius of a ring about the middle of the plane' }),
    crop: PlaneBox.optional().meta({ description: 'the part of the plane that shows it' }),
  })
  .meta({ id: 'ShownPlace' });
export type ShownPlace = z.infer<typeof ShownPlace>;

/** What earlier versions did not look for. */
const later = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  schema.optional().meta({ description: `${description}; missing for scans judged by earlier versions` });
const laterNumber = (description: string) => later(z.number().nullable(), description);

export const ScanQuality = z
  .object({
    hasContrast: z.boolean().meta({ description: 'false: the grey values show nothing but noise' }),
    isFilled: later(
      z.boolean(),
      'material fills the scan to all of its faces, so the part has no outer surface in it',
    ),
    contrastToNoise: z.number().nullable().meta({
      description:
        'from air to the lightest material, over the standard deviation of single voxels; null without noise',
    }),
    noiseGrain: laterNumber(
      'how much more the means of 4 × 4 × 4 voxels scatter than they would with white noise; 1: white; null where it can’t be determined',
    ),
    evenGrain: laterNumber(
      'the same for noise alone, without rings and streaks; null where it can’t be determined',
    ),
    airGrey: z.number(),
    materials: z
      .array(z.object({ grey: z.number(), share: z.number() }))
      .meta({ description: 'grey value of each, ascending, and its share of the part' }),
    blurVoxels: z.number().nullable().meta({ description: 'standard deviation of the edges' }),
    unevenness: z.number().nullable().meta({
      description: 'how far the grey value of the one material varies over the part, as a share',
    }),
    gradient: z
      .number()
      .nullable()
      .meta({ description: 'change of the air’s grey value across the scan, as a share of the contrast' }),
    rings: z.number().nullable().meta({ description: 'strongest ring, as a share of the contrast' }),
    bands: laterNumber(
      'by how much slices are brighter or darker than their neighbours, as a share of the contrast; null where too little of the material was seen',
    ),
    texture: laterNumber(
      'standard deviation of the material’s own grey value from one place to the next, as a share of the contrast; null where too little lies deep inside, and with several materials',
    ),
    border: z.array(z.enum(scanFaces)).meta({ description: 'faces of the scan that the part touches' }),
    thinnestWallVoxels: z.number().nullable().meta({
      description: 'that a tenth of the thin walls stay below; null: none is thinner than 4 voxels',
    }),
    featureVoxels: laterNumber(
      'thickness that a twentieth of the part is below; null where that is more than about 8 voxels',
    ),
    smallestVoidVoxels: laterNumber(
      'diameter of the smallest pore of which about every second one is found; null where blur isn’t known',
    ),
    thinShare: z.number().meta({ description: 'share of the part in walls of fewer than 4 voxels' }),
    gapShare: later(
      z.number(),
      'volume of air in gaps and pores of fewer than two voxels, as a share of the part’s',
    ),
    skin: laterNumber(
      'by how much edges rise above the material behind them, as a share of the contrast; null without enough straight ones',
    ),
    haze: laterNumber(
      'how far grey values beside edges lie above those of air further out, beyond the blur, as a share of the contrast; null without enough straight edges',
    ),
    fullShare: laterNumber(
      'share of the part’s blocks of 4 × 4 × 4 voxels that are full of material; null with several materials',
    ),
    bareShare: laterNumber(
      'of several materials: share of the part’s surface that is of a denser one than the lightest',
    ),
    saturatedShare: z
      .number()
      .meta({ description: 'share of the material at the highest grey value of the scan' }),
    unseen: z
      .object({
        value: z.number().meta({ description: 'grey value that stands there; it counts as air' }),
        axis: z.union([z.literal(0), z.literal(1), z.literal(2)]).meta({ description: 'x, y or z' }),
        radiusVoxels: z.number().nullable().meta({
          description:
            'voxels further than this from the axis through the middle were not seen; null: there is no circle',
        }),
        planes: z
          .tuple([z.int(), z.int()])
          .meta({ description: 'planes before the first and from the second one on were not seen' }),
      })
      .nullable()
      .optional()
      .meta({
        description:
          'what the scanner did not see, such as the corners outside the field of view; missing for scans judged by earlier versions',
      }),
    specks: z
      .object({
        share: z.number().meta({ description: 'of the voxels' }),
        leastStep: z
          .number()
          .meta({ description: 'grey values that one differs by from all beside it, or all but one' }),
      })
      .nullable()
      .optional()
      .meta({
        description:
          'single voxels that differ strongly from their neighbours: operations read the median of their neighbours instead; null: none; missing for scans judged by earlier versions',
      }),
    isAirCut: later(
      z.boolean(),
      'air has one grey value although there is noise, so what is darker was cut off',
    ),
    places: later(z.partialRecord(z.enum(shownNames), ShownPlace), 'where each of these shows best'),
    viewDoubts: z
      .array(z.enum(viewDoubts))
      .optional()
      .meta({ description: 'of a volume that was reconstructed here: what its radiographs lack' }),
    edgesInwardVoxels: z.number().optional().meta({
      description:
        'of a volume that was reconstructed here: how far inside blur in its radiographs puts edges, by estimate; missing for volumes made by earlier versions',
    }),
    sliceOrder: laterNumber(
      'how well edges continue from one slice to the next, relative to their step between two; below 0 slices are out of order; null with too few edges',
    ),
    rowOrder: laterNumber('the same from row to row within slices (across y); null with too few edges'),
    columnOrder: laterNumber(
      'the same from column to column within slices (across x); null with too few edges',
    ),
    greyShift: laterNumber(
      'how far edges lie from the level midway between air and material, as a share of the contrast, judged by how lopsided the noise is; 0: even; null without noise',
    ),
    greyStep: laterNumber(
      'step between the grey values that occur in the scan, as a share of the contrast; null without noise',
    ),
    seams: later(
      z.array(z.int()),
      'slices before which edges jump without continuing: slices are doubled or missing there',
    ),
    sway: laterNumber(
      'how far slices are shifted against the three before and after them, in voxels; 0 where their edges don’t move together; null with too few edges',
    ),
    doubleShare: laterNumber(
      'share of the edges along one axis that rise in two steps, for the axis with most of them; null with too few straight edges',
    ),
    lostSlices: z.int().nullable().meta({
      description:
        'slices that are empty or repeat another, and planes across x and y of one value; null where not all were looked at',
    }),
  })
  .meta({ id: 'ScanQuality' });
export type ScanQuality = z.infer<typeof ScanQuality>;
