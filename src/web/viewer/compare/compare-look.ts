/** What decides the picture of a comparison, and what of it is left open. It stands in the address as it is here. */
import { z } from 'zod';
import { compareModes, compareViews, type ViewState } from '#contract/shapes/view-state.ts';
import type { Camera } from '#kernels/grid/camera.ts';
import { countColumns } from '#kernels/grid/place-compared.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { defaultViewState, roundedState } from '../state/view-state.ts';

const Point = z.tuple([z.number(), z.number(), z.number()]);

export const CompareLook = z.object({
  view: z.enum(compareViews).optional().catch(undefined),
  mode: z.enum(compareModes).optional().catch(undefined),
  /** which of them is laid over the first */
  over: z.int().min(1).max(8).optional().catch(undefined),
  /** how much of it is seen: its opacity when blended, its width when swiped */
  share: z.number().min(0).max(1).optional().catch(undefined),
  cursor: Point.optional().catch(undefined),
  /** in the middle of the panes */
  middle: Point.optional().catch(undefined),
  /** mm that the height of a pane shows */
  height: z.number().positive().optional().catch(undefined),
  /** grey values, the same for all; without it each has its own */
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
  /** `no`: each lies where it was scanned */
  aligned: z.literal('no').optional().catch(undefined),
});
export type CompareLook = z.infer<typeof CompareLook>;

/** As many digits as a screen shows, so that the address stays short and restores just what was drawn. */
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

/** The look as a view that can be kept, with the scans that are compared. */
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
      aligned: look.aligned !== 'no',
      middleMm: look.middle ?? null,
      heightMm: look.height ?? null,
    },
  });

/** The look that a view keeps. */
export const readLook = (
  { cursorMm, window, camera }: Pick<ViewState, 'cursorMm' | 'window' | 'camera'>,
  { view, mode, over, share, aligned, middleMm, heightMm }: Comparison,
): CompareLook => ({
  view,
  mode,
  over,
  share,
  ...(cursorMm && { cursor: cursorMm }),
  ...(middleMm && { middle: middleMm }),
  ...(heightMm !== null && { height: heightMm }),
  ...(window && { window }),
  ...(camera && { camera }),
  ...(!aligned && { aligned: 'no' as const }),
});

/** Columns of the grid of panes for the page's style, and how many there are where the panes together are higher than wide, as on a phone. */
export const describeColumns = (panes: number): Record<`--${string}`, number> => ({
  '--columns': countColumns(panes),
  '--portrait-columns': panes <= 3 ? 1 : panes <= 6 ? 2 : 3,
});
