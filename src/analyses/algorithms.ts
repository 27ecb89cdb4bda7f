import type { GreyFilter } from '#kernels/surface/smoothing.ts';

/** Versions of the algorithms. Raised whenever an algorithm gives different numbers for the same input. */
export const algorithmVersions = {
  /**
   * ISO 50 between the peaks of places where grey values are constant; for small parts between places deep inside them,
   * for thin parts from the profiles of their walls
   */
  surfaceLevel: '12',
  /** ISO 50 between the local air and material levels */
  localLevels: '5',
  noise: '3',
  medianFilter: '1',
  gaussFilter: '1',
  curvatureKeepingFilter: '1',
  edgeBlur: '5',
  fairing: '5',
  curvatureKept: '5',
  isosurface: '6',
  materials: '3',
  simplification: 'meshoptimizer 1.3.0, closed',
  textureAtlas: '1',
  textureGreyValue: '1',
  textureCurvature: '1',
  textureAmbientOcclusion: '1',
  wallThicknessRay: '8',
  wallThicknessSphere: '11',
  /** blurred slab fitted to the voxels across a thin wall */
  wallProfile: '1',
  /** on the scan as it is, or behind a median filter when noise hides voids */
  voidComponents: '5',
  openVoids: '3',
  defectMeasures: '10',
  /** volumes of closed voids relative to the material around each, with the same integral in sound material */
  shellVolumes: '19',
  /** closed regions of uniform grey value between air and material that have an edge */
  paleRegions: '2',
  /** profile over the radius from the axis of rotation, deep in the material; subtracted before voids are measured */
  ringsTakenOff: '1',
  /** probability that a defect is not noise or an artefact, from its shape, depth and significance */
  defectProbability: '3',
  inclusions: '3',
  cracks: '1',
  alignment: '7',
  deviation: '5',
  referenceGroups: '1',
  filteredBackProjection: '4',
  centerOfRotation: '2',
  /** high-pass of the mean of all projections */
  ringCorrection: '2',
  /** p + b p² with the b that makes the material of a coarse volume most uniform */
  beamHardening: '1',
} as const;

export type Algorithm = keyof typeof algorithmVersions;

/** The filter applied to grey values before the surface is extracted. */
export const chooseFilter = ({ kind, sigma }: GreyFilter): Algorithm[] => {
  if (!(sigma > 0)) return [];
  return [kind === 'gauss' ? 'gaussFilter' : 'curvatureKeepingFilter'];
};

/** Algorithms that refine a surface; fairing applies where there is noise or blur. */
export const refinedBy = (filter: GreyFilter, edgeBlurMm: number): Algorithm[] => [
  ...chooseFilter(filter),
  'noise',
  'edgeBlur',
  ...(filter.sigma > 0 || edgeBlurMm > 0 ? (['fairing'] as const) : []),
  'curvatureKept',
];

const isAlgorithm = (name: string): name is Algorithm => name in algorithmVersions;

/** The algorithms of earlier versions if they still give the same numbers; otherwise null. */
export function readCurrent(versions: Readonly<Record<string, string>>): Algorithm[] | null {
  const names = Object.keys(versions).filter(isAlgorithm);
  const isCurrent = Object.entries(versions).every(
    ([name, version]) => isAlgorithm(name) && algorithmVersions[name] === version,
  );
  return isCurrent ? names : null;
}

export const listVersions = (...names: Algorithm[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, algorithmVersions[name]]));
