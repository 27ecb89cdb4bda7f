import { expect, it } from 'vitest';
import type { NumberedDefect } from './defect-files.ts';
import { addMaterial, totals } from './defect-totals.ts';

const volumeUncertainty = { expanded: 20, k: 2 as const, contributions: [] };
const part = { volumeMm3: 10_000, volumeUncertainty };
const defect = (volumeBandMm3: [number, number], kind = 'porosity') =>
  ({ kind, volumeMm3: 10, volumeBandMm3, cutAt: null, surfaceConnected: false }) as NumberedDefect;

it('an interval that is wider than the largest defect itself is none', () => {
  const inclusion = totals([defect([0, 24], 'inclusion')], part, 1);
  expect(inclusion.uncertainties).not.toHaveProperty('largestVolumeMm3');
  expect(totals([defect([8, 12])], part, 1).uncertainties['largestVolumeMm3']?.expanded).toBeCloseTo(2, 12);
});

it('the volume of the part is as open in a porosity as it is itself, and known without that of voids', () => {
  const { porosity } = totals([defect([10, 10])], part, 1).uncertainties;
  expect(porosity.expanded).toBeCloseTo((20 / 10_010) * (10 / 10_010), 9);
  expect(addMaterial(part, {})).toEqual({ materialVolumeMm3: volumeUncertainty });
  expect(addMaterial({ volumeUncertainty: null }, { porosity })).toEqual({ porosity });
});
