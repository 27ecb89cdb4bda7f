import { drifts, measureDrift } from '../drifting-scan.ts';
import type { AccuracySection } from './section.ts';

const bounds = { Volume: 1.5, 'Grey times volume': 0.2, Place: 0.05 };
const none: Record<string, number> = {};

export const driftSection: AccuracySection = {
  title: 'Reconstruction of a drifting scan',
  text: `A ball of 25 voxels across beside the axis, 180 exact projections of 96 × 72 pixels; source and detector drift during the scan.
Reconstructed with the true pose of each projection, and with those of the ideal circle, as when the drift was not recorded. Errors of
the volume above half of the ball's grey value (by counting voxels, exact to a percent) and of the total attenuation (grey value times
volume) in %; distance of its centre from the truth in voxels.`,
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
