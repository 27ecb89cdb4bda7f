import { describe, expect, it } from 'vitest';
import type { ScanQuality } from '../metadata/scan-quality.ts';
import type { RestsOn } from './scan-finding.ts';
import {
  checkLevel,
  dropCoveredMeasures,
  explainNoContrast,
  followLevels,
  listFindings,
  warnAbout,
} from './scan-findings.ts';

const clean: ScanQuality = {
  ...{ hasContrast: true, contrastToNoise: 20, airGrey: 8000, materials: [{ grey: 40_000, share: 1 }] },
  ...{ blurVoxels: 0.6, unevenness: 0.01, gradient: 0, rings: 0, border: [], thinnestWallVoxels: null },
  ...{ thinShare: 0, saturatedShare: 0, lostSlices: 0 },
};
const warn = (quality: Partial<ScanQuality>, restsOn: RestsOn) =>
  listFindings({ ...clean, ...quality }).flatMap((finding) => warnAbout(finding, restsOn, ['minMm']));

describe('findings', () => {
  it('do not exist for a clean scan, one without noise, and one from an earlier version', () => {
    expect(listFindings(clean)).toEqual([]);
    expect(listFindings({ ...clean, contrastToNoise: null, unevenness: null, rings: null })).toEqual([]);
    expect(listFindings(null)).toEqual([]);
  });

  it('about incomplete radiographs refuse numbers along missing directions', () => {
    expect(warn({ viewDoubts: [] }, 'surface')).toEqual([]);
    expect(warn({ viewDoubts: ['ANGLES_MISSING'] }, 'walls')).toMatchObject([{ invalidates: true }]);
    expect(warn({ viewDoubts: ['ANGLES_MISSING'] }, 'pose')[0]?.invalidates).toBeUndefined();
    expect(warn({ viewDoubts: ['FEW_PROJECTIONS', 'CENTER_ASSUMED'] }, 'defects')).toMatchObject([
      { code: 'FEW_PROJECTIONS' },
      { code: 'CENTER_ASSUMED' },
    ]);
    for (const code of [
      'CENTER_DIFFERS',
      'FIELD_TRUNCATED',
      'BEAM_SATURATED',
      'BEAM_ABSORBED',
      'ROW_REPEATED',
    ] as const)
      expect(warn({ viewDoubts: [code] }, 'surface')).toMatchObject([{ code, invalidates: true }]);
    for (const code of ['EDGES_INWARD', 'HARDENING_LEFT', 'RINGS_REMOVED'] as const)
      expect(warn({ viewDoubts: [code] }, 'walls')).toEqual([
        expect.not.objectContaining({ invalidates: true }),
      ]);
  });

  it('about a material that is mostly cut off at the highest value refuse its surface', () => {
    const judge = (saturatedShare: number) => warn({ saturatedShare }, 'deviation')[0];
    expect(judge(0.4)).toMatchObject({ code: 'SCAN_SATURATED' });
    expect(judge(0.4).invalidates).toBeUndefined();
    expect(judge(0.6)).toMatchObject({ code: 'SCAN_SATURATED', invalidates: true });
  });

  it('about grey values too far from zero for 32-bit numbers refuse every number', () => {
    const shifted = (by: number) => warn({ airGrey: by, materials: [{ grey: by + 1, share: 1 }] }, 'walls');
    expect(shifted(5000)).toEqual([]);
    expect(shifted(-100_000)).toMatchObject([{ code: 'SCAN_GREY_STEPS', invalidates: true }]);
  });

  it('about a scan filled with material report the missing outer surface and still allow pores', () => {
    const isFilled = { isFilled: true, border: ['x-', 'x+'] } satisfies Partial<ScanQuality>;
    expect(warn(isFilled, 'surface')).toMatchObject([{ code: 'SCAN_FILLED', invalidates: true }]);
    expect(warn(isFilled, 'defects')[0].invalidates).toBeUndefined();
    expect(explainNoContrast({ ...clean, hasContrast: false, isFilled: true })).toContain('no outer surface');
    expect(explainNoContrast({ ...clean, hasContrast: false })).toContain('or material fills all of it');
  });

  it('about a cut part refuse porosity but not measures of the border itself', () => {
    const [cut] = listFindings({ ...clean, border: ['z+'] });
    expect(warnAbout(cut, 'defects', ['porosity', 'cutPorosity'])).toMatchObject([
      { code: 'SCAN_CUT', invalidates: true, measures: ['porosity'] },
    ]);
  });

  it('about a scan that is bright at all faces mention inverted grey values', () => {
    const border = ['x-', 'x+', 'y-', 'y+', 'z-', 'z+'] satisfies ScanQuality['border'];
    expect(warn({ isFilled: true, border }, 'surface')[0].message).toContain('inverted');
    expect(warn({ border }, 'surface')[0].message).toContain('inverted');
    expect(warn({ border: border.slice(1) }, 'surface')[0].message).not.toContain('inverted');
  });

  it('about dense fibres without dark gaps refuse the volume, but not for textures and lattices', () => {
    const bundle = { fullShare: 0.13, texture: 0.2 };
    expect(warn(bundle, 'surface')).toContainEqual(
      expect.objectContaining({ code: 'SCAN_NARROW_GAPS', invalidates: true }),
    );
    for (const other of [
      { fullShare: 0.4, texture: 0.2 },
      { fullShare: 0.13, texture: 0.09 },
      // Closed cells of air between thin walls.
      { fullShare: 0.13, texture: 0.28 },
    ])
      expect(warn(other, 'surface').map(({ code }) => code)).not.toContain('SCAN_NARROW_GAPS');
  });

  it('about foils with unresolved gaps refuse the volume, and spare laminates', () => {
    const stack = { fullShare: 0.6, texture: 0, unresolved: 0.17 };
    for (const restsOn of ['surface', 'walls', 'defects'] as const)
      expect(warn(stack, restsOn)).toMatchObject([{ code: 'SCAN_NARROW_GAPS', invalidates: true }]);
    expect(warn({ fullShare: 0.6, texture: 0.09, unresolved: 0.08 }, 'surface')).toEqual([]);
  });

  it('about narrow gaps and dense skins mark volumes and walls, and refuse surfaces shifted by half a voxel', () => {
    expect(warn({ gapShare: 0.004, skin: 0.01 }, 'surface')).toEqual([]);
    expect(warn({ gapShare: 0.02 }, 'walls')).toMatchObject([{ code: 'SCAN_NARROW_GAPS' }]);
    expect(warn({ gapShare: 0.02 }, 'surface')[0].invalidates).toBeUndefined();
    expect(warn({ gapShare: 0.05 }, 'surface')).toMatchObject([{ invalidates: true }]);
    expect(warn({ gapShare: 0.001, faintGapShare: 0.02 }, 'walls')).toMatchObject([
      { code: 'SCAN_NARROW_GAPS' },
    ]);
    expect(warn({ faintGapShare: 0.004 }, 'surface')).toEqual([]);
    expect(warn({ skin: 0.1 }, 'surface')[0].invalidates).toBeUndefined();
    expect(warn({ skin: 0.5 }, 'deviation')).toMatchObject([{ code: 'SCAN_SKIN', invalidates: true }]);
  });

  it('about noise smoothed more than edges mark surfaces and refuse pores', () => {
    expect(warn({ blurVoxels: 1.1, evenGrain: 3.3 }, 'defects')).toEqual([]);
    expect(warn({ blurVoxels: 0.6, evenGrain: 1.6 }, 'surface')).toEqual([]);
    const filtered = { blurVoxels: 0.6, evenGrain: 3.3 };
    expect(warn(filtered, 'surface')[0]).toMatchObject({ code: 'SCAN_FILTERED' });
    expect(warn(filtered, 'surface')[0].invalidates).toBeUndefined();
    expect(warn(filtered, 'defects')).toMatchObject([{ code: 'SCAN_FILTERED', invalidates: true }]);
  });

  it('about slices out of order refuse all numbers', () => {
    expect(warn({ sliceOrder: -0.1 }, 'surface')).toEqual([]);
    expect(warn({ sliceOrder: -0.7 }, 'defects')).toMatchObject([
      { code: 'SCAN_SLICES_MOVED', invalidates: true },
    ]);
  });

  it('about rows or columns out of order refuse all numbers, and name them', () => {
    expect(warn({ rowOrder: -0.1, columnOrder: 0 }, 'surface')).toEqual([]);
    expect(warn({ rowOrder: -0.7, thinShare: 0.9 }, 'surface').map(({ code }) => code)).not.toContain(
      'SCAN_SLICES_MOVED',
    );
    for (const [order, name] of [
      [{ rowOrder: -0.7 }, /from row to row within slices and back: rows \(along x\) are out of order/],
      [{ columnOrder: -0.7 }, /from column to column within slices and back: columns \(along y\) are/],
    ] as const) {
      const [torn] = warn({ sliceOrder: 0.9, ...order }, 'defects');
      expect(torn).toMatchObject({ code: 'SCAN_SLICES_MOVED', invalidates: true });
      expect(torn.message).toMatch(name);
    }
  });

  it('about edges with two steps mark all numbers, unless rings or noise cause them', () => {
    expect(warn({ doubleShare: 0.2 }, 'surface')).toEqual([]);
    expect(warn({ doubleShare: 0.3 }, 'surface')).toMatchObject([{ code: 'SCAN_DOUBLE_EDGES' }]);
    expect(warn({ doubleShare: 0.8, rings: 0.1 }, 'walls')).toMatchObject([{ code: 'SCAN_RINGS' }]);
  });

  it('about swaying slices mark all numbers, except for thin parts', () => {
    expect(warn({ sway: 0.3 }, 'surface')).toEqual([]);
    expect(warn({ sway: 0.6, thinShare: 0.3 }, 'surface').map(({ code }) => code)).not.toContain(
      'SCAN_SLICES_MOVED',
    );
    const [swayed] = warn({ sway: 0.6 }, 'surface');
    expect(swayed).toMatchObject({ code: 'SCAN_SLICES_MOVED' });
    expect(swayed.invalidates).toBeUndefined();
  });

  it('about joined scans with doubled or missing slices refuse all numbers', () => {
    expect(warn({ seams: [] }, 'surface')).toEqual([]);
    const [joined] = warn({ seams: [32, 60, 70, 90] }, 'walls');
    expect(joined).toMatchObject({ code: 'SCAN_SLICES_MOVED', invalidates: true });
    expect(joined.message).toMatch(/^The part jumps before slice 32, 60, 70 and others: /);
    // Thin walls reverse from slice to slice even in correct order, but they don't jump.
    const thin = { thinShare: 0.8, thinnestWallVoxels: 3 };
    const codes = (quality: object) => warn(quality, 'surface').map(({ code }) => code);
    expect(codes({ ...thin, seams: [24] })).toContain('SCAN_SLICES_MOVED');
    expect(codes({ ...thin, sliceOrder: -0.5 })).not.toContain('SCAN_SLICES_MOVED');
  });

  it('about places brighter than air mark the volume, but not beside haze, rings or second steps', () => {
    expect(warn({ faintShare: 0.007 }, 'surface')).toEqual([]);
    expect(warn({ faintShare: 0.015, blurVoxels: null }, 'surface')).toEqual([]);
    const [found] = warn({ faintShare: 0.03 }, 'surface');
    expect(found).toMatchObject({ code: 'SCAN_FAINT_PLACES' });
    expect(found.invalidates).toBeUndefined();
    expect(warn({ faintShare: 0.03 }, 'walls')).toEqual([]);
    const [faint] = listFindings({ ...clean, faintShare: 0.03 });
    expect(warnAbout(faint, 'defects', ['porosity', 'defectCount'])).toMatchObject([
      { measures: ['porosity'] },
    ]);
    for (const other of [{ haze: 0.03 }, { rings: 0.1 }, { doubleShare: 0.5 }])
      expect(warn({ faintShare: 0.03, ...other }, 'surface').map(({ code }) => code)).not.toContain(
        'SCAN_FAINT_PLACES',
      );
  });

  it('about haze beside the part mark numbers, and refuse them above 4 % of the contrast', () => {
    expect(warn({ haze: 0.01 }, 'surface')).toEqual([]);
    expect(warn({ haze: 0.03, gradient: 0.2 }, 'walls')).toMatchObject([{ code: 'SCAN_GRADIENT' }]);
    expect(warn({ haze: 0.03 }, 'surface')[0]).toMatchObject({ code: 'SCAN_HAZE' });
    expect(warn({ haze: 0.03 }, 'surface')[0].invalidates).toBeUndefined();
    expect(warn({ haze: 0.05 }, 'defects')).toMatchObject([{ code: 'SCAN_HAZE', invalidates: true }]);
  });

  it('about curved or rounded grey values mark or refuse numbers', () => {
    expect(warn({ greyShift: 0.03, greyStep: 0.02 }, 'surface')).toEqual([]);
    expect(warn({ greyShift: -0.2, contrastToNoise: 4 }, 'walls')).toMatchObject([{ code: 'SCAN_NOISE' }]);
    expect(warn({ greyShift: -0.08 }, 'surface')[0]).toMatchObject({ code: 'SCAN_GREY_CURVE' });
    expect(warn({ greyShift: -0.08 }, 'surface')[0].invalidates).toBeUndefined();
    expect(warn({ greyShift: 0.4 }, 'defects')).toMatchObject([
      { code: 'SCAN_GREY_CURVE', invalidates: true },
    ]);
    expect(warn({ greyStep: 0.1 }, 'surface')).toMatchObject([{ code: 'SCAN_GREY_STEPS' }]);
  });

  it('about replaced voxels mark voids, and refuse numbers when there are too many', () => {
    const specks = (share: number) => ({ specks: { share, leastStep: 9000 } });
    expect(warn({ specks: null }, 'defects')).toEqual([]);
    expect(warn(specks(0.004), 'surface')).toEqual([]);
    expect(warn(specks(0.004), 'defects')[0]).toMatchObject({ code: 'SCAN_SPECKS' });
    expect(warn(specks(0.004), 'defects')[0].message).toContain('40.0 of 10,000 voxels');
    expect(warn(specks(0.02), 'surface')).toMatchObject([{ code: 'SCAN_SPECKS', invalidates: true }]);
  });

  it('about noise mark surfaces between 3 and 6, and refuse them below', () => {
    expect(warn({ contrastToNoise: 6.5 }, 'surface')).toEqual([]);
    // Pores are searched behind a filter there, and the smallest are lost.
    expect(warn({ contrastToNoise: 6.5 }, 'defects')).toMatchObject([{ code: 'SCAN_NOISE' }]);
    expect(warn({ contrastToNoise: 7.1 }, 'defects')).toEqual([]);
    expect(warn({ contrastToNoise: 3.2 }, 'defects')[0].invalidates).toBeUndefined();
    expect(warn({ contrastToNoise: 2.5 }, 'defects')).toMatchObject([
      { code: 'SCAN_NOISE', invalidates: true },
    ]);
    expect(warn({ contrastToNoise: 4.2 }, 'surface')).toEqual([
      {
        code: 'SCAN_NOISE',
        message:
          'The contrast is 4.2 times the noise. Below 6, single values are uncertain by up to a voxel.',
        measures: ['minMm'],
      },
    ]);
    expect(warn({ contrastToNoise: 2.5 }, 'surface')).toMatchObject([{ invalidates: true }]);
  });

  it('about noise with a grain count it as stronger', () => {
    expect(warn({ contrastToNoise: 20, noiseGrain: 1.5 }, 'defects')).toEqual([]);
    expect(warn({ contrastToNoise: 10, noiseGrain: 4 }, 'defects')).toMatchObject([{ invalidates: true }]);
    expect(warn({ contrastToNoise: 10, noiseGrain: 4 }, 'surface')[0]?.message).toContain(
      '2.0 times as strong',
    );
  });

  it('about wide blur and parts made of struts mark pores, and do not exist below the limits', () => {
    expect(warn({ blurVoxels: 1.4 }, 'defects')).toMatchObject([{ code: 'SCAN_BLUR' }]);
    expect(warn({ blurVoxels: 1.1 }, 'defects')).toEqual([]);
    expect(warn({ fullShare: 0.1 }, 'defects')).toMatchObject([{ code: 'SCAN_FEW_DEEP' }]);
    expect(warn({ fullShare: 0.3 }, 'defects')).toEqual([]);
  });

  it('about several materials refuse the surface when a denser one is exposed', () => {
    const materials = [8, 40].map((grey) => ({ grey: grey * 1000, share: 0.5 }));
    const of = (bareShare: number) => warn({ materials, bareShare }, 'surface');
    expect(of(0.04)[0]?.invalidates).toBeUndefined();
    expect(of(0.3)).toMatchObject([{ code: 'SCAN_MATERIALS', invalidates: true }]);
  });

  it('about thin walls refuse their thickness, and the volume when they are a large share of the part', () => {
    const thin = { thinnestWallVoxels: 2.4, thinShare: 0.01 };
    expect(warn(thin, 'walls')).toMatchObject([{ code: 'SCAN_THIN_WALLS', invalidates: true }]);
    expect(warn(thin, 'surface')[0].invalidates).toBeUndefined();
    expect(warn({ ...thin, thinShare: 0.4 }, 'surface')).toMatchObject([{ invalidates: true }]);
  });

  it.each([
    [{ unevenness: 0.13 }, 'SCAN_UNEVEN'],
    [{ gradient: 0.2 }, 'SCAN_GRADIENT'],
    [{ bands: 0.12 }, 'SCAN_BANDS'],
  ] as const)('about %o refuse pores and mark surfaces', (found, code) => {
    expect(warn(found, 'defects')).toMatchObject([{ code, invalidates: true }]);
    expect(warn(found, 'surface')).toMatchObject([{ code }]);
    expect(warn(found, 'surface')[0].invalidates).toBeUndefined();
  });

  it('about rings and bands mark only sizes of voids while weak, and refuse voids when strong', () => {
    for (const [weak, strong, code] of [
      [{ rings: 0.14 }, { rings: 0.16 }, 'SCAN_RINGS'],
      [{ bands: 0.09 }, { bands: 0.11 }, 'SCAN_BANDS'],
    ] as const) {
      expect(warn(weak, 'defects')).toMatchObject([{ code }]);
      expect(warn(weak, 'defects')[0].invalidates).toBeUndefined();
      expect(warn(strong, 'defects')).toMatchObject([{ code, invalidates: true }]);
    }
  });

  it('about shading that local levels follow mark pores and refuse none', () => {
    const quality = { ...clean, unevenness: 0.3, gradient: 0.2 };
    const effects = listFindings(quality).map((finding) => followLevels(finding).effects.defects);
    expect(effects).toMatchObject([{ invalidates: false }, { invalidates: false }]);
  });

  it('about a cut part name the faces', () => {
    expect(warn({ border: ['x-', 'z+'] }, 'surface')[0].message).toMatch(
      /^The part reaches beyond .* x-, z\+\./,
    );
  });

  it('about the level report which is mistaken for which', () => {
    const several = {
      ...clean,
      materials: [
        { grey: 14_400, share: 0.9 },
        { grey: 40_000, share: 0.1 },
      ],
    };
    expect(checkLevel(clean, 24_000)).toBeNull();
    // The midway level is right at any noise.
    expect(checkLevel({ ...clean, contrastToNoise: 3.2 }, 24_000)).toBeNull();
    expect(checkLevel({ ...clean, contrastToNoise: 3.2 }, 18_000)).not.toBeNull();
    expect(checkLevel(several, 11_000)).toBeNull();
    expect(checkLevel(several, 27_000)?.effects.surface?.consequence).toBe('Material is taken for air.');
    expect(checkLevel(clean, 10_000)?.effects.defects?.consequence).toBe(
      'Air and noise are taken for material.',
    );
  });
});

