import { expect, it } from 'vitest';
import { installedIn, listMissing, notMeasured } from '../peers/packages.ts';
import { disagreements, enclosedVolume, sampleCount, samplePlaces } from './figures.ts';
import { computeRatios, median, reaches } from './ratios.ts';
import { formatLine, isMetBy, type KernelMeasurement, summarizeMeasurements } from './report.ts';

const agreed: KernelMeasurement = {
  kernel: 'Median',
  edge: 512,
  peer: 'VTK',
  packages: ['python3-vtk9'],
  atLeast: 3,
  ratios: computeRatios([1, 2, 1.1], [4, 9, 3.9]),
  runs: 3,
  disagreements: [],
};

it('computes ratios of the fastest and of the median runs', () => {
  const ratios = computeRatios([2, 1, 4], [6, 10, 5]);
  expect(ratios).toEqual({ oursSeconds: [1, 2], theirsSeconds: [5, 6], ofFastest: 5, ofMedians: 3 });
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(() => computeRatios([], [1])).toThrow('without runs');
});

it('meets a limit only when both ratios reach it', () => {
  expect(reaches(computeRatios([2, 1, 4], [6, 10, 5]), 3)).toBe(true);
  expect(reaches(computeRatios([2, 1, 4], [6, 10, 5]), 3.1)).toBe(false);
});

it('detects packages that dpkg reports as installed, and names the missing ones', () => {
  const installed = installedIn('ii  python3-vtk9\nrc  plastimatch\nii  g++\n');
  expect(installed).toEqual(new Set(['python3-vtk9', 'g++']));
  expect(listMissing(['g++', 'plastimatch', 'cloudcompare'], installed)).toEqual([
    'plastimatch',
    'cloudcompare',
  ]);
  expect(notMeasured(['plastimatch'])).toBe('not measured: package plastimatch is missing');
  expect(notMeasured(['a', 'b'])).toBe('not measured: packages a, b are missing');
});

it('gives the reason for a row that was not measured, in its line and in the summary', () => {
  const { ratios: _, ...row } = agreed;
  const missing = { ...row, notMeasured: notMeasured(['python3-vtk9']) };
  expect(isMetBy(missing)).toBeUndefined();
  expect(formatLine(missing)).toBe('Median, 512³, VTK: not measured: package python3-vtk9 is missing');
  expect(summarizeMeasurements([missing, { ...agreed, isMet: true }])).toEqual([
    'the other programs come from the Debian packages python3-vtk9',
    formatLine(missing),
  ]);
});

it('rejects a fast wrong result, and states what is wrong', () => {
  expect(isMetBy(agreed)).toBe(true);
  expect(isMetBy({ ...agreed, atLeast: 4.1 })).toBe(false);
  const wrong = { ...agreed, disagreements: ['count is 1, and 2 there'] };
  expect(isMetBy(wrong)).toBe(false);
  expect(isMetBy({ ...wrong, atLeast: null })).toBe(false);
  expect(formatLine(wrong)).toContain('RESULTS DIFFER: count is 1, and 2 there');
});

it('compares results by number, by sample and by correlation', () => {
  expect(disagreements({ count: 3 }, { count: 3 }, { shares: { count: 0 } })).toEqual([]);
  expect(disagreements({ count: 3 }, { count: 4 }, { shares: { count: 0.1 } })).toHaveLength(1);
  expect(disagreements({}, { count: 4 }, { shares: { count: 0.1 } })).toHaveLength(1);
  const close = { samples: { mean: 0.5, largest: 1 } };
  expect(disagreements({ samples: [1, 2, 3] }, { samples: [1, 2, 4] }, close)).toEqual([]);
  expect(disagreements({ samples: [1, 2, 3] }, { samples: [1, 2, 5] }, close)).toHaveLength(1);
  expect(disagreements({ samples: [1, Number.NaN] }, { samples: [1, 2] }, close)).toHaveLength(1);
  expect(disagreements({ samples: [] }, { samples: [] }, close)).toHaveLength(1);
  expect(disagreements({ samples: [1, 2, 3] }, { samples: [10, 20, 30] }, { correlation: 0.99 })).toEqual([]);
  expect(disagreements({ samples: [1, 2, 3] }, { samples: [3, 1, 2] }, { correlation: 0.99 })).toHaveLength(
    1,
  );
});

it('samples voxels all over the volume, away from its border', () => {
  const places = [...samplePlaces(64)];
  expect(places).toHaveLength(sampleCount);
  for (const place of places) for (const n of place) expect(n >= 8 && n < 56).toBe(true);
  expect(new Set(places.map(String)).size).toBeGreaterThan(40);
});

it('encloses the same volume for any triangulation of its polygons, and another when a vertex moves', () => {
  // A ball's eight cells around (4, 4, 4), one triangle in each; and the same with a bent square in place of two.
  const middle = 4;
  const corners = [
    [1, 0, 0],
    [-1, 0, 0],
    [0, 1, 0],
    [0, -1, 0],
    [0, 0, 1],
    [0, 0, -1],
  ].flatMap((way) => way.map((step) => middle + 0.8 * step));
  const faces = [0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5];
  const octahedron = enclosedVolume(Float32Array.from(corners), Uint32Array.from(faces));
  // Cones to the cell centres, 0.5 along each axis, stand 0.7 / √3 above the triangles.
  const [area, height] = [(Math.sqrt(3) / 4) * 2 * 0.64, 0.7 / Math.sqrt(3)];
  expect(octahedron).toBeCloseTo((4 / 3) * 0.8 ** 3 + (8 * area * height) / 3, 4);

  const bent = [4, 4.2, 4.3, 5, 4.7, 4.1, 4.9, 4.2, 5, 4.1, 5, 4.6];
  const one = enclosedVolume(Float32Array.from(bent), Uint32Array.from([0, 1, 2, 0, 2, 3]));
  const other = enclosedVolume(Float32Array.from(bent), Uint32Array.from([0, 1, 3, 1, 2, 3]));
  expect(other).toBeCloseTo(one, 5);
  bent[1] += 0.01;
  expect(
    Math.abs(enclosedVolume(Float32Array.from(bent), Uint32Array.from([0, 1, 2, 0, 2, 3])) - one),
  ).toBeGreaterThan(1e-3);
});
