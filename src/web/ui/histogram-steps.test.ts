import { expect, it } from 'vitest';
import { histogramCsv } from './histogram-steps.ts';

it('a histogram is saved as a table of its bins, with quantity and unit in the header', () => {
  expect(histogramCsv([0.5, 1, 2], [3.25, 0], 'wall thickness, mm', 'area, mm²')).toBe(
    '"wall thickness, mm, from","wall thickness, mm, to","area, mm²"\r\n0.5,1,3.25\r\n1,2,0\r\n',
  );
});
