/** Everything that decides what the viewer shows. Millimetres and grey values only, never pixels. */
import { z } from 'zod';
import { Uuid, Vector3 } from '../base/primitives.ts';
import { migrateViewState } from './migrate-view-state.ts';

const Plane = z.strictObject({
  centerMm: Vector3,
  heightMm: z.number().positive().meta({ description: 'of the part of the plane that is seen' }),
});

const Normal = Vector3.refine((normal) => Math.hypot(...normal) > 0, { message: 'has no direction' });
const halfSpace = {
  normal: Normal.meta({ description: 'what lies beyond is cut away: normal · point > offsetMm' }),
  offsetMm: z.number(),
};

/** As many planes as may cut a part open. */
export const mostClipPlanes = 6;

const ClipBox = z
  .strictObject({
    enabled: z.boolean(),
    minMm: Vector3,
    maxMm: Vector3.meta({ examples: [[2, 2, 2]] }),
    keep: z.enum(['inside', 'outside']).meta({ description: 'which side of the box stays' }),
  })
  .refine(({ minMm, maxMm }) => minMm.every((low, axis) => low < (maxMm[axis] ?? low)), {
    message: 'each of maxMm must be greater than its minMm',
  });

const Clips = z
  .strictObject({
    box: ClipBox.nullable().meta({ description: 'along the axes of the world' }),
    planes: z.array(z.strictObject({ enabled: z.boolean(), ...halfSpace })).max(mostClipPlanes),
    beforePlace: z
      .strictObject(halfSpace)
      .nullable()
      .meta({ description: 'opens the part before a place that was chosen; gone with the next one' }),
    section: z.enum(['grey', 'plain', 'open']).meta({
      description:
        'what the section of the part shows: the grey values of the scan (one colour where there is no scan), one colour, or the inside of its walls',
    }),
  })
  .meta({ description: 'where the part is cut open in 3D' });

export const scalarMaps = ['viridis', 'cividis', 'coolwarm', 'batlow', 'gray', 'tolerance'] as const;

export const volumeStyles = ['surface', 'bone', 'xray', 'maximum'] as const;

export const compareViews = ['xy', 'xz', 'yz', '3d'] as const;
export const compareModes = ['side', 'blend', 'swipe', 'blink'] as const;
/** More than these can't be told apart on a screen. */
export const mostCompared = 9;

const Comparison = z
  .strictObject({
    scans: z
      .array(
        z.strictObject({
          projectId: Uuid,
          volumeId: Uuid.nullable().meta({ description: 'null = the newest of the project' }),
        }),
      )
      .min(2)
      .max(mostCompared),
    view: z.enum(compareViews),
    mode: z.enum(compareModes).meta({ description: 'of slices as of surfaces' }),
    over: z
      .int()
      .min(1)
      .max(mostCompared - 1)
      .meta({ description: 'which of the scans is laid over the first' }),
    share: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: 'how much of it is seen: its opacity blended, its width swiped' }),
    aligned: z.boolean().meta({
      description: 'each scan lies where its alignment lays it; else where it was scanned',
    }),
    middleMm: Vector3.nullable().meta({ description: 'of the panes; null = of all scans' }),
    heightMm: z.number().positive().nullable().meta({ description: 'of the panes; null = all of the scans' }),
  })
  .refine(({ scans, over }) => over < scans.length, { path: ['over'], message: 'is none of the scans' })
  .meta({
    description:
      'scans of projects beside or over each other, with the cursor, window and camera of this state',
  });

