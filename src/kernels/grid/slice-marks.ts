/** The marks of a slice as lines, for the screen and for what the server draws. */
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
/** Shorter arrows would be all head. */
const leastWallPx = 9;

export interface MarksLook {
  kind: 'whiskers' | 'walls';
  /** limits of the colours */
  range: readonly [number, number];
  /** of whiskers; by default so that the limits can be seen */
  magnification?: number | undefined;
}

export interface SliceMarks {
  lines: MarkLines;
  /** what each line stands for */
  values: number[];
  magnification: number;
  walls: readonly WallArrow[];
}

/**
 * @param values of the scalar at each vertex
 * @param pixelMm of the screen's pixels, also where a picture has more of them
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
      ({ value }) => value >= leastWallPx * pixelMm,
    );
    const lines = traceWalls(walls, headPx * pixelMm);
    return { lines, values: walls.map(({ value }) => value), magnification: 1, walls };
  }
  const whiskers = findWhiskers(cut, values, box, whiskersApartPx * pixelMm);
  const lines = traceWhiskers(whiskers, magnification, range);
  return { lines, values: whiskers.map(({ value }) => value), magnification, walls: [] };
}
