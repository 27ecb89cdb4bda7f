/** Layout of the panes of a view: on screen, in captures and in pictures drawn by the server. */
import { planeNames, type SliceName } from './plane-transform.ts';

export type PaneName = SliceName | '3d';

/** `main`: large 3D pane with the slices in a strip beside it; `grid`: four equal panes; otherwise a single pane. */
export type PaneLayout = 'main' | 'grid' | PaneName;

/** Positions of the dividers between panes, each as a share of the whole from the left or the top. */
export interface PaneShares {
  /** `main`: width of the large pane */
  large: number;
  /** `main`: the two dividers between the three panes of the strip */
  strip: readonly [number, number];
  /** `grid`: the vertical divider and the horizontal one */
  grid: readonly [number, number];
}

export const defaultShares: PaneShares = { large: 0.72, strip: [1 / 3, 2 / 3], grid: [0.5, 0.5] };

/** Edges of a pane as shares of the whole. */
export interface PanePlace {
  name: PaneName;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/**
 * The visible panes, the top left one first.
 *
 * @param hasScene whether there is 3D; without it, the XY slice takes its place
 * @param hasOblique whether there is an oblique plane in addition to those along the axes
 */
export function dividePanes(
  layout: PaneLayout,
  shares = defaultShares,
  hasScene = true,
  hasOblique = false,
): PanePlace[] {
  if (layout === 'grid' && hasScene) {
    const [x, y] = shares.grid;
    const upper = [
      { name: 'xy' as const, left: 0, top: 0, right: x, bottom: y },
      { name: '3d' as const, left: x, top: 0, right: 1, bottom: y },
    ];
    if (hasOblique)
      return [
        ...upper,
        ...(['xz', 'yz', 'oblique'] as const).map((name, i) => ({
          name,
          left: i / 3,
          top: y,
          right: (i + 1) / 3,
          bottom: 1,
        })),
      ];
    return [
      ...upper,
      { name: 'xz', left: 0, top: y, right: x, bottom: 1 },
      { name: 'yz', left: x, top: y, right: 1, bottom: 1 },
    ];
  }
  if (layout !== 'main' && layout !== 'grid' && (hasScene || layout !== '3d'))
    return [{ name: layout, left: 0, top: 0, right: 1, bottom: 1 }];
  const large = hasScene ? '3d' : 'xy';
  const strip: PaneName[] = planeNames.filter((name) => name !== large);
  if (hasOblique) strip.push('oblique');
  const edges = strip.length === 3 ? [0, ...shares.strip, 1] : strip.map((_, row) => row / strip.length);
  return [
    { name: large, left: 0, top: 0, right: shares.large, bottom: 1 },
    ...strip.map((name, row) => ({
      name,
      left: shares.large,
      top: edges[row],
      right: 1,
      bottom: edges[row + 1] ?? 1,
    })),
  ];
}

/** A part of a picture, in pixels; x and y of its upper left corner. */
export interface PixelBox {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A pane in whole pixels of a picture, half a gap away from its neighbours. */
export function placePane(
  { left, top, right, bottom }: PanePlace,
  widthPx: number,
  heightPx: number,
  gapPx: number,
): PixelBox {
  const from = (share: number, size: number) => (share === 0 ? 0 : Math.round(share * size + gapPx / 2));
  const to = (share: number, size: number) => (share === 1 ? size : Math.round(share * size - gapPx / 2));
  const [x, y] = [from(left, widthPx), from(top, heightPx)];
  return { x, y, width: to(right, widthPx) - x, height: to(bottom, heightPx) - y };
}
