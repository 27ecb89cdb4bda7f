import { describe, expect, it } from 'vitest';
import { autoAlign } from '#contract/analyses/auto-align.ts';
import { wallThickness } from '#contract/analyses/wall-thickness.ts';
import type { CadMetadata } from '#web/api/generated/types.gen.ts';
import { computeShare, histogramSteps } from '#web/ui/histogram-steps.ts';
import { meshFigures } from './create-mesh.tsx';
import { measuredFigures } from './measured.ts';

describe('The figures of a result', () => {
  const result = { minMm: 0.3512, meanMm: 2.4, belowMinimumShare: 0.0213, regionCount: 3 };

  it('are its measures with the labels, units and order of their declaration', () => {
    expect(measuredFigures(wallThickness, result)).toEqual([
      { label: 'Thinnest wall', value: '0.3512\u202fmm', help: undefined },
      { label: 'Mean thickness', value: '2.4\u202fmm', help: undefined },
      { label: 'Area below the minimum thickness', value: '2.13\u202f%', help: undefined },
      { label: 'Regions below the minimum thickness', value: '3', help: undefined },
    ]);
  });

  it('omit measures that the result does not have', () => {
    expect(measuredFigures(wallThickness, { ...result, belowMinimumShare: null })).toHaveLength(3);
    expect(measuredFigures(autoAlign, {})).toEqual([]);
  });

  it('include the expanded uncertainty of a measure that has one', () => {
    const uncertainties = { minMm: { expanded: 0.012, k: 2 as const, contributions: [] } };
    const [first] = measuredFigures(wallThickness, { ...result, uncertainties });
    expect(first?.value).toBe('0.351 ± 0.012\u202fmm');
    expect(first?.help).toContain('k = 2');
  });
});

describe('The outline of a histogram', () => {
  it('has two points per bin and ends at zero', () => {
    expect(histogramSteps([0, 1, 3], [5, 2])).toEqual({ x: [0, 0, 1, 1, 3, 3], y: [0, 5, 5, 2, 2, 0] });
  });

  it('gives the share of a bin', () => {
    expect(computeShare([1, 3], 1)).toBe(0.75);
    expect(computeShare([0, 0], 1)).toBe(0);
  });
});

describe('The volume of a mesh', () => {
  const mesh = {
    vertices: 4,
    triangles: 4,
    areaMm2: 6,
    watertight: false,
    components: 1,
    sourceFileName: 'part.step',
    sourceSha256: '0'.repeat(64),
  };
  const volumeFigure = (facts: Pick<CadMetadata, 'volumeMm3'> & Partial<CadMetadata>) =>
    meshFigures({ ...mesh, boundsMm: { min: [0, 0, 0], max: [1, 1, 1] }, ...facts })[0];

  it('states the reason if it is not known', () => {
    const volumeReason = 'The surface is not closed: 4 edges with one triangle only.';
    expect(volumeFigure({ volumeMm3: null, volumeReason })).toEqual({
      label: 'Volume',
      value: '– (surface not closed)',
      help: volumeReason,
    });
  });

  it('of a CAD model is marked as triangulated, with its accuracy', () => {
    const figure = volumeFigure({
      volumeMm3: 1234.5,
      volumeDeviationMm3: 0.25,
      deflectionMm: 0.01,
    });
    expect([figure?.label, figure?.value]).toEqual([
      'Volume of the triangles',
      '1,235\u202fmm³ ± 0.25\u202fmm³',
    ]);
    expect(figure?.help).toContain('within 10\u202fµm of the CAD surface');
  });
});
