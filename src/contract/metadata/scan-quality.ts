/** Quality of a scan, determined after import and before anything is measured on it. */
import { z } from 'zod';
import type { WarningCode } from './warning.ts';

export const scanFaces = ['x-', 'x+', 'y-', 'y+', 'z-', 'z+'] as const;

/** Warnings of a reconstruction that affect measurements in its volume. */
export const viewDoubts = [
  'ANGLES_MISSING',
  'FEW_PROJECTIONS',
  'CENTER_ASSUMED',
  'CENTER_DIFFERS',
  'FIELD_TRUNCATED',
  'BEAM_SATURATED',
  'BEAM_ABSORBED',
  'ROW_REPEATED',
  'EDGES_INWARD',
  'HARDENING_LEFT',
  'RINGS_REMOVED',
] as const satisfies WarningCode[];

/** Findings for which a typical place in the scan can be shown. */
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
  .meta({ description: '[first column, first row, end column, end row], ends excluded' });

const ShownPlace = z
  .object({
    axis: z.enum(['x', 'y', 'z']).meta({
      description:
        'axis normal to the plane; columns and rows run along y and z for x, along x and z for y, along x and y for z',
    }),
    index: z.int().meta({ description: 'index of the plane along the axis' }),
    boxes: z.array(PlaneBox).meta({ description: 'areas of interest in the plane' }),
    circleVoxels: z
      .number()
      .optional()
      .meta({ description: 'radius of a ring around the centre of the plane' }),
    crop: PlaneBox.optional().meta({ description: 'section of the plane to display' }),
  })
  .meta({ id: 'ShownPlace' });
export type ShownPlace = z.infer<typeof ShownPlace>;

/** A field that earlier versions did not determine. */
const later = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  schema.optional().meta({ description: `${description}; absent for scans judged by earlier versions` });
const laterNumber = (description: string) => later(z.number().nullable(), description);

