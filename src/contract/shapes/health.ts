import { z } from 'zod';

export const Health = z
  .object({
    status: z.literal('ok'),
    version: z.string(),
    sendsMail: z
      .boolean()
      .meta({ description: 'whether mail is set up: a forgotten password can be reset by mail' }),
    demo: z.object({ made: z.int(), parts: z.int() }).nullable().meta({
      description:
        'how many parts of the demo are there, out of how many, while they are being made; null = none is being made',
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
