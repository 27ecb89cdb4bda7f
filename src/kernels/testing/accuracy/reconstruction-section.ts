import { greyErrors, makeScan, reconstructed, scanCases } from '../reconstructed.ts';
import type { AccuracySection } from './section.ts';

/** Standard deviations added to each line integral; the longest is 2.4. */
const noises = [0, 0.03];

export const reconstructionSection: AccuracySection = {
  title: 'Reconstruction',
  text: `Of exact line integrals through an ellipsoid with a denser core and a small ball beside, each the mean over its pixel, 96
pixels wide, with the axis of rotation beside the detector's middle. Errors of the mean grey in the solid and in its core in % of
theirs, of the air in % of the solid's; the centre of rotation, which is found from the projections alone, in pixels. The bounds of
the greys are for scans without noise and hold for the means with it too.`,
  places: ['Scan', 'Noise'],
  figures: [
    { name: 'Solid', digits: 3, signed: true },
    { name: 'Core', digits: 3, signed: true },
    { name: 'Air', digits: 3, signed: true },
    { name: 'Centre', digits: 3, signed: true },
  ],
  cases: scanCases.flatMap(({ name, geometry, centerColumn }) =>
    noises.map((noise) => ({
      place: [name, noise > 0 ? `${noise} in each integral` : 'none'],
      bounds: { Solid: 0.5, Core: 0.5, Air: 0.5, Centre: 0.1 },
      measure: async (pool) => {
        const result = await reconstructed(makeScan(geometry, { oversampling: 2, noise }), pool);
        const { solid, core, air } = greyErrors(result);
        return {
          Solid: 100 * solid,
          Core: 100 * core,
          Air: 100 * air,
          Centre: result.facts.centerColumn - centerColumn,
        };
      },
    })),
  ),
};
