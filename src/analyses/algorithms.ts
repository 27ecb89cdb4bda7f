import type { GreyFilter } from '#kernels/surface/smoothing.ts';

/** Versions of the algorithms, raised whenever one gives other numbers for the same input. */
export const algorithmVersions = {
  /**
   * ISO 50 between peaks of places where grey values neither rise nor fall; of small parts of the places deep in them, of thin ones by
   * the profiles of their walls
   */
  surfaceLevel: '9',
  /** ISO 50 between air and material as they are around each place */
  localLevels: '5',
  noise: '3',
  medianFilter: '1',
  gaussFilter: '1',
  curvatureKeepingFilter: '1',
  edgeBlur: '3',
  fairing: '5',
  curvatureKept: '4',
  isosurface: '6',
  materials: '3',
  simplification: 'meshoptimizer 1.3.0, closed',
  textureAtlas: '1',
  textureGreyValue: '1',
  textureCurvature: '1',
  textureAmbientOcclusion: '1',
  wallThicknessRay: '8',
  wallThicknessSphere: '10',
  /** a blurred slab fitted to the voxels across a thin wall */
  wallProfile: '1',
  /** as the scan is; behind a median filter where noise hides voids */
  voidComponents: '4',
  openVoids: '2',
  defectMeasures: '10',
  /** volumes of closed voids against the material around each, with what the same gives in sound material */
  shellVolumes: '17',
  /** closed regions of an even grey value between air and material, with an edge */
  paleRegions: '2',
  /** what radii about the axis of rotation show deep in the material, before voids are measured */
  ringsTakenOff: '1',
  /** that a defect is no noise or artefact, from its shape, depth and significance */
  defectProbability: '3',
  inclusions: '2',
  cracks: '1',
  alignment: '6',
  deviation: '3',
  referenceGroups: '1',
  filteredBackProjection: '3',
  centerOfRotation: '2',
  /** what is white in the mean of all projections */
  ringCorrection: '2',
  /** p + b p² with the b that makes a coarse volume's material the most even */
  beamHardening: '1',
} as const;

export type Algorithm = keyof typeof algorithmVersions;

/** The filter that grey values went through before the surface was taken. */
export const chooseFilter = ({ kind, sigma }: GreyFilter): Algorithm[] => {
  if (!(sigma > 0)) return [];
  return [kind === 'gauss' ? 'gaussFilter' : 'curvatureKeepingFilter'];
};

/** What a surface that is refined went through besides; it is evened out where there is noise or blur. */
export const refinedBy = (filter: GreyFilter, edgeBlurMm: number): Algorithm[] => [
  ...chooseFilter(filter),
  'noise',
  'edgeBlur',
  ...(filter.sigma > 0 || edgeBlurMm > 0 ? (['fairing'] as const) : []),
  'curvatureKept',
];

const isAlgorithm = (name: string): name is Algorithm => name in algorithmVersions;

/** The algorithms of earlier versions, if they give the same numbers today; null if they don't. */
export function readCurrent(versions: Readonly<Record<string, string>>): Algorithm[] | null {
  const names = Object.keys(versions).filter(isAlgorithm);
  const isCurrent = Object.entries(versions).every(
    ([name, version]) => isAlgorithm(name) && algorithmVersions[name] === version,
  );
  return isCurrent ? names : null;
}

export const listVersions = (...names: Algorithm[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, algorithmVersions[name]]));
