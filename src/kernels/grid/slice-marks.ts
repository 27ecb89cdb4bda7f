/** The marks of a slice as lines, for the screen and for pictures drawn by the server. */
import {
  chooseMagnification,
  findWalls,
  findWhiskers,
  type MarkLines,
  traceWalls,
  traceWhiskers,
  type WallArrow,
} from './cut-marks.ts';
import type { PlaneView } from './plane-transform.ts';
import type { PlacedCut } from './space-along-cut.ts';

const whiskersApartPx = 9;
const wallsApartPx = 64;
const headPx = 7;
/** Shorter arrows would consist of heads only. */
const minWallPx = 9;

export interface MarksLook {
  kind: 'whiskers' | 'walls';
  /** limits of the colour scale */
  range: readonly [number, number];
  /** of whiskers; by default chosen so that the limits are visible */
  magnification?: number | undefined;
}

export interface SliceMarks {
  lines: MarkLines;
  /** value of each line */
  values: number[];
  magnification: number;
  walls: readonly WallArrow[];
}

/**
 * @param values scalar at each vertex
 * @param pixelMm size of a screen pixel, also in pictures with a higher resolution
 */
export function listMarks(
  cut: PlacedCut,
  values: ArrayLike<number>,
  view: PlaneView,
  { kind, range, magnification = chooseMagnification(range, view.heightMm) }: MarksLook,
  pixelMm: number,
): SliceMarks {
  const [halfU, halfV] = [(view.widthPx / view.heightPx) * (view.heightMm / 2), view.heightMm / 2];
  const box = {
    u: [view.centreU - halfU, view.centreU + halfU],
    v: [view.centreV - halfV, view.centreV + halfV],
  } as const;
  if (kind === 'walls') {
    const walls = findWalls(cut, values, box, wallsApartPx * pixelMm).filter(
      ({ value }) => value >= minWallPx * pixelMm,
    );
    const lines = traceWalls(walls, headPx * pixelMm);
    return { lines, values: walls.map(({ value }) => value), magnification: 1, walls };
  }
  const whiskers = findWhiskers(cut, values, box, whiskersApartPx * pixelMm);
  const lines = traceWhiskers(whiskers, magnification, range);
  return { lines, values: whiskers.map(({ value }) => value), magnification, walls: [] };
}
