import { expect, it } from 'vitest';
import type { NumberedDefect } from './defect-files.ts';
import { addMaterial, totals } from './defect-totals.ts';

const volumeUncertainty = { expanded: 20, k: 2 as const, contributions: [] };
const part = { volumeMm3: 10_000, volumeUncertainty };
const defect = (volumeBandMm3: [number, number], kind = 'porosity') =>
  ({ kind, volumeMm3: 10, volumeBandMm3, cutAt: null, surfaceConnected: false }) as NumberedDefect;

it('where no grey value tells the volumes of inclusions, the largest defect has no interval', () => {
  const both = [defect([8, 12]), { ...defect([0, 24], 'inclusion'), volumeMm3: 9 }];
  const largest = (defects: NumberedDefect[], isFaint: boolean) =>
    totals(defects, part, { commonShare: 1 }, { isFaint }).uncertainties['largestVolumeMm3'];
  expect(largest(both, true)).toBeUndefined();
  expect(largest(both, false)?.expanded).toBeCloseTo(2, 12);
  expect(largest([defect([8, 12])], true)?.expanded).toBeCloseTo(2, 12);
});

it('the volume of the part is as open in a porosity as it is itself, and known without that of voids', () => {
  const { porosity } = totals([defect([10, 10])], part, { commonShare: 1 }, null).uncertainties;
  expect(porosity.expanded).toBeCloseTo((20 / 10_010) * (10 / 10_010), 9);
  expect(addMaterial(part, {})).toEqual({ materialVolumeMm3: volumeUncertainty });
  expect(addMaterial({ volumeUncertainty: null }, { porosity })).toEqual({ porosity });
});
