import { drifts, measureDrift } from '../drifting-scan.ts';
import type { AccuracySection } from './section.ts';

const bounds = { Volume: 1.5, 'Grey times volume': 0.2, Place: 0.05 };
const none: Record<string, number> = {};

export const driftSection: AccuracySection = {
  title: 'Reconstruction of a drifting scan',
  text: `A ball of 25 voxels across beside the axis, 180 exact projections of 96 × 72 pixels, source and detector drifting over the scan. With
the poses that each projection had, and with those of the plain circle, as where nobody recorded the drift. Errors of the volume
above half of the ball's grey (voxels counted, right to a percent) and of all that it takes away (grey times volume) in %; distance
of its middle from the truth in voxels.`,
  places: ['Drift', 'Poses'],
  figures: [
    { name: 'Volume', digits: 2, signed: true },
    { name: 'Grey times volume', digits: 3, signed: true },
    { name: 'Place', digits: 3 },
  ],
  cases: drifts.flatMap((drift) =>
    [true, false].map((arePosesKnown) => ({
      place: [drift.name, arePosesKnown ? 'read' : 'of the circle'],
      bounds: arePosesKnown ? bounds : none,
      measure: async (pool) => {
        const { volume, mass, offMm, voxelSizeMm } = await measureDrift(drift, arePosesKnown, pool);
        return { Volume: 100 * volume, 'Grey times volume': 100 * mass, Place: offMm / voxelSizeMm };
      },
    })),
  ),
};
