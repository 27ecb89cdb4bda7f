import { expect, it } from 'vitest';
import type { NumberedDefect } from './defect-files.ts';
import { addMaterial, keepKnown, totals } from './defect-totals.ts';

const volumeUncertainty = { expanded: 20, k: 2 as const, contributions: [] };
const part = { volumeMm3: 10_000, volumeUncertainty, byLevelMm3: 40 };
const search = {
  ...{ commonShare: 1, limitMm: 3, minMm: 0 },
  ...{ tooSmall: null, isFiltered: false, isBlurred: false },
};
const defect = (volumeBandMm3: [number, number], kind = 'porosity') =>
  ({
    kind,
    volumeMm3: 10,
    volumeBandMm3,
    cutAt: null,
    surfaceConnected: false,
    equivalentDiameterMm: 9,
  }) as NumberedDefect;

it('the largest defect has no interval if no grey value determines the volumes of inclusions', () => {
  const both = [defect([8, 12]), { ...defect([0, 24], 'inclusion'), volumeMm3: 9 }];
  const largest = (defects: NumberedDefect[], isFaint: boolean) =>
    totals(defects, part, search, { isFaint }).uncertainties['largestVolumeMm3'];
  expect(largest(both, true)).toBeUndefined();
  expect(largest(both, false)?.expanded).toBeCloseTo(2, 12);
  expect(largest([defect([8, 12])], true)?.expanded).toBeCloseTo(2, 12);
});

it('porosity includes the uncertainty of the part’s volume, which is known even without that of voids', () => {
  const { porosity } = totals([defect([10, 10])], part, search, null).uncertainties;
  expect(porosity.expanded).toBeCloseTo((20 / 10_010) * (10 / 10_010), 9);
  expect(addMaterial(part, {})).toEqual({ materialVolumeMm3: volumeUncertainty });
  expect(addMaterial({ volumeUncertainty: null }, { porosity })).toEqual({ porosity });
});

it('without an interval of the part’s volume, porosity has the uncertainty of the surface level', () => {
  const unknown = { ...part, volumeUncertainty: null };
  const { porosity } = totals([defect([10, 10])], unknown, search, null).uncertainties;
  expect(porosity.expanded).toBeCloseTo(((2 * 40) / 10_010) * (10 / 10_010), 9);
});

it('with edges blurred over several voxels, finding no closed void does not exclude flat ones', () => {
  const known = (voids: NumberedDefect[], isBlurred: boolean) =>
    Object.keys(keepKnown(totals(voids, part, { ...search, isBlurred }, null).uncertainties, [], false));
  const open = { ...defect([9, 11]), surfaceConnected: true };
  expect(known([open], true)).toContain('porosity');
  expect(known([open], true)).not.toContain('closedPorosity');
  expect(known([open], false)).toContain('closedPorosity');
  expect(known([open, defect([9, 11])], true)).toContain('closedPorosity');
});

it('behind a filter, which opens thin walls, open voids may be closed ones', () => {
  const known = (voids: NumberedDefect[], isFiltered: boolean) =>
    Object.keys(totals(voids, part, { ...search, isFiltered }, null).uncertainties);
  const open = { ...defect([9, 11]), surfaceConnected: true };
  const split = ['closedPorosity', 'openPorosity'];
  expect(known([open, defect([9, 11])], true)).not.toContain('closedPorosity');
  expect(known([open, defect([9, 11])], true)).not.toContain('openPorosity');
  expect(known([open, defect([9, 11])], true)).toContain('porosity');
  expect(known([open, defect([9, 11])], false)).toEqual(expect.arrayContaining(split));
  expect(known([{ ...open, gapLike: true }, defect([9, 11])], true)).toEqual(expect.arrayContaining(split));
  expect(known([defect([9, 11])], true)).toEqual(expect.arrayContaining(split));
});

