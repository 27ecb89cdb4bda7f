import { z } from 'zod';

export const Verdict = z.enum(['pass', 'fail', 'indeterminate']).meta({ id: 'Verdict' });
export type Verdict = z.infer<typeof Verdict>;
