import { expect, it } from 'vitest';
import type { Grid, Vector3 } from '../grid/volume.ts';
import type { Canvas2D } from './canvas.ts';
import { paintSliceLabels } from './paint-labels.ts';
import type { LabelBox } from './paint-measurements.ts';

const grid: Grid = {
  dimensions: [100, 100, 100],
  voxelSizeMm: [1, 1, 1],
  directions: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  originMm: [0, 0, 0],
};
const view = { centreU: 50, centreV: 50, heightMm: 100, widthPx: 400, heightPx: 400 };

/** Texts with their place; a character is 6 px wide. */
function paint(points: readonly Vector3[], taken: readonly LabelBox[] = [], value = 'Grey value 21,000') {
  const texts: { text: string; left: number; right: number; y: number }[] = [];
  const context = {
    textAlign: 'left',
    measureText: (text: string) => ({ width: 6 * text.length }),
    fillText(text: string, x: number, y: number) {
      const left = context.textAlign === 'left' ? x : x - 6 * text.length;
      texts.push({ text, left, right: left + 6 * text.length, y });
    },
    ...{ strokeText() {}, beginPath() {}, moveTo() {}, lineTo() {}, arc() {}, stroke() {} },
  };
  const labels = points.map((pointMm) => ({ pointMm, words: [value, '1, 2, 3 mm'] as const }));
  paintSliceLabels(context as unknown as Canvas2D, labels, grid, { name: 'xy', positionMm: 30 }, view, taken);
  return texts;
}

it('labels pinned close to each other make room, each under its own number', () => {
  const texts = paint([
    [50, 50, 30],
    [51, 50, 30],
    [50, 52, 30],
    [96, 51, 30],
    [50, 50, 60],
  ]);
  const lines = texts.filter(({ text }) => text.includes('Grey'));
  expect(lines.map(({ text }) => text[0])).toEqual(['1', '2', '3', '4']);
  for (const [i, one] of texts.entries())
    for (const other of texts.slice(i + 1))
      if (one.left < other.right && other.left < one.right)
        expect(Math.abs(one.y - other.y), `${one.text} / ${other.text}`).toBeGreaterThanOrEqual(12);
});

it('many labels in a small picture are numbers alone', () => {
  const points = [30, 40, 50, 60, 70, 75, 80, 85, 90, 95].map((y): Vector3 => [50, y, 30]);
  const texts = paint([...points, [50, 20, 30], [50, 10, 30]]).map(({ text }) => text);
  expect(texts).toEqual(Array.from({ length: 12 }, (_, i) => `${i + 1}`));
});

it('a label alone is beside its position, and the topmost stays in the pane', () => {
  const [value] = paint([[50, 50, 30]]);
  expect(value).toMatchObject({ left: 216, y: 186 });
  expect(paint([[50, 101, 30]])).toEqual([]);
  const tops = paint([
    [50, 0, 30],
    [50, 99.5, 30],
  ]).map(({ y }) => y);
  expect(Math.min(...tops)).toBeGreaterThan(12);
});

it('a label leaves the text of a measurement free', () => {
  const measured = { left: 206, y: 194, width: 120, height: 16 };
  const texts = paint([[50, 50, 30]], [measured]);
  expect(texts).toHaveLength(2);
  for (const { y } of texts) expect(y <= measured.y - measured.height || y - 12 >= measured.y).toBe(true);
});

it('labels leave the axes and the scale bar free', () => {
  const texts = paint([
    [85, 98, 30],
    [1, 99, 30],
  ]);
  expect(texts).toHaveLength(4);
  for (const { y } of texts) expect(y).toBeLessThan(400 - 36);
});

it('a note too long for either side is above its position, not on it', () => {
  const texts = paint([[50, 50, 30]], [], 'Pore cluster: check in the next casting');
  expect(texts).toHaveLength(2);
  for (const { left, right, y } of texts) {
    expect(left).toBeGreaterThanOrEqual(4);
    expect(right).toBeLessThanOrEqual(400);
    expect(y).toBeLessThan(192);
  }
});

it('a note wider than the pane is cut with an ellipsis', () => {
  const [note] = paint(
    [[50, 50, 30]],
    [],
    'Pore cluster: check in the next casting, and ask the foundry for its cause',
  );
  expect(note?.text).toMatch(/^1 {2}Pore cluster.*…$/);
  expect(note?.left).toBeGreaterThanOrEqual(4);
  expect(note?.right).toBeLessThanOrEqual(400);
});
