import type { AnalysisContext } from '../analysis.ts';

const notThere = () => Promise.reject(new Error('not asked for'));

/** The data that an analysis may ask for, of which there is none: a test adds what it is about. */
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
