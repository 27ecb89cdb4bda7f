import type { AnalysisContext } from '../analysis.ts';

const notThere = () => Promise.reject(new Error('not asked for'));

/** Empty data sources for an analysis; each test adds those it needs. */
export const noData: Pick<
  AnalysisContext,
  'volume' | 'part' | 'surface' | 'radiographs' | 'newVolume' | 'quality'
> = {
  volume: notThere,
  part: notThere,
  surface: async (_, __, determine) => ({ ...(await determine()), keepPart: () => undefined }),
  radiographs: notThere,
  newVolume: notThere,
  quality: async () => null,
};
