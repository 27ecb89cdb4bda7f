import { z } from 'zod';

export const Health = z
  .object({
    status: z.literal('ok'),
    version: z.string(),
    sendsMail: z
      .boolean()
      .meta({ description: 'true: email is set up, so a forgotten password can be reset by email' }),
    demo: z.object({ made: z.int(), parts: z.int() }).nullable().meta({
      description:
        'number of demo parts created so far and in total, while the demo is being created; otherwise null',
    }),
  })
  .meta({ id: 'Health' });

export const Liveness = z.object({ status: z.literal('ok') }).meta({ id: 'Liveness' });

const Check = z.literal('ok');
export const Readiness = z
  .object({
    status: z.literal('ok'),
    checks: z.object({ database: Check, migrations: Check, store: Check }),
  })
  .meta({ id: 'Readiness' });
