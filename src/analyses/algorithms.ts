/** Versions of the algorithms, raised whenever one gives other numbers for the same input. */
export const algorithmVersions = {
  surfaceLevel: '1',
  gaussFilter: '1',
  isosurface: '1',
  simplification: 'meshoptimizer 1.3.0',
  wallThicknessRay: '2',
  wallThicknessSphere: '3',
  voidComponents: '1',
  openVoids: '1',
  defectMeasures: '1',
  inclusions: '1',
  cracks: '1',
  alignment: '1',
  deviation: '1',
  referenceGroups: '1',
} as const;

export type Algorithm = keyof typeof algorithmVersions;

export const versionsOf = (...names: Algorithm[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, algorithmVersions[name]]));
