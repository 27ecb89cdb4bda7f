import { z } from 'zod';

export const percentileNames = ['p1', 'p5', 'p25', 'p50', 'p75', 'p95', 'p99'] as const;

/** As results carry them; those that are missing are left out. */
export const PercentilesMm = z.partialRecord(z.enum(percentileNames), z.number()).catch({});
