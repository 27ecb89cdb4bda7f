import { describe, expect, it } from 'vitest';
import { defaultShares, dividePanes, type PaneLayout, placePane } from './pane-layout.ts';

const layouts: PaneLayout[] = ['main', 'grid', '3d', 'xy', 'xz', 'yz'];
const measureArea = (name: string, layout: PaneLayout) => {
  const place = dividePanes(layout).find((pane) => pane.name === name);
  return place ? (place.right - place.left) * (place.bottom - place.top) : 0;
};

describe('the panes of a view', () => {
  it('fill the whole without overlap, for any positions of the dividers', () => {
    const shares = { large: 0.6, strip: [0.2, 0.55] as const, grid: [0.3, 0.8] as const };
    for (const layout of layouts)
      for (const hasScene of [true, false]) {
        const places = dividePanes(layout, shares, hasScene);
        const area = places.reduce((sum, p) => sum + (p.right - p.left) * (p.bottom - p.top), 0);
        expect(area).toBeCloseTo(1, 12);
        expect(new Set(places.map(({ name }) => name)).size).toBe(places.length);
      }
  });

  it('give 3D most of the area where it is large, and the three slices beside it equal sizes', () => {
    expect(measureArea('3d', 'main')).toBeGreaterThan(0.65);
    expect(measureArea('xy', 'main')).toBeCloseTo(measureArea('yz', 'main'), 12);
    expect(measureArea('3d', 'grid')).toBe(0.25);
  });

  it('use the place of 3D for slices when there is none', () => {
    for (const layout of ['main', 'grid', '3d'] as const)
      expect(dividePanes(layout, defaultShares, false).map(({ name }) => name)).toEqual(['xy', 'xz', 'yz']);
    expect(dividePanes('xz', defaultShares, false).map(({ name }) => name)).toEqual(['xz']);
  });

  it('have whole-pixel edges with a gap between them, also in a picture of odd size', () => {
    const places = dividePanes('grid').map((pane) => placePane(pane, 1921, 1081, 4));
    const [xy, scene, xz] = places;
    expect(xy).toEqual({ x: 0, y: 0, width: 959, height: 539 });
    expect(scene.x - (xy.x + xy.width)).toBe(4);
    expect(xz.y - (xy.y + xy.height)).toBe(4);
    expect(scene.x + scene.width).toBe(1921);
  });
});
