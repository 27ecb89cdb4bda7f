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

export const ScanQuality = z
  .object({
    hasContrast: z.boolean().meta({ description: 'false: the grey values hold nothing above their noise' }),
    isFilled: z.boolean().optional().meta({
      description:
        'material fills the scan to all of its faces, so the part has no outer surface in it; absent of scans that earlier versions judged',
    }),
    contrastToNoise: z.number().nullable().meta({
      description:
        'from air to the lightest material, over the standard deviation of single voxels; null without noise',
    }),
    noiseGrain: z.number().nullable().optional().meta({
      description:
        'how much more the means of 4 × 4 × 4 voxels scatter than white noise would leave them; 1: white; null where it can’t be told, absent of scans that earlier versions judged',
    }),
    evenGrain: z.number().nullable().optional().meta({
      description:
        'the same of noise alone, without what rings and streaks add; null where it can’t be told, absent of scans that earlier versions judged',
    }),
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
    bands: z.number().nullable().optional().meta({
      description:
        'by how much slices are brighter or darker than those near them, as a share of the contrast; null where too little of the material was seen, absent of scans that earlier versions judged',
    }),
    texture: z.number().nullable().optional().meta({
      description:
        'standard deviation of the material’s own grey value from one place to the next, as a share of the contrast; null where too little lies deep in it and with several materials, absent of scans that earlier versions judged',
    }),
    border: z.array(z.enum(scanFaces)).meta({ description: 'faces of the scan that the part touches' }),
    thinnestWallVoxels: z.number().nullable().meta({
      description: 'that a tenth of the thin walls stay below; null: none is thinner than 4 voxels',
    }),
    featureVoxels: z.number().nullable().optional().meta({
      description:
        'thickness that a twentieth of the part stays below; null where that is more than about 8 voxels, absent of scans that earlier versions judged',
    }),
    smallestVoidVoxels: z.number().nullable().optional().meta({
      description:
        'across the smallest ball of air that is found, of about every second one; null where blur isn’t known, absent of scans that earlier versions judged',
    }),
    thinShare: z.number().meta({ description: 'share of the part in walls of fewer than 4 voxels' }),
    gapShare: z.number().optional().meta({
      description:
        'volume of air in gaps and pores of fewer than two voxels, as a share of the part’s; absent of scans that earlier versions judged',
    }),
    skin: z.number().nullable().optional().meta({
      description:
        'by how much edges rise above the material behind them, as a share of the contrast; null without enough straight ones, absent of scans that earlier versions judged',
    }),
    haze: z.number().nullable().optional().meta({
      description:
        'how far grey values beside edges lie above air farther out, where blur has faded, as a share of the contrast; null without enough straight edges, absent of scans that earlier versions judged',
    }),
    fullShare: z.number().nullable().optional().meta({
      description:
        'share of the part’s blocks of 4 × 4 × 4 voxels that are full of material; null with several materials, absent of scans that earlier versions judged',
    }),
    bareShare: z.number().nullable().optional().meta({
      description:
        'of several materials: share of the part’s surface that is of a denser one than the lightest; absent of scans that earlier versions judged',
    }),
    saturatedShare: z
      .number()
      .meta({ description: 'share of the material at the highest grey value of the scan' }),
    unseen: z
      .object({
        value: z.number().meta({ description: 'grey value that stands there; it counts as air' }),
        axis: z.union([z.literal(0), z.literal(1), z.literal(2)]).meta({ description: 'x, y or z' }),
        radiusVoxels: z.number().nullable().meta({
          description:
            'cells of that value farther from the axis through the middle; null: there is no circle',
        }),
        planes: z
          .tuple([z.int(), z.int()])
          .meta({ description: 'nor those before the first and from the second along the axis on' }),
      })
      .nullable()
      .optional()
      .meta({
        description:
          'what the scanner saw nothing of, as beyond the circle that turns through its view; absent of scans that earlier versions judged',
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
          'single voxels that stand far off all around them: operations read the middle of those beside them instead; null: none, absent of scans that earlier versions judged',
      }),
    isAirCut: z.boolean().optional().meta({
      description:
        'air has one grey value although there is noise, so what is darker was cut off; absent of scans that earlier versions judged',
    }),
    places: z.partialRecord(z.enum(shownNames), ShownPlace).optional().meta({
      description: 'where each of these shows best; absent of scans that earlier versions judged',
    }),
    viewDoubts: z
      .array(z.enum(viewDoubts))
      .optional()
      .meta({ description: 'of a volume that was reconstructed here: what its radiographs lack' }),
    edgesInwardVoxels: z.number().optional().meta({
      description:
        'of a volume that was reconstructed here: how far inside blur in its radiographs puts edges, by estimate; absent of volumes that earlier versions made',
    }),
    sliceOrder: z.number().nullable().optional().meta({
      description:
        'how far edges go on from one slice to the next, over their step between two; below 0 slices are out of order; null with too few edges, absent of scans that earlier versions judged',
    }),
    rowOrder: z.number().nullable().optional().meta({
      description:
        'how far edges go on from one row within a slice to the next, across y, likewise; null with too few edges, absent of scans that earlier versions judged',
    }),
    columnOrder: z.number().nullable().optional().meta({
      description:
        'how far edges go on from one column within a slice to the next, across x, likewise; null with too few edges, absent of scans that earlier versions judged',
    }),
    greyShift: z.number().nullable().optional().meta({
      description:
        'by how much the middle between air and material is off, as a share of the contrast, where a curve made the noise as lopsided as it is; 0: even; null without noise, absent of scans that earlier versions judged',
    }),
    greyStep: z.number().nullable().optional().meta({
      description:
        'how far the grey values that the scan has are apart, as a share of the contrast; null without noise, absent of scans that earlier versions judged',
    }),
    seams: z.array(z.int()).optional().meta({
      description:
        'slices to which edges jump from the one before, and don’t go on: slices are doubled or missing there; absent of scans that earlier versions judged',
    }),
    sway: z.number().nullable().optional().meta({
      description:
        'how far slices lie off the middle of those three before and after them, in voxels; 0 where their edges don’t move together; null with too few edges, absent of scans that earlier versions judged',
    }),
    doubleShare: z.number().nullable().optional().meta({
      description:
        'of the edges along one axis those that rise in two steps, where that is most; null with too few straight edges, absent of scans that earlier versions judged',
    }),
    lostSlices: z.int().nullable().meta({
      description:
        'slices that are empty or repeat another, and planes across x and y of one value; null where not all were looked at',
    }),
  })
  .meta({ id: 'ScanQuality' });
export type ScanQuality = z.infer<typeof ScanQuality>;