export const ScanQuality = z
  .object({
    hasContrast: z.boolean().meta({ description: 'false: the grey values contain only noise' }),
    isFilled: later(
      z.boolean(),
      'true: material fills the scan up to all its faces, so there is no outer surface',
    ),
    contrastToNoise: z.number().nullable().meta({
      description:
        'grey-value contrast between air and the lightest material, divided by the standard deviation of single voxels; null without noise',
    }),
    noiseGrain: laterNumber(
      'noise grain: scatter of the means of 4 × 4 × 4 voxels relative to white noise; 1: white; null when it can’t be determined',
    ),
    evenGrain: laterNumber(
      'noise grain without the contribution of rings and streaks; null when it can’t be determined',
    ),
    airGrey: z.number().meta({ description: 'grey value of air' }),
    materials: z
      .array(z.object({ grey: z.number(), share: z.number() }))
      .meta({ description: 'grey value of each material, ascending, and its share of the part (0–1)' }),
    blurVoxels: z.number().nullable().meta({
      description: 'edge blur (standard deviation), in voxels; null when too few straight edges were found',
    }),
    unevenness: z.number().nullable().meta({
      description:
        'variation of the material’s grey value over the part, as a share of it; null when it can’t be determined',
    }),
    gradient: z.number().nullable().meta({
      description:
        'change of the air’s grey value across the scan, as a share of the contrast; null when it can’t be determined',
    }),
    rings: z.number().nullable().meta({
      description:
        'height of the strongest ring, as a share of the contrast; null when it can’t be determined',
    }),
    bands: laterNumber(
      'brightness difference between neighbouring slices, as a share of the contrast; null when too little material is visible',
    ),
    texture: laterNumber(
      'local standard deviation of the material’s own grey value, as a share of the contrast; null when too little material lies deep inside, and with several materials',
    ),
    unresolved: laterNumber(
      'by how much grey values rise and fall within the material over a few voxels, as with foils or wires whose gaps don’t show as air, as a share of the contrast, without the blur where they are periodic; null where too little lies deep inside, and with several materials',
    ),
    faintShare: later(
      z.number(),
      'volume of places beside the part that are brighter than air by more than 6 % of the contrast, as a share of the part’s volume; of thin ones only the middle counts',
    ),
    border: z.array(z.enum(scanFaces)).meta({ description: 'faces of the scan that the part touches' }),
    thinnestWallVoxels: z.number().nullable().meta({
      description:
        '10th percentile of wall thickness over thin walls, in voxels; null when no wall is thinner than 4 voxels',
    }),
    featureVoxels: laterNumber(
      '5th percentile of thickness over the part, in voxels; null when it exceeds about 8 voxels',
    ),
    smallestVoidVoxels: laterNumber(
      'diameter of pores of which about half are detected, in voxels; null when the blur is unknown',
    ),
    thinShare: z.number().meta({ description: 'share of the part in walls thinner than 4 voxels (0–1)' }),
    gapShare: later(
      z.number(),
      'volume of air in gaps and pores narrower than two voxels, as a share of the part’s volume',
    ),
    faintGapShare: later(
      z.number(),
      'volume of air in gaps of a fraction of a voxel inside the material, which darken it by less than half of the contrast, as a share of the part’s volume; 0 when noise may explain them',
    ),
    skin: laterNumber(
      'height by which edges exceed the material behind them, as a share of the contrast; null with too few straight edges',
    ),
    haze: laterNumber(
      'excess brightness of air near edges (beyond blur) over air further out, as a share of the contrast; null with too few straight edges',
    ),
    fullShare: laterNumber(
      'share of the part’s blocks of 4 × 4 × 4 voxels that are completely filled with material; null with several materials',
    ),
    bareShare: laterNumber(
      'with several materials: share of the part’s surface made of a denser material than the lightest; otherwise null',
    ),
    saturatedShare: z
      .number()
      .meta({ description: 'share of the material’s voxels at the highest grey value of the scan (0–1)' }),
    unseen: z
      .object({
        value: z.number().meta({ description: 'grey value stored there; it counts as air' }),
        axis: z
          .union([z.literal(0), z.literal(1), z.literal(2)])
          .meta({ description: 'axis of the field of view: 0 = x, 1 = y, 2 = z' }),
        radiusVoxels: z.number().nullable().meta({
          description:
            'radius of the field of view around the axis through the centre; null when it is not circular',
        }),
        planes: z.tuple([z.int(), z.int()]).meta({
          description: 'indices [first, end) of the planes along the axis within the field of view',
        }),
      })
      .nullable()
      .optional()
      .meta({
        description:
          'region outside the scanner’s field of view, such as the corners; null: none; absent for scans judged by earlier versions',
      }),
    specks: z
      .object({
        share: z.number().meta({ description: 'share of all voxels (0–1)' }),
        leastStep: z.number().meta({
          description:
            'minimum difference in grey value between such a voxel and all its neighbours, or all but one',
        }),
      })
      .nullable()
      .optional()
      .meta({
        description:
          'single voxels that differ strongly from their neighbours; operations replace them by the median of the neighbours; null: none; absent for scans judged by earlier versions',
      }),
    isAirCut: later(
      z.boolean(),
      'true: air has a single grey value although there is noise, so darker values were cut off',
    ),
    places: later(
      z.partialRecord(z.enum(shownNames), ShownPlace),
      'place that shows each finding best, by its name',
    ),
    viewDoubts: z.array(z.enum(viewDoubts)).optional().meta({
      description: 'warnings of the reconstruction; only for volumes reconstructed by this service',
    }),
    edgesInwardVoxels: z.number().optional().meta({
      description:
        'estimated inward shift of edges caused by blur in the radiographs, in voxels; only for volumes reconstructed by this service, absent for earlier versions',
    }),
    sliceOrder: laterNumber(
      'how well edges continue from slice to slice, relative to their step between two slices; below 0: slices are out of order; null with too few edges',
    ),
    rowOrder: laterNumber(
      'like sliceOrder, from row to row within slices (along y); null with too few edges',
    ),
    columnOrder: laterNumber(
      'like sliceOrder, from column to column within slices (along x); null with too few edges',
    ),
    greyShift: laterNumber(
      'offset of edges from the level midway between air and material, as a share of the contrast, estimated from the skewness of the noise; 0: none; null without noise',
    ),
    greyStep: laterNumber(
      'step between the grey values that occur, as a share of the contrast; null without noise',
    ),
    seams: later(
      z.array(z.int()),
      'indices of slices before which edges jump: slices are doubled or missing there',
    ),
    sway: laterNumber(
      'shift of slices relative to the three before and after them, in voxels; 0 when their edges don’t move together; null with too few edges',
    ),
    doubleShare: laterNumber(
      'share of edges along one axis that rise in two steps, for the axis with the largest share; null with too few straight edges',
    ),
    lostSlices: z.int().nullable().meta({
      description:
        'number of slices that are empty or repeat another, and of planes across x and y with a single value; null when not all were checked',
    }),
  })
  .meta({ id: 'ScanQuality' });
export type ScanQuality = z.infer<typeof ScanQuality>;
