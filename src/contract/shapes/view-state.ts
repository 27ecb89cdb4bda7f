/** Everything that decides what the viewer shows. Millimetres and grey values only, never pixels. */
import { z } from 'zod';
import { Uuid, Vector3 } from '../base/primitives.ts';

const Plane = z.strictObject({
  centerMm: Vector3,
  heightMm: z.number().positive().meta({ description: 'of the part of the plane that is seen' }),
});

export const scalarMaps = ['viridis', 'cividis', 'coolwarm', 'gray'] as const;

export const volumeStyles = ['surface', 'bone', 'xray', 'maximum'] as const;

const CurvePoint = z.strictObject({
  value: z.number().meta({ description: 'raw grey value' }),
  opacity: z.number().min(0).max(1),
  color: z.string().regex(/^#[0-9a-f]{6}$/),
});

export const ViewState = z
  .strictObject({
    v: z.literal(1),
    volumeId: Uuid.nullable(),
    meshId: Uuid.nullable(),
    layout: z.enum(['grid', 'xy', 'xz', 'yz', '3d']).default('grid'),
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
    planes: z.strictObject({ xy: Plane, xz: Plane, yz: Plane }).nullable(),
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
      shaded: z.boolean().default(true),
    }),
    referenceVisible: z
      .boolean()
      .default(true)
      .meta({ description: 'what the part was laid on, where it is shown beside it' }),
    smooth: z.boolean().default(true).meta({ description: 'grey values interpolated between voxels' }),
    clip: z.strictObject({ enabled: z.boolean(), normal: Vector3, offsetMm: z.number() }).nullable(),
    selectedDefectId: z.string().nullable().default(null),
    volume: z
      .strictObject({
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
      })
      .default({ visible: null, style: 'surface', curve: null }),
  })
  .meta({ id: 'ViewState' });
export type ViewState = z.infer<typeof ViewState>;