describe('a mark', () => {
  const paths = ['materialVolumeMm3', 'porosity', 'defectCount', 'largestVolumeMm3'];
  const name = (quality: Partial<ScanQuality>, restsOn: RestsOn, of = paths) =>
    listFindings({ ...clean, ...quality }).flatMap((finding) => warnAbout(finding, restsOn, of));

  it('names only the affected numbers', () => {
    const thin = { thinnestWallVoxels: 3, thinShare: 0.02 };
    expect(name(thin, 'defects')).toMatchObject([{ measures: ['materialVolumeMm3', 'porosity'] }]);
    // A volume with torn faces has no interval; without the mark, a gate would treat it as exact.
    expect(name({ sway: 0.6 }, 'surface', ['volumeMm3'])).toMatchObject([{ measures: ['volumeMm3'] }]);
  });

  it('of sizes names neither what is only counted nor a size of 0', () => {
    const sizes = paths.filter((path) => path !== 'defectCount');
    const [uneven] = listFindings({ ...clean, unevenness: 0.05 });
    for (const finding of [uneven, followLevels(uneven)])
      expect(warnAbout(finding, 'defects', paths)).toMatchObject([{ measures: sizes }]);
    const zeros = ['porosity', 'defectCount', 'largestVolumeMm3'];
    const resizing: Partial<ScanQuality>[] = [
      ...[{ unevenness: 0.05 }, { gradient: 0.12 }, { rings: 0.05 }, { bands: 0.05 }, { haze: 0.02 }],
      ...[{ greyShift: 0.08 }, { greyShift: 0.5 }, { greyStep: 0.1 }, { fullShare: 0.1 }],
      ...(['EDGES_INWARD', 'HARDENING_LEFT', 'RINGS_REMOVED'] as const).map((code) => ({
        viewDoubts: [code],
      })),
    ];
    for (const quality of resizing) {
      const [finding] = listFindings({ ...clean, ...quality });
      expect(warnAbout(finding, 'defects', paths), JSON.stringify(quality)).toMatchObject([
        { measures: sizes },
      ]);
      expect(warnAbout(finding, 'defects', paths, zeros)).toMatchObject([
        { measures: ['materialVolumeMm3'] },
      ]);
      expect(warnAbout(finding, 'defects', zeros, zeros)).toEqual([]);
    }
    // These hide voids or make false ones, so that a number of none may be wrong.
    for (const quality of [
      { unevenness: 0.2 },
      { rings: 0.2 },
      { contrastToNoise: 5 },
      { blurVoxels: 1.5 },
    ]) {
      const [finding] = listFindings({ ...clean, ...quality });
      expect(warnAbout(finding, 'defects', paths, zeros)).toMatchObject([{ measures: paths }]);
    }
  });

  it('is dropped for numbers whose interval covers it, and kept for others', () => {
    const noisy = name({ contrastToNoise: 5 }, 'defects');
    expect(dropCoveredMeasures(noisy, [])).toEqual(noisy);
    // No interval includes the small pores hidden by noise or blur.
    const known = paths.filter((path) => path !== 'defectCount');
    for (const hiding of [noisy, name({ blurVoxels: 1.5 }, 'defects')])
      expect(dropCoveredMeasures(hiding, known)).toMatchObject([{ measures: ['porosity', 'defectCount'] }]);
    expect(
      dropCoveredMeasures(name({ contrastToNoise: 5 }, 'surface', ['volumeMm3']), ['volumeMm3']),
    ).toEqual([]);
    const refused = name({ contrastToNoise: 2 }, 'surface', ['volumeMm3']);
    expect(refused).toMatchObject([{ invalidates: true }]);
    expect(dropCoveredMeasures(refused, ['volumeMm3'])).toEqual(refused);
    for (const code of ['FEW_PROJECTIONS', 'HARDENING_LEFT'] as const) {
      const radiographed = name({ viewDoubts: [code] }, 'surface', ['volumeMm3']);
      expect(dropCoveredMeasures(radiographed, ['volumeMm3'])).toEqual(radiographed);
    }
    for (const code of ['EDGES_INWARD', 'RINGS_REMOVED'] as const)
      expect(
        dropCoveredMeasures(name({ viewDoubts: [code] }, 'defects'), ['porosity', 'materialVolumeMm3']),
      ).toMatchObject([{ measures: ['largestVolumeMm3'] }]);
  });
});