const CurvePoint = z.strictObject({
  value: z.number().meta({ description: 'raw grey value' }),
  opacity: z.number().min(0).max(1),
  color: z
    .string()
    .regex(/^#[0-9a-f]{6}$/)
    .meta({ examples: ['#c3c8ce'] }),
});

/** The shape itself, for what carries a part of it. */
export const ViewStateFields = z.strictObject({
  version: z.literal(2),
  volumeId: Uuid.nullable(),
  meshId: Uuid.nullable(),
  alignmentId: Uuid.nullable().meta({
    description: 'the alignment that is shown: what it laid the scan on stands beside it; null = none',
  }),
  layout: z.enum(['main', 'grid', 'xy', 'xz', 'yz', 'oblique', '3d']).meta({
    description: '`main`: 3D large, the slices beside it; `grid`: four alike; else one pane alone',
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
    .meta({ description: 'null = fits the part' }),
  cursorMm: Vector3.nullable().meta({ description: 'null = the middle' }),
  planes: z.strictObject({ xy: Plane, xz: Plane, yz: Plane, oblique: Plane.nullable() }).nullable(),
  oblique: z.strictObject({ normal: Vector3, up: Vector3 }).nullable().meta({
    description:
      'a plane of any lie through the cursor, looked at against `normal`, `up` upwards; null = there is none',
  }),
  window: z
    .strictObject({ center: z.number(), width: z.number().positive() })
    .nullable()
    .meta({ description: 'raw grey values; null = the volume’s own' }),
  surface: z.strictObject({
    visible: z.boolean(),
    opacity: z.number().min(0).max(1),
    scalar: z.string().nullable(),
    map: z.enum(scalarMaps),
    range: z.tuple([z.number(), z.number()]).nullable(),
    brush: z
      .tuple([z.number(), z.number()])
      .nullable()
      .meta({ description: 'only what has a value between these keeps its colour; null = all' }),
    shaded: z.boolean(),
  }),
  scene: z
    .strictObject({
      edges: z.boolean().meta({ description: 'silhouettes and feature edges of surfaces' }),
      occlusion: z.boolean().nullable().meta({
        description:
          'hollows of surfaces are darker; null = where a graphics card draws, and in pictures of the service',
      }),
      gradient: z.boolean().meta({ description: 'the ground fades from top to bottom' }),
    })
    .meta({
      description: 'in 3D; left out where `surface.shaded` is false, whose colours are the legend’s',
    }),
  referenceVisible: z
    .boolean()
    .meta({ description: 'what the part was laid on, where it is shown beside it' }),
  slices: z
    .strictObject({
      surface: z.boolean(),
      reference: z.boolean(),
      whiskers: z.boolean().meta({ description: 'deviations as lines from the reference to the surface' }),
      magnification: z.number().min(1).max(1e6).nullable().meta({
        description: 'of whiskers; null = so that the limits of the colours can be seen in each slice',
      }),
      walls: z.boolean().meta({ description: 'arrows across walls where their thickness was measured' }),
    })
    .meta({ description: 'whether slices show where they cut the surface, and what it was laid on' }),
  smooth: z.boolean().meta({ description: 'grey values interpolated between voxels' }),
  clips: Clips,
  labels: z
    .array(
      z.strictObject({
        pointMm: Vector3,
        title: z.string().max(80),
        value: z.number().nullable().meta({ description: 'as it was read; null = not measured there' }),
        unit: z.string().max(16),
        note: z.string().max(200).meta({ description: 'what somebody says of the place; empty = nothing' }),
      }),
    )
    .max(50)
    .meta({ description: 'values pinned to their places' }),
  measurements: z
    .strictObject({ visible: z.boolean(), selectedId: Uuid.nullable() })
    .meta({ description: 'whether the project’s measurements are drawn, and which of them is chosen' }),
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
      .meta({ description: 'which of them are shown: those within all of the limits' }),
    order: z.strictObject({ column: z.string().max(100), descending: z.boolean() }).nullable(),
  }),
  volume: z.strictObject({
    visible: z
      .boolean()
      .nullable()
      .meta({ description: 'in 3D; null = where there is no surface to be seen' }),
    style: z.enum(volumeStyles),
    curve: z
      .array(CurvePoint)
      .min(2)
      .max(16)
      .nullable()
      .meta({ description: 'from grey value to opacity and colour; null = the style’s own' }),
  }),
  compare: Comparison.nullable().meta({ description: 'null = the scan of the project alone is shown' }),
});

/** One of version 1 is read as one of version 2, wherever it comes from. */
export const ViewState = z.preprocess(migrateViewState, ViewStateFields).meta({ id: 'ViewState' });
export type ViewState = z.infer<typeof ViewState>;
