/** Complete state of the viewer, in millimetres and grey values, never in pixels. */
import { z } from 'zod';
import { Uuid, Vector3 } from '../base/primitives.ts';
import { migrateViewState } from './migrate-view-state.ts';

const Plane = z.strictObject({
  centerMm: Vector3,
  heightMm: z.number().positive().meta({ description: 'height of the visible area' }),
});

const Normal = Vector3.refine((normal) => Math.hypot(...normal) > 0, { message: 'has no direction' });
const halfSpace = {
  normal: Normal.meta({ description: 'points with normal · point > offsetMm are cut away' }),
  offsetMm: z.number(),
};

export const maxClipPlanes = 6;

const ClipBox = z
  .strictObject({
    enabled: z.boolean(),
    minMm: Vector3,
    maxMm: Vector3.meta({ examples: [[2, 2, 2]] }),
    keep: z.enum(['inside', 'outside']).meta({ description: 'side of the box that stays visible' }),
  })
  .refine(({ minMm, maxMm }) => minMm.every((low, axis) => low < (maxMm[axis] ?? low)), {
    message: 'each of maxMm must be greater than its minMm',
  });

const Clips = z
  .strictObject({
    box: ClipBox.nullable().meta({ description: 'box along the world axes; null: none' }),
    planes: z.array(z.strictObject({ enabled: z.boolean(), ...halfSpace })).max(maxClipPlanes),
    beforePlace: z.strictObject(halfSpace).nullable().meta({
      description:
        'temporary cut that exposes a selected place, replaced when another place is selected; null: none',
    }),
    section: z.enum(['grey', 'plain', 'open']).meta({
      description:
        'fill of the cut: `grey`: grey values of the scan (one colour without a scan); `plain`: one colour; `open`: none, the inside of the walls is visible',
    }),
  })
  .meta({ description: 'cuts through the part in 3D' });

export const scalarMaps = ['viridis', 'cividis', 'coolwarm', 'batlow', 'gray', 'tolerance'] as const;

export const volumeStyles = ['surface', 'bone', 'xray', 'maximum'] as const;

export const compareViews = ['xy', 'xz', 'yz', '3d'] as const;
export const compareModes = ['side', 'blend', 'swipe', 'blink'] as const;
export const heldScans = ['first', 'other'] as const;
/** More scans than this can't be distinguished on one screen. */
export const maxComparedScans = 9;

const Comparison = z
  .strictObject({
    scans: z
      .array(
        z.strictObject({
          projectId: Uuid,
          volumeId: Uuid.nullable().meta({ description: 'null: newest volume of the project' }),
        }),
      )
      .min(2)
      .max(maxComparedScans),
    view: z.enum(compareViews),
    mode: z.enum(compareModes).meta({ description: 'applies to slices and surfaces' }),
    over: z
      .int()
      .min(1)
      .max(maxComparedScans - 1)
      .meta({ description: 'index of the scan that is drawn over the first' }),
    share: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: 'visible fraction of the scan on top: opacity for blend, width for swipe' }),
    held: z.enum(heldScans).nullable().meta({
      description:
        'which of two scans a paused blink shows; null = both alternate, and pictures show the first',
    }),
    aligned: z.boolean().meta({
      description: 'true: each scan at its aligned position; false: at its scanned position',
    }),
    middleMm: Vector3.nullable().meta({ description: 'centre of the panes; null: centre of all scans' }),
    heightMm: z
      .number()
      .positive()
      .nullable()
      .meta({ description: 'visible height of the panes; null: fits all scans' }),
  })
  .refine(({ scans, over }) => over < scans.length, {
    path: ['over'],
    message: 'must be the index of one of the scans',
  })
  .meta({
    description:
      'scans of several projects side by side or overlaid; cursor, window and camera come from this state',
  });

