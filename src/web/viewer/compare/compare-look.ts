/** The settings of a comparison's picture; undefined = default. Stored in the address in this form. */
import { z } from 'zod';
import { compareModes, compareViews, heldScans, type ViewState } from '#contract/shapes/view-state.ts';
import type { Camera } from '#kernels/grid/camera.ts';
import { countColumns } from '#kernels/grid/place-compared.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { defaultViewState, roundedState } from '../state/view-state.ts';

const Point = z.tuple([z.number(), z.number(), z.number()]);

export const CompareLook = z.object({
  view: z.enum(compareViews).optional().catch(undefined),
  mode: z.enum(compareModes).optional().catch(undefined),
  /** index of the scan laid over the first */
  over: z.int().min(1).max(8).optional().catch(undefined),
  /** visible share of it: its opacity in blend mode, its width in swipe mode */
  share: z.number().min(0).max(1).optional().catch(undefined),
  /** which of two scans a paused blink shows; without it both alternate */
  held: z.enum(heldScans).optional().catch(undefined),
  cursor: Point.optional().catch(undefined),
  /** centre of the panes */
  middle: Point.optional().catch(undefined),
  /** height of a pane in mm */
  height: z.number().positive().optional().catch(undefined),
  /** grey values, the same for all scans; without it each has its own */
  window: z.object({ center: z.number(), width: z.number().positive() }).optional().catch(undefined),
  camera: z
    .object({
      position: Point,
      target: Point,
      up: Point,
      projection: z.enum(['orthographic', 'perspective']),
      heightMm: z.number().positive(),
    })
    .optional()
    .catch(undefined),
  /** `no`: each scan is shown as scanned */
  aligned: z.literal('no').optional().catch(undefined),
});
export type CompareLook = z.infer<typeof CompareLook>;

/** Rounded to the precision of the screen, so that the address stays short and restores the same picture. */
export function roundLook(look: CompareLook): CompareLook {
  const mm = (value: number) => Math.round(value * 1e4) / 1e4 + 0;
  const point = ([x, y, z]: readonly number[]): Vector3 => [mm(x ?? 0), mm(y ?? 0), mm(z ?? 0)];
  const { cursor, middle, height, camera, share, window } = look;
  return {
    ...look,
    ...(cursor && { cursor: point(cursor) }),
    ...(middle && { middle: point(middle) }),
    ...(height && { height: Math.max(1e-4, mm(height)) }),
    ...(share !== undefined && { share: Math.round(share * 100) / 100 }),
    ...(window && {
      window: { center: Number(window.center.toPrecision(6)), width: Number(window.width.toPrecision(6)) },
    }),
    ...(camera && { camera: roundCamera(camera, point) }),
  };
}

const roundCamera = (camera: Camera, point: (p: readonly number[]) => Vector3): Camera => ({
  ...camera,
  position: point(camera.position),
  target: point(camera.target),
  up: point(camera.up),
  heightMm: Math.max(1e-4, Number(camera.heightMm.toPrecision(6))),
});

type Comparison = NonNullable<ViewState['compare']>;

/** Converts the look to a view state for bookmarks, with the compared scans. */
export const writeLook = (look: CompareLook, scans: Comparison['scans']): ViewState =>
  roundedState({
    ...defaultViewState(null, null, null),
    cursorMm: look.cursor ?? null,
    window: look.window ?? null,
    camera: look.camera ?? null,
    compare: {
      scans,
      view: look.view ?? 'xy',
      mode: look.mode ?? 'side',
      over: Math.min(scans.length - 1, look.over ?? 1),
      share: look.share ?? 0.5,
      held: look.held ?? null,
      aligned: look.aligned !== 'no',
      middleMm: look.middle ?? null,
      heightMm: look.height ?? null,
    },
  });

/** The look stored in a view state. */
export const readLook = (
  { cursorMm, window, camera }: Pick<ViewState, 'cursorMm' | 'window' | 'camera'>,
  { view, mode, over, share, held, aligned, middleMm, heightMm }: Comparison,
): CompareLook => ({
  view,
  mode,
  over,
  share,
  ...(held && { held }),
  ...(cursorMm && { cursor: cursorMm }),
  ...(middleMm && { middle: middleMm }),
  ...(heightMm !== null && { height: heightMm }),
  ...(window && { window }),
  ...(camera && { camera }),
  ...(!aligned && { aligned: 'no' as const }),
});

/** Columns of the pane grid as CSS variables, also for pages higher than wide, such as on a phone. */
export const describeColumns = (panes: number): Record<`--${string}`, number> => ({
  '--columns': countColumns(panes),
  '--portrait-columns': panes <= 3 ? 1 : panes <= 6 ? 2 : 3,
});
