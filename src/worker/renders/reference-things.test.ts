import { expect, it } from 'vitest';
import type { Grid, Vector3 } from '#kernels/grid/volume.ts';
import { PictureCanvas } from '#kernels/picture/picture-canvas.ts';
import { letters } from '../pictures/letters.ts';
import { squarePane } from '../pictures/surface-picture.ts';
import { drawReferenceCut, layReference } from './reference-things.ts';

const size = 200;
/** Of 20 mm around the zero of the world. */
const grid: Grid = {
  dimensions: [20, 20, 20],
  voxelSizeMm: [1, 1, 1],
  originMm: [-9.5, -9.5, -9.5],
  directions: [1, 0, 0, 0, 1, 0, 0, 0, 1],
};
/** A wall along y at x = 6 of its own frame, from −9 to 9 mm. */
const wall = {
  positions: Float32Array.of(6, -9, -5, 6, 9, -5, 6, 9, 5, 6, -9, 5),
  indices: Uint32Array.of(0, 1, 2, 0, 2, 3),
};

function draw(holder: Parameters<typeof layReference>[1]) {
  const pane = squarePane(size, 3);
  const reference = layReference(wall, holder);
  const view = { centreU: 0, centreV: 0, heightMm: 20, widthPx: size, heightPx: size };
  drawReferenceCut(new PictureCanvas(pane, 1, letters), reference, { name: 'xy', grid, positionMm: 0 }, view);
  const at = ([x, y]: readonly [number, number] | Vector3) => {
    const first = 3 * (Math.floor(100 - 10 * y) * size + Math.floor(100 + 10 * x));
    return [...pane.picture.samples.subarray(first, first + 3)];
  };
  return { reference, along: (x: number) => Array.from({ length: 160 }, (_, i) => at([x, i / 10 - 8])) };
}

const isOrange = ([r = 0, g = 0, b = 0]: number[]) => r > 180 && r - b > 120 && g > 80 && g < 190;

it('draws the reference dashed on slices, at the position given by the alignment', () => {
  // Scan → reference: 10 mm to the right, so that in the scan's frame it lies 10 mm to the left.
  const matrix = [1, 0, 0, 10, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const drawn = draw({ kind: 'meshCompare', metadata: { alignment: { matrix } } });
  expect(drawn.reference).toMatchObject({ isPart: false, onSlicesOnly: true });
  const dashes = drawn.along(-4).filter(isOrange).length;
  // Seven pixels of eleven.
  expect(dashes / 160).toBeGreaterThan(0.5);
  expect(dashes / 160).toBeLessThan(0.75);
  expect(drawn.along(6).filter(isOrange)).toEqual([]);
});

it('draws the part around defects as a solid line in one colour, at its scanned position', () => {
  const drawn = draw({ kind: 'integrity', metadata: {} });
  expect(drawn.reference).toMatchObject({ isPart: true, onSlicesOnly: false });
  const light = drawn.along(6).filter((rgb) => Math.min(...rgb) > 180);
  expect(light.length).toBe(160);
});
