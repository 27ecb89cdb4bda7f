import { z } from 'zod';

/** Uncertainty of a measured number, in its unit: the true value lies within ± `expanded` with about 95 % confidence. */
export const Uncertainty = z
  .object({
    expanded: z.number().min(0),
    k: z.literal(2).meta({ description: 'coverage factor' }),
    contributions: z.array(z.object({ name: z.string(), value: z.number() })),
  })
  .meta({ id: 'Uncertainty' });
export type Uncertainty = z.infer<typeof Uncertainty>;