it('pores below the detection limit add to the uncertainty of porosity only if pores near the limit were found', () => {
  const below = (voids: NumberedDefect[], minMm = 0) => {
    const { uncertainties } = totals(voids, part, { ...search, minMm }, null);
    const find = (of: keyof typeof uncertainties) =>
      uncertainties[of]?.contributions.find(({ name }) => name === 'pores below the detection limit')
        ?.value ?? 0;
    return { all: find('voidVolumeMm3'), closed: find('closedPorosity'), largest: find('largestVolumeMm3') };
  };
  const sized = (equivalentDiameterMm: number, more: Partial<NumberedDefect> = {}) => ({
    ...defect([9, 11]),
    equivalentDiameterMm,
    ...more,
  });
  const limitMm3 = (Math.PI / 6) * 27;
  // Pores a third and a quarter of the limit above it count 2/3 and 1. Twice that many are assumed near the limit, of which
  // none to a quarter are missed, plus half of their scatter.
  const two = below([sized(4), sized(3.75), sized(20)]);
  const stood = 2 * (2 / 3 + 1);
  expect(two.all).toBeCloseTo(limitMm3 * Math.sqrt((stood / 4) ** 2 / 3 + stood / 14), 9);
  // The nearer to the limit, the more they tell; below it no more.
  expect(below([sized(3.1)]).all).toBeGreaterThan(below([sized(4.3)]).all);
  expect(below([sized(2.5)]).all).toBeCloseTo(below([sized(3)]).all, 9);
  expect(two.closed).toBeCloseTo(two.all / 10_030, 12);
  expect(two.largest).toBe(0);
  expect(below([sized(4.6), sized(20)]).all).toBe(0);
  expect(
    below([sized(4, { kind: 'crack' }), sized(4, { cutAt: 'x+' }), sized(4, { gapLike: true })]).all,
  ).toBe(0);
  expect(
    totals([sized(4)], part, { ...search, limitMm: null }, null).uncertainties.voidVolumeMm3.contributions,
  ).toHaveLength(2);
  // Smaller ones that were left out on purpose are not missed.
  expect(below([sized(4)], 3).all).toBe(0);
  expect(below([sized(4)], 2).all).toBeLessThan(below([sized(4)]).all);
  expect(below([sized(4)], 2).all).toBeGreaterThan(0.5 * below([sized(4)]).all);
});

it('pores below the limit that would show as a spot count as missed only as far as such spots are present', () => {
  const near = { ...defect([9, 11]), equivalentDiameterMm: 2.5 };
  const oneMm3 = 5;
  const missed = (count: number | null, fromMm = 2, minMm = 0, voids = [near]) =>
    totals(
      voids,
      part,
      { ...search, minMm, tooSmall: count === null ? null : { count, volumeMm3: count * oneMm3, fromMm } },
      null,
    ).uncertainties.voidVolumeMm3.contributions.find(({ name }) => name === 'pores below the detection limit')
      ?.value ?? 0;
  // As densely as at the smallest size of a spot, with the volume of pores of that size.
  const ofDensity = (below: number) => (Math.PI / 6) * 8 * Math.sqrt((below / 4) ** 2 / 3 + below / 14);
  expect(missed(0)).toBeCloseTo(ofDensity(2), 9);
  // With larger pores only, and no spots, sizes end above it.
  expect(missed(0, 2, 0, [{ ...near, equivalentDiameterMm: 3.5 }])).toBe(0);
  // A detected spot of 2 to 3 mm that the number omits.
  expect(missed(1)).toBeCloseTo(Math.hypot(ofDensity(4), 0.65 * oneMm3), 9);
  // Every spot counts, as detected voids show nothing of how many there are.
  expect(missed(100)).toBeGreaterThan(0.65 * 100 * oneMm3);
  expect(missed(0, 3.2)).toBe(missed(null));
  expect(missed(0, 2, 2)).toBe(0);
});

it('a porosity of zero has an uncertainty from pores too small to be found', () => {
  const of = (voids: NumberedDefect[], more = {}) =>
    totals(voids, part, { ...search, ...more }, null).uncertainties;
  const limitMm3 = (Math.PI / 6) * 27;
  // Half a pore near the limit represents one below it.
  const one = limitMm3 * Math.sqrt(1 / 16 / 3 + 1 / 14);
  expect(of([]).voidVolumeMm3.expanded).toBeCloseTo(2 * one, 9);
  expect(of([]).porosity.expanded).toBeCloseTo((2 * one) / 10_000, 12);
  expect(of([{ ...defect([9, 11]), surfaceConnected: true }]).closedPorosity?.expanded).toBeCloseTo(
    (2 * one) / 10_010,
    12,
  );
  expect(of([], { minMm: 3 }).porosity.expanded).toBe(0);
  // The border cuts a void or it does not.
  expect(of([]).cutPorosity.expanded).toBe(0);
});

it('behind a filter, porosity has no interval if pores near the limit suggest that more are missed', () => {
  const known = (voids: NumberedDefect[], isFiltered: boolean) => {
    const { uncertainties, isOpen } = totals(voids, part, { ...search, isFiltered }, null);
    return Object.keys(keepKnown(uncertainties, [], isOpen));
  };
  const near = { ...defect([9, 11]), equivalentDiameterMm: 4 };
  const large = { ...defect([9, 11]), equivalentDiameterMm: 9, volumeMm3: 400 };
  expect(known([near], false)).toContain('porosity');
  expect(known([near], true)).toEqual(['largestVolumeMm3']);
  expect(known([large, near], true)).toContain('porosity');
  // Without detected pores nothing is known about missed ones.
  expect(known([], true)).toEqual([]);
  expect(known([], false)).toContain('porosity');
});
