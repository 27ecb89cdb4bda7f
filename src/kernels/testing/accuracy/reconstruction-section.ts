import { greyErrors, makeScan, reconstructed, scanCases } from '../reconstructed.ts';
import type { AccuracySection } from './section.ts';

/** Standard deviations of the noise added to each line integral; the largest line integral is 2.4. */
const noises = [0, 0.03];

export const reconstructionSection: AccuracySection = {
  title: 'Reconstruction',
  text: `From exact line integrals through an ellipsoid with a denser core and a small ball beside it, each averaged over its pixel, 96
pixels wide, with the axis of rotation beside the detector's middle. Errors of the mean grey values of the solid and of its core in % of
their own, and of the air in % of the solid's; error of the centre of rotation, found from the projections alone, in pixels. The bounds of
the grey values are for scans without noise and also apply to the means with noise.`,
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