const CurvePoint = z.strictObject({
  value: z.number().meta({ description: 'raw grey value' }),
  opacity: z.number().min(0).max(1),
  color: z
    .string()
    .regex(/^#[0-9a-f]{6}$/)
    .meta({ examples: ['#c3c8ce'] }),
});

/** The object schema without migration, from which other shapes pick fields. */
export const ViewStateFields = z.strictObject({
  version: z.literal(2),
  volumeId: Uuid.nullable(),
  meshId: Uuid.nullable(),
  alignmentId: Uuid.nullable().meta({
    description: 'alignment whose reference is shown with the scan; null: none',
  }),
  layout: z.enum(['main', 'grid', 'xy', 'xz', 'yz', 'oblique', '3d']).meta({
    description:
      '`main`: large 3D pane with the slices beside it; `grid`: four equal panes; others: a single pane',
  }),
  camera: z
    .strictObject({
      position: Vector3,
      target: Vector3,
      up: Vector3,
      projection: z.enum(['orthographic', 'perspective']),
      heightMm: z.number().positive(),
    })
    .nullable()
    .meta({ description: 'null: fits the part' }),
  cursorMm: Vector3.nullable().meta({ description: 'null: centre of the part' }),
  planes: z.strictObject({ xy: Plane, xz: Plane, yz: Plane, oblique: Plane.nullable() }).nullable(),
  oblique: z.strictObject({ normal: Vector3, up: Vector3 }).nullable().meta({
    description: 'oblique plane through the cursor, seen against `normal` with `up` pointing up; null: none',
  }),
  window: z
    .strictObject({ center: z.number(), width: z.number().positive() })
    .nullable()
    .meta({ description: 'grey-value window in raw grey values; null: default window of the volume' }),
  surface: z.strictObject({
    visible: z.boolean(),
    opacity: z.number().min(0).max(1),
    scalar: z.string().nullable(),
    map: z.enum(scalarMaps),
    range: z.tuple([z.number(), z.number()]).nullable(),
    brush: z
      .tuple([z.number(), z.number()])
      .nullable()
      .meta({ description: 'only values in this range keep their colour; null: all' }),
    shaded: z.boolean(),
  }),
  scene: z
    .strictObject({
      edges: z.boolean().meta({ description: 'silhouettes and feature edges of surfaces' }),
      occlusion: z.boolean().nullable().meta({
        description: 'ambient occlusion; null: only where a GPU renders, and in the service’s renders',
      }),
      gradient: z.boolean().meta({ description: 'background with a vertical gradient' }),
    })
    .meta({
      description: 'effects in 3D; ignored when `surface.shaded` is false, so that colours match the legend',
    }),
  referenceVisible: z.boolean().meta({ description: 'whether the alignment’s reference is visible in 3D' }),
  slices: z
    .strictObject({
      surface: z.boolean(),
      reference: z.boolean(),
      whiskers: z
        .boolean()
        .meta({ description: 'deviations drawn as lines from the reference to the surface' }),
      magnification: z.number().min(1).max(1e6).nullable().meta({
        description:
          'magnification of the whiskers; null: chosen so that the limits of the colour scale are visible in each slice',
      }),
      walls: z.boolean().meta({ description: 'wall thickness drawn as arrows where it was measured' }),
    })
    .meta({ description: 'outlines and annotations drawn on slices' }),
  smooth: z.boolean().meta({ description: 'true: grey values are interpolated between voxels' }),
  clips: Clips,
  labels: z
    .array(
      z.strictObject({
        pointMm: Vector3,
        title: z.string().max(80),
        value: z.number().nullable().meta({ description: 'value at that point; null: not measured there' }),
        unit: z.string().max(16),
        note: z.string().max(200).meta({ description: 'text of the user; empty: none' }),
      }),
    )
    .max(50)
    .meta({ description: 'labels pinned to points' }),
  measurements: z
    .strictObject({ visible: z.boolean(), selectedId: Uuid.nullable() })
    .meta({ description: 'whether the project’s measurements are drawn, and which one is selected' }),
  selectedDefectId: z.string().nullable(),
  defects: z.strictObject({
    filter: z
      .array(
        z.strictObject({
          column: z.string().max(100),
          min: z.number().nullable(),
          max: z.number().nullable(),
        }),
      )
      .max(16)
      .meta({ description: 'only defects within all of these limits are shown' }),
    order: z.strictObject({ column: z.string().max(100), descending: z.boolean() }).nullable(),
    histogram: z
      .strictObject({
        column: z.string().max(100).nullable().meta({ description: 'null: the first column of numbers' }),
        log: z.boolean().meta({ description: 'logarithmic classes for columns of sizes' }),
      })
      .meta({ description: 'histogram beside the table of defects' }),
  }),
  volume: z.strictObject({
    visible: z
      .boolean()
      .nullable()
      .meta({ description: 'whether the volume is rendered in 3D; null: only when no surface is visible' }),
    style: z.enum(volumeStyles),
    curve: z.array(CurvePoint).min(2).max(16).nullable().meta({
      description: 'transfer function from grey value to opacity and colour; null: default of the style',
    }),
  }),
  compare: Comparison.nullable().meta({ description: 'null: only the project’s own scan is shown' }),
});

/** Accepts version 1 as well and converts it to version 2. */
export const ViewState = z.preprocess(migrateViewState, ViewStateFields).meta({ id: 'ViewState' });
export type ViewState = z.infer<typeof ViewState>;
